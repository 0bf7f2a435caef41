package image_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
)

// fetch resolves and unpacks, as a controller does.
func fetch(t testing.TB, fetcher *image.Fetcher, from image.Source) error {
	t.Helper()
	pinned, err := fetcher.Resolve(t.Context(), from)
	if err != nil {
		return err
	}
	_, err = fetcher.Unpack(t.Context(), from.At(pinned), source.Target{Dir: t.TempDir()})
	return err
}

// pushWith pushes an image through a transport.
func pushWith(t testing.TB, ref string, what remote.Taggable, transport http.RoundTripper) {
	t.Helper()
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Push(parsed, what, remote.WithTransport(transport)); err != nil {
		t.Fatal(err)
	}
}

func wantClass(t testing.TB, err error, want image.Class, words ...string) {
	t.Helper()
	var fault *image.Error
	if !errors.As(err, &fault) || fault.Class != want {
		t.Errorf("got %v, want an error of class %s", err, want)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
}

// secured starts a server with TLS. It returns its host and port, its certificate authority in PEM, and a transport that trusts the
// authority.
func secured(t testing.TB, handler http.Handler) (host, authority string, transport http.RoundTripper) {
	t.Helper()
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	authority = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	return strings.TrimPrefix(server.URL, "https://"), authority, server.Client().Transport
}

func TestRegistriesAreTrustedByTheirAuthorityOrNotAtAll(t *testing.T) {
	host, authority, transport := secured(t, registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	ref := host + "/bundles/memo:v1"
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Push(parsed, content(t, map[string]string{"f": "x"}), remote.WithTransport(transport)); err != nil {
		t.Fatal(err)
	}
	fetcher := image.New(image.Config{})
	wantClass(t, fetch(t, fetcher, image.Source{Ref: ref}), image.Untrusted, "certificateData")
	wantClass(t, fetch(t, fetcher, image.Source{Ref: ref, CertificateData: "nothing"}), image.Invalid, "no certificate in PEM")
	if err := fetch(t, fetcher, image.Source{Ref: ref, CertificateData: authority}); err != nil {
		t.Errorf("with its authority: %v", err)
	}
	if err := fetch(t, fetcher, image.Source{Ref: ref, InsecureSkipTLSVerify: true}); err != nil {
		t.Errorf("with insecureSkipTLSVerify: %v", err)
	}
}

func TestPlainHTTPIsSpokenOnlyWhereItIsAllowed(t *testing.T) {
	// The host names are not loopback names. The transport's proxy answers for them.
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			http.Error(w, "no TLS here", http.StatusBadGateway)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(plain.Close)
	push(t, strings.TrimPrefix(plain.URL, "http://")+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
	for _, host := range []string{"registry.example", "10.9.8.7", "registry.local"} {
		t.Run("ENG-S2 "+host, func(t *testing.T) {
			fetcher := image.New(image.Config{Transport: proxied(t, plain.URL)})
			source := image.Source{Ref: host + "/bundles/memo:v1"}
			err := fetch(t, fetcher, source)
			if err == nil {
				t.Fatal("plain HTTP was spoken without being allowed")
			}
			source.InsecureSkipTLSVerify = true
			if err := fetch(t, fetcher, source); err != nil {
				t.Errorf("with insecureSkipTLSVerify: %v", err)
			}
		})
	}
}

func TestARegistryThatRedirectsToPlainHTTPIsNotFollowed(t *testing.T) {
	var asked bool
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	host, authority, transport := secured(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/blobs/") && r.Method == http.MethodGet {
			asked = true
			http.Redirect(w, r, "http://elsewhere.example"+r.URL.Path, http.StatusTemporaryRedirect)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	ref := host + "/bundles/memo:v1"
	parsed, _ := name.ParseReference(ref)
	if err := remote.Push(parsed, content(t, map[string]string{"f": "x"}), remote.WithTransport(transport)); err != nil {
		t.Fatal(err)
	}
	wantClass(t, fetch(t, image.New(image.Config{}), image.Source{Ref: ref, CertificateData: authority}), image.PlainHTTP, "elsewhere.example", "plain HTTP")
	if !asked {
		t.Error("the registry was not asked for the blob; the test shows nothing")
	}
}

func TestALoginPageIsNotTakenForAnImage(t *testing.T) {
	page := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html><title>Log in</title>")
	}
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request) bool{
		"for a manifest": func(w http.ResponseWriter, r *http.Request) bool {
			if strings.Contains(r.URL.Path, "/manifests/") {
				page(w)
			}
			return strings.Contains(r.URL.Path, "/manifests/")
		},
		"after a redirect": func(w http.ResponseWriter, r *http.Request) bool {
			switch {
			case r.URL.Path == "/login":
				page(w)
			case strings.Contains(r.URL.Path, "/manifests/"):
				http.Redirect(w, r, "/login", http.StatusFound)
			default:
				return false
			}
			return true
		},
		"for a token": func(w http.ResponseWriter, r *http.Request) bool {
			if r.URL.Path == "/token" {
				page(w)
				return true
			}
			tokensFrom("http://"+r.Host)(w, r)
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			armed := false
			host := serve(t, func(w http.ResponseWriter, r *http.Request) bool { return armed && answer(w, r) })
			ref := host + "/bundles/memo:v1"
			push(t, ref, content(t, map[string]string{"f": "x"}))
			fetcher := image.New(image.Config{})
			pinned, err := fetcher.Resolve(t.Context(), image.Source{Ref: ref})
			if err != nil {
				t.Fatal(err)
			}
			armed = true
			wantClass(t, fetch(t, fetcher, image.Source{Ref: ref}), image.UnexpectedResponse, "login page", "the manager retries")
			wantClass(t, fetch(t, fetcher, image.Source{Ref: pinned}), image.UnexpectedResponse, "login page")
		})
	}
}

func dockerConfig(host, user, password string) map[string][]byte {
	auth := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	return map[string][]byte{corev1.DockerConfigJsonKey: fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, host, auth)}
}

func TestCredentialsAreReadAtEveryFetch(t *testing.T) {
	password := "first"
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, got, ok := r.BasicAuth(); r.Method == http.MethodGet && (!ok || got != password) {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	ref := host + "/bundles/memo:v1"
	parsed, _ := name.ParseReference(ref)
	password = ""
	if err := remote.Push(parsed, content(t, map[string]string{"f": "x"}), remote.WithAuth(basic{})); err != nil {
		t.Fatal(err)
	}
	password = "first"

	client := fake.NewClientset(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: "robot"}, Type: corev1.SecretTypeDockerConfigJson, Data: dockerConfig(host, "robot", "first")})
	fetcher := image.New(image.Config{PullSecrets: &image.PullSecrets{Client: client.CoreV1(), Namespace: "system"}})
	source := image.Source{Ref: ref, PullSecret: "robot"}
	wantClass(t, fetch(t, fetcher, image.Source{Ref: ref}), image.Unauthorized, "pull secret")
	if err := fetch(t, fetcher, source); err != nil {
		t.Fatal(err)
	}
	pinned, err := fetcher.Resolve(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if err := fetcher.CheckAccess(t.Context(), source.At(pinned)); err != nil {
		t.Errorf("access with the secret: %v", err)
	}
	wantClass(t, fetcher.CheckAccess(t.Context(), image.Source{Ref: pinned}), image.Unauthorized, "pull secret")
	wantClass(t, fetcher.CheckAccess(t.Context(), source), image.Invalid, "") // a tag
	password = "second"
	wantClass(t, fetch(t, fetcher, source), image.Unauthorized, "pull secret")
	rotated := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: "robot"}, Type: corev1.SecretTypeDockerConfigJson, Data: dockerConfig(host, "robot", "second")}
	if _, err := client.CoreV1().Secrets("system").Update(t.Context(), rotated, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := fetch(t, fetcher, source); err != nil {
		t.Errorf("with the rotated secret: %v", err)
	}
}

func TestARegistryThatFallsSilentIsGivenUp(t *testing.T) {
	for _, part := range []string{"/manifests/", "/blobs/"} {
		t.Run(part, func(t *testing.T) {
			armed, ended := false, make(chan struct{})
			host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !armed || !strings.Contains(r.URL.Path, part) {
					return false
				}
				w.WriteHeader(http.StatusOK)
				_, _ = w.Write([]byte("{"))
				_ = http.NewResponseController(w).Flush()
				select {
				case <-r.Context().Done():
				case <-ended:
				}
				return true
			})
			t.Cleanup(func() { close(ended) })
			push(t, host+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
			armed = true
			limits := image.DefaultLimits()
			limits.Stall = 200 * time.Millisecond
			started := time.Now()
			wantClass(t, fetch(t, image.New(image.Config{Limits: limits}), image.Source{Ref: host + "/bundles/memo:v1"}), image.Unreachable, "sent nothing for 200ms")
			if took := time.Since(started); took > time.Minute {
				t.Errorf("it took %s", took)
			}
		})
	}
}

func TestLayersThatAreKeptElsewhereAreNotFetched(t *testing.T) {
	host := serve(t, nil)
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("")), nil })
	if err != nil {
		t.Fatal(err)
	}
	img, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer, URLs: []string{"https://169.254.169.254/blobs/secrets"}})
	if err != nil {
		t.Fatal(err)
	}
	push(t, host+"/bundles/memo:v1", img)
	wantClass(t, fetch(t, image.New(image.Config{}), image.Source{Ref: host + "/bundles/memo:v1"}), image.Refused, "external URLs")
}

// noiseLayer returns a layer of files of fileBytes bytes each, whose content does not compress. The layer is on disk, so that it uses no
// memory. It is stored without compression, which would have no effect.
func noiseLayer(t testing.TB, files, fileBytes int64) v1.Layer {
	t.Helper()
	path := filepath.Join(t.TempDir(), "noise.tar")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeNoise(file, files, fileBytes), file.Close()); err != nil {
		t.Fatal(err)
	}
	layer, err := tarball.LayerFromFile(path, tarball.WithCompressionLevel(gzip.NoCompression))
	if err != nil {
		t.Fatal(err)
	}
	return layer
}

func writeNoise(out io.Writer, files, fileBytes int64) error {
	noise := rand.NewChaCha8([32]byte{1})
	writer := tar.NewWriter(out)
	for i := range files {
		if err := writer.WriteHeader(&tar.Header{Name: fmt.Sprintf("noise-%d", i), Typeflag: tar.TypeReg, Mode: 0o644, Size: fileBytes}); err != nil {
			return err
		}
		if _, err := io.CopyN(writer, noise, fileBytes); err != nil {
			return err
		}
	}
	return writer.Close()
}

// peak returns the maximum growth of the process's resident set while do runs, in bytes. It skips the test if the system cannot measure
// that.
func peak(t testing.TB, do func()) int64 {
	t.Helper()
	debug.FreeOSMemory()
	before := status(t, "VmRSS:")
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skipf("the peak of the resident set cannot be measured here: %v", err)
	}
	do()
	return status(t, "VmHWM:") - before
}

func status(t testing.TB, key string) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skipf("the resident set cannot be measured here: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == key {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Skipf("/proc/self/status has no %s here", key)
	return 0
}

func TestUnpackingALargeImageTakesLittleMemory(t *testing.T) {
	size := int64(200 << 20)
	if testing.Short() {
		size = 20 << 20
	}
	// The registry keeps its blobs on disk, so that the test measures only the memory of the fetch.
	dir := t.TempDir()
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithBlobHandler(registry.NewDiskBlobHandler(dir))))
	t.Cleanup(server.Close)
	img, err := mutate.AppendLayers(empty.Image, noiseLayer(t, size/(10<<20), 10<<20))
	if err != nil {
		t.Fatal(err)
	}
	ref := strings.TrimPrefix(server.URL, "http://") + "/bundles/large:v1"
	push(t, ref, img)
	fetcher := image.New(image.Config{})
	pinned, err := fetcher.Resolve(t.Context(), image.Source{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	var block []byte
	if seen := peak(t, func() { block = bytes.Repeat([]byte{1}, 96<<20) }); seen < 48<<20 {
		t.Skipf("the peak of the resident set cannot be measured here: %d bytes were seen of %d", seen, len(block))
	}
	block = nil
	target := t.TempDir()
	extra := peak(t, func() { _, err = fetcher.Unpack(t.Context(), image.Source{Ref: pinned}, source.Target{Dir: target}) })
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(target, "noise-0")); err != nil || info.Size() != 10<<20 {
		t.Fatalf("the image was not unpacked: %v", err)
	}
	t.Logf("unpacking %d MiB took %.1f MiB of memory above what was there", size>>20, float64(extra)/(1<<20))
	if limit := int64(64 << 20); extra >= limit {
		t.Errorf("it took %d bytes, and %d are the limit", extra, limit)
	}
}
