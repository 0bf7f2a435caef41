package image_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/openshift/platform-operators/pkg/source/image"
)

// descriptor is a blob's entry in a manifest. The library's type does not permit false values.
type descriptor struct {
	MediaType types.MediaType `json:"mediaType"`
	Digest    string          `json:"digest"`
	Size      int             `json:"size"`
	URLs      []string        `json:"urls,omitempty"`
}

func describe(blob []byte) descriptor {
	return descriptor{MediaType: types.OCILayer, Digest: digestOf(blob), Size: len(blob)}
}

func digestOf(blob []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(blob)) }

func manifest(t testing.TB, config descriptor, layers ...descriptor) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": types.OCIManifestSchema1, "config": config, "layers": layers})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// lying starts a registry that answers every request for a manifest with the given one, and serves the blobs by their digest.
func lying(t testing.TB, manifest []byte, blobs ...[]byte) (host string) {
	return serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		if strings.Contains(r.URL.Path, "/manifests/") {
			w.Header().Set("Content-Type", string(types.OCIManifestSchema1))
			_, _ = w.Write(manifest)
			return true
		}
		for _, blob := range blobs {
			if strings.HasSuffix(r.URL.Path, "/blobs/"+digestOf(blob)) {
				_, _ = w.Write(blob)
				return true
			}
		}
		return false
	})
}

func TestWhatIsHeldInMemoryIsBounded(t *testing.T) {
	cases := map[string]struct {
		repository string
		manifest   string
		want       string
	}{
		"a manifest that is too large":                              {"bundles/memo", strings.Repeat(" ", 9<<20), "more than 8388608 bytes"},
		"one that is too large, in a repository that is called so":  {"bundles/blobs/memo", strings.Repeat(" ", 9<<20), "more than 8388608 bytes"},
		"a manifest of nothing but values, which are large decoded": {"bundles/memo", `{"schemaVersion": 2, "layers": [` + strings.Repeat("0,", 1<<20) + `0]}`, "more than 100000 values"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			host := lying(t, []byte(c.manifest))
			_, err := image.New(image.Config{}).Resolve(t.Context(), image.Source{Ref: host + "/" + c.repository + ":v1"})
			wantClass(t, err, image.UnexpectedResponse, c.want)
		})
	}
}

// TestOtherAddressesOfALayerAreNeverAsked checks that layers are fetched only from the registry. A manifest may list a blob twice, with
// other URLs only in the first entry.
func TestOtherAddressesOfALayerAreNeverAsked(t *testing.T) {
	var asked atomic.Bool
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) bool { asked.Store(true); return false })
	layer := describe([]byte("a layer that the registry does not have"))
	config := layer
	config.URLs = []string{"http://" + elsewhere + "/v2/a/blobs/" + layer.Digest}
	cases := map[string][]byte{
		"in the layer":                     manifest(t, describe(nil), config),
		"in the configuration of its name": manifest(t, config, layer),
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			wantClass(t, fetch(t, image.New(image.Config{}), image.Source{Ref: lying(t, text) + "/bundles/memo:v1"}), image.Refused, "layer 1 of 1")
			if asked.Load() {
				t.Error("another address was asked")
			}
		})
	}
}

func TestArchivesThatCannotBeReadAreTheImagesFault(t *testing.T) {
	cases := map[string][]byte{
		"gzip that breaks off":               {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0},
		"gzip of nothing that it could be":   append([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0}, "garbage that is none"...),
		"zstd with a window of gigabytes":    {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0x00, 0x00},
		"zstd with a block that may not be":  {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58, 0x07, 0x00, 0x00},
		"zstd that breaks off":               {0x28, 0xb5, 0x2f, 0xfd, 0x00},
		"a tar archive of something else":    []byte(strings.Repeat("garbage that is none ", 100)),
		"a tar archive that breaks off":      []byte("half"),
		"zstd whose dictionary is elsewhere": {0x28, 0xb5, 0x2f, 0xfd, 0x01, 0x58, 0x07, 0x01, 0x00, 0x00},
	}
	for name, blob := range cases {
		t.Run(name, func(t *testing.T) {
			host := lying(t, manifest(t, describe([]byte("{}")), describe(blob)), blob)
			wantClass(t, fetch(t, image.New(image.Config{}), image.Source{Ref: host + "/bundles/memo:v1"}), image.Refused, "its tar archive cannot be read")
		})
	}
}

// TestSignedAddressesAreNotTold checks that errors omit the queries of URLs. Registries redirect to storage with credentials in the query.
func TestSignedAddressesAreNotTold(t *testing.T) {
	for _, kind := range []string{"/manifests/", "/blobs/"} {
		t.Run(kind, func(t *testing.T) {
			armed := false
			host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !armed || !strings.Contains(r.URL.Path, kind) {
					return false
				}
				http.Redirect(w, r, "http://127.0.0.1:1/there?X-Amz-Signature=secret", http.StatusTemporaryRedirect)
				return true
			})
			push(t, host+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
			armed = true
			err := fetch(t, image.New(image.Config{}), image.Source{Ref: host + "/bundles/memo:v1"})
			wantClass(t, err, image.Unreachable, "127.0.0.1:1/there")
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the signature is told: %v", err)
			}
		})
	}
}

func TestCredentialsAreNotSentToWhereARegistryRedirects(t *testing.T) {
	var told atomic.Value
	elsewhere := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		told.Store(r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNotFound)
		return true
	})
	host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		if _, _, ok := r.BasicAuth(); !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		if strings.Contains(r.URL.Path, "/manifests/") {
			http.Redirect(w, r, "http://"+elsewhere+r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}
		return false
	})
	client := fake.NewClientset(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "system", Name: "robot"}, Type: corev1.SecretTypeDockerConfigJson, Data: dockerConfig(host, "robot", "secret")})
	fetcher := image.New(image.Config{PullSecrets: &image.PullSecrets{Client: client.CoreV1(), Namespace: "system"}})
	wantClass(t, fetch(t, fetcher, image.Source{Ref: host + "/bundles/memo:v1", PullSecret: "robot"}), image.NotFound)
	if got := told.Load(); got != "" {
		t.Errorf("the other host was told %v, want to be asked without credentials", got)
	}
}

// TestWhatIsNoBlobIsBoundedWhereBlobsAre checks that the bodies of errors and tokens are limited, because they are held in memory, for
// every URL.
func TestWhatIsNoBlobIsBoundedWhereBlobsAre(t *testing.T) {
	endless := func(w http.ResponseWriter) bool {
		_, _ = w.Write([]byte(strings.Repeat(" ", 9<<20)))
		return true
	}
	var armed atomic.Bool
	cases := map[string]func(http.ResponseWriter, *http.Request) bool{
		"the text of an error": func(w http.ResponseWriter, r *http.Request) bool {
			if !armed.Load() || !strings.Contains(r.URL.Path, "/blobs/") {
				return false
			}
			w.WriteHeader(http.StatusInternalServerError)
			return endless(w)
		},
		"a token": func(w http.ResponseWriter, r *http.Request) bool {
			switch {
			case !armed.Load():
				return false
			case r.URL.Path == "/blobs/token":
				return endless(w)
			}
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="http://%s/blobs/token",service="test"`, r.Host))
			w.WriteHeader(http.StatusUnauthorized)
			return true
		},
	}
	for name, answer := range cases {
		t.Run(name, func(t *testing.T) {
			armed.Store(false)
			host := serve(t, answer)
			push(t, host+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
			armed.Store(true)
			wantClass(t, fetch(t, image.New(image.Config{}), image.Source{Ref: host + "/bundles/memo:v1"}), image.UnexpectedResponse, "more than 8388608 bytes")
		})
	}
}
