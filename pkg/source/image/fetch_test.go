package image_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
)

// serve starts a registry on a loopback address, and returns its host and port. It calls before, if not nil, for each GET request. If
// before returns true, it has answered the request.
func serve(t testing.TB, before func(http.ResponseWriter, *http.Request) bool, options ...registry.Option) string {
	t.Helper()
	inner := registry.New(append(options, registry.Logger(log.New(io.Discard, "", 0)))...)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if before != nil && r.Method == http.MethodGet && before(w, r) {
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func content(t testing.TB, files map[string]string) v1.Image {
	t.Helper()
	bytesOf := map[string][]byte{}
	for name, body := range files {
		bytesOf[name] = []byte(body)
	}
	img, err := crane.Image(bytesOf)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func push(t testing.TB, ref string, what remote.Taggable) {
	t.Helper()
	parsed, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Push(parsed, what); err != nil {
		t.Fatal(err)
	}
}

func TestFetchByTagAndByDigest(t *testing.T) {
	host := serve(t, nil)
	ref := host + "/bundles/memo:v1"
	push(t, ref, content(t, map[string]string{"manifests/csv.yaml": "one"}))
	fetcher := image.New(image.Config{})

	pinned, err := fetcher.Resolve(t.Context(), image.Source{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	push(t, ref, content(t, map[string]string{"manifests/csv.yaml": "two"}))

	again, err := fetcher.Resolve(t.Context(), image.Source{Ref: pinned})
	if err != nil || again != pinned {
		t.Errorf("resolving %q gave %q, %v; a digest stays what it is", pinned, again, err)
	}
	dir := t.TempDir()
	if _, err := fetcher.Unpack(t.Context(), image.Source{Ref: pinned}, source.Target{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "manifests/csv.yaml"))
	if err != nil || string(got) != "one" {
		t.Errorf("content is %q, %v; want what the tag named when it was resolved", got, err)
	}
	if digest, err := image.Digest(pinned); err != nil || !strings.HasPrefix(digest, "sha256:") {
		t.Errorf("Digest(%q) = %q, %v", pinned, digest, err)
	}
}

// Promise ENG-S14: The digest of an image for several platforms is that of its index. The image of any platform serves, so a mirror need not
// have all of them.
func TestENG_S14_FetchFromAnIndex(t *testing.T) {
	linux := func(arch string) *v1.Platform { return &v1.Platform{OS: "linux", Architecture: arch} }
	cases := map[string]struct {
		platforms []*v1.Platform
		absent    []int  // the images that the registry does not have
		want      string // content of the file, or text of the error
	}{
		"the image for this platform":           {[]*v1.Platform{linux("s390x"), linux("arm64")}, nil, "1"},
		"the only image, whatever its platform": {[]*v1.Platform{linux("s390x")}, nil, "0"},
		"several, none for this platform":       {[]*v1.Platform{linux("s390x"), linux("ppc64le")}, nil, "0"},
		"a mirror without this platform":        {[]*v1.Platform{linux("s390x"), linux("amd64"), linux("arm64")}, []int{0, 2}, "1"},
		"a mirror with no image":                {[]*v1.Platform{linux("s390x"), linux("arm64")}, []int{0, 1}, "404"},
		"attestations do not count":             {[]*v1.Platform{{OS: "unknown", Architecture: "unknown"}, linux("s390x")}, nil, "1"},
		"only attestations":                     {[]*v1.Platform{{OS: "unknown", Architecture: "unknown"}}, nil, "has no image"},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			var absent []string
			host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !slices.Contains(absent, path.Base(r.URL.Path)) {
					return false
				}
				w.WriteHeader(http.StatusNotFound)
				return true
			})
			index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
			for i, platform := range c.platforms {
				img := content(t, map[string]string{"which": fmt.Sprint(i)})
				if digest, err := img.Digest(); slices.Contains(c.absent, i) && err == nil {
					absent = append(absent, digest.String())
				}
				index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: platform}})
			}
			ref := host + "/bundles/index:v1"
			push(t, ref, index)
			fetcher := image.New(image.Config{Platform: *linux("arm64")})
			pinned, err := fetcher.Resolve(t.Context(), image.Source{Ref: ref})
			if err != nil {
				t.Fatal(err)
			}
			if digest, err := index.Digest(); err != nil || !strings.HasSuffix(pinned, "@"+digest.String()) {
				t.Errorf("resolved to %s, want the digest of the index, %s (%v)", pinned, digest, err)
			}
			dir := t.TempDir()
			if _, err := fetcher.Unpack(t.Context(), image.Source{Ref: pinned}, source.Target{Dir: dir}); err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want it to say %q", err, c.want)
				}
				return
			}
			got, err := os.ReadFile(filepath.Join(dir, "which"))
			if err != nil || string(got) != c.want {
				t.Errorf("unpacked image %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestFetchFaultsAreClassified(t *testing.T) {
	answer := func(status int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/manifests/") && !strings.Contains(r.URL.Path, "/blobs/") {
				return false
			}
			w.WriteHeader(status)
			return true
		}
	}
	onBlobs := func(do func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.Contains(r.URL.Path, "/blobs/") {
				return false
			}
			do(w, r)
			return true
		}
	}
	cases := map[string]struct {
		before func(http.ResponseWriter, *http.Request) bool
		ref    string
		want   image.Class
	}{
		"a reference that is none":           {nil, "UPPER CASE", image.Invalid},
		"a tag that is not there":            {nil, "HOST/bundles/memo:gone", image.NotFound},
		"a registry that wants credentials":  {answer(401), "HOST/bundles/memo:v1", image.Unauthorized},
		"a registry that forbids":            {answer(403), "HOST/bundles/memo:v1", image.Unauthorized},
		"a registry that fails":              {answer(500), "HOST/bundles/memo:v1", image.Unreachable},
		"a registry that is not there":       {nil, "127.0.0.1:1/bundles/memo:v1", image.Unreachable},
		"a connection reset in mid-blob":     {onBlobs(resetInMidBlob), "HOST/bundles/memo:v1", image.Unreachable},
		"a blob that is not what it is said": {onBlobs(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("something else")) }), "HOST/bundles/memo:v1", image.Corrupt},
		"a registry that is too slow":        {onBlobs(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }), "HOST/bundles/memo:v1", image.Unreachable},
	}
	for title, c := range cases {
		t.Run(title, func(t *testing.T) {
			armed := false
			host := serve(t, func(w http.ResponseWriter, r *http.Request) bool { return armed && c.before != nil && c.before(w, r) })
			push(t, host+"/bundles/memo:v1", content(t, map[string]string{"manifests/csv.yaml": strings.Repeat("content ", 4096)}))
			armed = true
			limits := image.DefaultLimits()
			limits.Time = 300 * time.Millisecond
			fetcher := image.New(image.Config{Limits: limits})
			ref := strings.Replace(c.ref, "HOST", host, 1)
			pinned, err := fetcher.Resolve(t.Context(), image.Source{Ref: ref})
			if err == nil {
				_, err = fetcher.Unpack(t.Context(), image.Source{Ref: pinned}, source.Target{Dir: t.TempDir()})
			}
			var fault *image.Error
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want an *image.Error", err)
			}
			if fault.Class != c.want {
				t.Errorf("class is %s, want %s: %v", fault.Class, c.want, err)
			}
			if strings.ContainsAny(err.Error(), "\n") || len(err.Error()) > 1024 {
				t.Errorf("message is not one short line: %q", err)
			}
		})
	}
}

func resetInMidBlob(w http.ResponseWriter, _ *http.Request) {
	connection, buffer, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	_, _ = buffer.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nhalf")
	_ = buffer.Flush()
	_ = connection.Close()
}

func TestFetchRefusesABomb(t *testing.T) {
	host := serve(t, nil)
	ref := host + "/bundles/bomb:v1"
	push(t, ref, content(t, map[string]string{"zeros": string(bytes.Repeat([]byte{0}, 4<<20))}))
	limits := image.DefaultLimits()
	limits.Bytes = 1 << 20
	fetcher := image.New(image.Config{Limits: limits})
	pinned, err := fetcher.Resolve(t.Context(), image.Source{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	var fault *image.Error
	if _, err := fetcher.Unpack(t.Context(), image.Source{Ref: pinned}, source.Target{Dir: t.TempDir()}); !errors.As(err, &fault) || fault.Class != image.Refused {
		t.Errorf("got %v, want a refusal", err)
	}
}

func Example() {
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	server := httptest.NewServer(inner)
	defer server.Close()
	ref := strings.TrimPrefix(server.URL, "http://") + "/bundles/memo:v1"
	img, _ := crane.Image(map[string][]byte{"metadata/annotations.yaml": []byte("annotations: {}")})
	_ = crane.Push(img, ref)

	dir, _ := os.MkdirTemp("", "example")
	defer os.RemoveAll(dir)
	fetcher := image.New(image.Config{})
	pinned, err := fetcher.Resolve(context.Background(), image.Source{Ref: ref})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := fetcher.Unpack(context.Background(), image.Source{Ref: pinned}, source.Target{Dir: dir}); err != nil {
		fmt.Println(err)
		return
	}
	content, _ := os.ReadFile(filepath.Join(dir, "metadata/annotations.yaml"))
	fmt.Printf("%s\n", content)
	// Output: annotations: {}
}
