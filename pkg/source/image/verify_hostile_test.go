//go:build containers_image_openpgp

package image_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/test/signing"
)

// signedBy returns the signature that a key gives a digest under an identity.
func signedBy(t *testing.T, key signing.Key, identity, digest string) signing.Signature {
	t.Helper()
	signed, err := signing.Signer{Key: key}.Sign(identity, digest)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// signatureLayer returns a layer of a signature manifest.
func signatureLayer(of signing.Signature, urls ...string) map[string]any {
	return map[string]any{
		"mediaType": "application/vnd.dev.cosign.simplesigning.v1+json", "digest": digestOf(of.Payload), "size": len(of.Payload), "annotations": of.Annotations, "urls": urls,
	}
}

func signatureManifest(t *testing.T, layers ...map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": map[string]any{"mediaType": "application/vnd.oci.image.config.v1+json", "digest": digestOf([]byte("{}")), "size": 2}, "layers": layers,
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// response is what a hostile registry answers.
type response struct {
	status    int
	mediaType string
	digest    string // the header Docker-Content-Digest
	body      []byte
}

const oci = "application/vnd.oci.image.manifest.v1+json"

// hostile starts a registry that answers with responses, keyed by the end of the path. Each request takes the next one, and the last one remains.
// Without a response, it is an ordinary registry.
func hostile(t *testing.T, responses func(path string) []*response) (host string, requests map[string]int) {
	t.Helper()
	requests = map[string]int{}
	host = serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		all := responses(r.URL.Path)
		if len(all) == 0 {
			return false
		}
		next := all[min(requests[r.URL.Path], len(all)-1)]
		requests[r.URL.Path]++
		if next.mediaType != "" {
			w.Header().Set("Content-Type", next.mediaType)
		}
		if next.digest != "" {
			w.Header().Set("Docker-Content-Digest", next.digest)
		}
		if next.status != 0 {
			w.WriteHeader(next.status)
		}
		_, _ = w.Write(next.body)
		return true
	})
	return host, requests
}

// TestENG_S12_AForgedManifestHasNoSignature checks two ways to present the signature of one manifest for another one, to whoever can push or answer:
// a manifest with a signature inside, whose text is that of the signed one, and a header with the digest of the other one.
func TestENG_S12_AForgedManifestHasNoSignature(t *testing.T) {
	evil := []byte("evil")
	genuine := manifest(t, describe([]byte("{}")), describe([]byte("good")))
	length := len(genuine) - 1
	protected := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"formatLength":%d,"formatTail":%q}`, length, base64.RawURLEncoding.EncodeToString([]byte("}"))))
	layers, err := json.Marshal([]descriptor{describe(evil)})
	if err != nil {
		t.Fatal(err)
	}
	withSignature := fmt.Appendf(nil, `%s,"schemaVersion":1,"mediaType":"","layers":%s,"signatures":[{"header":{"alg":"ES256"},"signature":"x","protected":%q}]}`, genuine[:length], layers, protected)
	plain := manifest(t, describe([]byte("{}")), describe(evil))
	for title, c := range map[string]struct {
		forged    []byte
		manifests []*response
	}{
		"a signature inside": {withSignature, []*response{{mediaType: oci, body: withSignature}}},
		"a header": {plain, []*response{
			{mediaType: "application/vnd.docker.distribution.manifest.v1+prettyjws", digest: digestOf(plain), body: genuine}, {mediaType: oci, body: plain},
		}},
	} {
		t.Run(title, func(t *testing.T) {
			key := newKey(t)
			var host string
			var signature signing.Signature
			host, _ = hostile(t, func(path string) []*response {
				switch {
				case strings.HasSuffix(path, ".sig"):
					return []*response{{mediaType: oci, body: signatureManifest(t, signatureLayer(signature))}}
				case strings.HasSuffix(path, "/blobs/"+digestOf(signature.Payload)):
					return []*response{{body: signature.Payload}}
				case strings.HasSuffix(path, "/blobs/"+digestOf(evil)):
					return []*response{{body: evil}}
				case strings.Contains(path, "/manifests/"):
					return c.manifests
				}
				return nil
			})
			signature = signedBy(t, key, host+"/team/memo", digestOf(genuine))
			fetcher := image.New(image.Config{Registries: settings{policies: policyOf(t, host, key)}})
			from := image.Source{Ref: host + "/team/memo@" + digestOf(c.forged)}
			for range 3 { // an image that was verified once is not verified again
				if _, err := unpack(t, fetcher, from); err == nil {
					t.Fatal("the forged image is unpacked")
				}
				if err := fetcher.Verify(t.Context(), from, digestOf(c.forged)); err == nil {
					t.Fatal("stored files of the forged image are verified")
				}
			}
		})
	}
}

// TestENG_S12_SignaturesAreBounded checks that neither too many nor too large signatures refuse an image whose first ones satisfy the policy, nor
// take more than their share, and that none is read from elsewhere.
func TestENG_S12_SignaturesAreBounded(t *testing.T) {
	asked := 0
	other := serve(t, func(http.ResponseWriter, *http.Request) bool { asked++; return false })
	for title, c := range map[string]struct {
		layers func(good signing.Signature) []map[string]any
		want   string // empty if the image is accepted
	}{
		"the first of many": {func(good signing.Signature) []map[string]any {
			layers := []map[string]any{signatureLayer(good)}
			for range 200 {
				layers = append(layers, signatureLayer(signing.Signature{Payload: []byte("bad"), Annotations: map[string]string{"dev.cosignproject.cosign/signature": "bad"}}))
			}
			return layers
		}, ""},
		"a large payload beside": {func(good signing.Signature) []map[string]any {
			return []map[string]any{signatureLayer(signing.Signature{Payload: make([]byte, 2<<20)}), signatureLayer(good)}
		}, ""},
		"large annotations that count": {func(good signing.Signature) []map[string]any {
			return []map[string]any{signatureLayer(signing.Signature{Payload: []byte("x"), Annotations: map[string]string{"dev.sigstore.cosign/chain": strings.Repeat("a", 2<<20)}}), signatureLayer(good)}
		}, ""},
		"large annotations that nobody reads": {func(good signing.Signature) []map[string]any {
			good.Annotations["other"] = strings.Repeat("a", 2<<20)
			return []map[string]any{signatureLayer(good)}
		}, ""},
		"only too many": {func(good signing.Signature) []map[string]any {
			return []map[string]any{signatureLayer(signing.Signature{Payload: make([]byte, 2<<20)})}
		}, "it has no signature; 1 more signatures or referrers were not read"},
		"elsewhere": {func(good signing.Signature) []map[string]any {
			return []map[string]any{signatureLayer(good, "http://"+other+"/secret")}
		}, "it has no signature; 1 more signatures or referrers were not read"},
	} {
		t.Run(title, func(t *testing.T) {
			key := newKey(t)
			bundle := content(t, map[string]string{"f": "content"})
			digest, err := bundle.Digest()
			if err != nil {
				t.Fatal(err)
			}
			var good signing.Signature
			host, _ := hostile(t, func(path string) []*response {
				switch {
				case strings.HasSuffix(path, ".sig"):
					return []*response{{mediaType: oci, body: signatureManifest(t, c.layers(good)...)}}
				case strings.HasSuffix(path, "/blobs/"+digestOf(good.Payload)):
					return []*response{{body: good.Payload}}
				case strings.HasSuffix(path, "/blobs/"+digestOf([]byte("bad"))):
					return []*response{{body: []byte("bad")}}
				}
				return nil
			})
			good = signedBy(t, key, host+"/team/memo", digest.String())
			pinned := pinnedPush(t, host+"/team/memo:v1", bundle)
			temporary := t.TempDir()
			_, err = unpack(t, image.New(image.Config{Temporary: temporary, Registries: settings{policies: policyOf(t, host, key)}}), image.Source{Ref: pinned})
			if c.want != "" {
				wantClass(t, err, image.Unverified, c.want)
			} else if err != nil {
				t.Error(err)
			}
			if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
				t.Errorf("files are left: %v, %v", left, err)
			}
		})
	}
	if asked > 0 {
		t.Errorf("another host got %d requests", asked)
	}
}

// TestENG_S12_ARefusalNamesThePolicy checks that a registry that answers with errors hides neither the policy nor why the signatures are rejected.
func TestENG_S12_ARefusalNamesThePolicy(t *testing.T) {
	dangling := fmt.Appendf(nil, `{"schemaVersion":2,"manifests":[{"mediaType":%q,"artifactType":"application/vnd.dev.cosign.artifact.sig.v1+json","size":3,"digest":"sha256:%064d"}]}`, oci, 1)
	const index = "application/vnd.oci.image.index.v1+json"
	for title, c := range map[string]struct {
		tag, referrers *response
		isSigned       bool // by others, in the tag
		class          image.Class
		want           string
	}{
		"referrers are not served":     {nil, &response{status: http.StatusMethodNotAllowed}, true, image.Unverified, "cryptographic signature verification failed"},
		"referrers are forbidden":      {nil, &response{status: http.StatusForbidden}, true, image.Unverified, "cryptographic signature verification failed"},
		"referrers fail":               {nil, &response{status: http.StatusInternalServerError}, true, image.Unverified, "cryptographic signature verification failed"},
		"a referrer does not exist":    {nil, &response{mediaType: index, body: dangling}, true, image.Unverified, "cryptographic signature verification failed"},
		"nothing but such a referrer":  {nil, &response{mediaType: index, body: dangling}, false, image.Unverified, "it has no signature; 1 more signatures or referrers were not read"},
		"the tag fails":                {&response{status: http.StatusInternalServerError}, nil, false, image.Unreachable, "its signatures cannot be read: its signature tag: the registry answered 500 Internal Server Error"},
		"the tag is no manifest":       {&response{mediaType: oci, body: []byte("{")}, nil, false, image.Unverified, "the signature manifest cannot be read: "},
		"the tag is a page":            {&response{mediaType: "text/html", body: []byte("<html>")}, nil, false, image.UnexpectedResponse, "HTML page"},
		"nothing but failing requests": {nil, &response{status: http.StatusInternalServerError}, false, image.Unreachable, "its signatures cannot be read: its referrers: the registry answered 500 Internal Server Error"},
	} {
		t.Run(title, func(t *testing.T) {
			host, _ := hostile(t, func(path string) []*response {
				switch {
				case strings.HasSuffix(path, ".sig") && c.tag != nil:
					return []*response{c.tag}
				case strings.Contains(path, "/referrers/") && c.referrers != nil:
					return []*response{c.referrers}
				}
				return nil
			})
			pinned := pinnedPush(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
			if c.isSigned {
				sign(t, signing.ByTag, newKey(t), pinned, host+"/team/memo")
			}
			_, err := unpack(t, image.New(image.Config{Registries: settings{policies: policyOf(t, host, newKey(t))}}), image.Source{Ref: pinned})
			wantClass(t, err, c.class, `the image does not satisfy ClusterImagePolicy "signed": `, c.want)
		})
	}
}

// TestENG_S12_AReferrerSufficesIfTheTagFails checks that a tag that cannot be read does not hide a referrer.
func TestENG_S12_AReferrerSufficesIfTheTagFails(t *testing.T) {
	key := newKey(t)
	host, _ := hostile(t, func(path string) []*response {
		if strings.HasSuffix(path, ".sig") {
			return []*response{{status: http.StatusForbidden}}
		}
		return nil
	})
	pinned := pinnedPush(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
	sign(t, signing.ByReferrer, key, pinned, host+"/team/memo")
	if _, err := unpack(t, image.New(image.Config{Registries: settings{policies: policyOf(t, host, key)}}), image.Source{Ref: pinned}); err != nil {
		t.Error(err)
	}
}

// TestENG_S12_TheRemedyOfAnUnsignedMirrorIsASignature checks that a source registry that is not reached does not hide that the mirror has no signature.
func TestENG_S12_TheRemedyOfAnUnsignedMirrorIsASignature(t *testing.T) {
	bare := serve(t, nil)
	at := pinnedPush(t, bare+"/mirror/memo:v1", content(t, map[string]string{"f": "content"}))
	configured := mirrored("127.0.0.1:1/team", configv1.AllowContactingSource, bare+"/mirror")
	configured.policies = policyOf(t, "127.0.0.1:1/team", newKey(t))
	_, err := unpack(t, image.New(image.Config{Registries: configured}), image.Source{Ref: "127.0.0.1:1/team/memo" + at[strings.Index(at, "@"):]})
	wantClass(t, err, image.Unverified, "every location failed: ", "it has no signature]", "connection refused]", "; sign the image as the policy requires")
}

// TestENG_S12_StoredFilesOfAnotherImageAreFetchedAgain checks that files from an image of an index that does not satisfy the policy, or from an
// unknown image, may be replaced, and that others may not.
func TestENG_S12_StoredFilesOfAnotherImageAreFetchedAgain(t *testing.T) {
	host := serve(t, nil)
	key := newKey(t)
	signed, unsigned := content(t, map[string]string{"f": "signed"}), content(t, map[string]string{"f": "unsigned"})
	index := mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: signed, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}},
		mutate.IndexAddendum{Add: unsigned, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "s390x"}}})
	tag, err := name.NewTag(host + "/team/memo:v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(tag, index); err != nil {
		t.Fatal(err)
	}
	digests := map[string]string{}
	for title, of := range map[string]interface{ Digest() (v1.Hash, error) }{"index": index, "signed": signed, "unsigned": unsigned} {
		digest, err := of.Digest()
		if err != nil {
			t.Fatal(err)
		}
		digests[title] = digest.String()
	}
	sign(t, signing.ByTag, key, host+"/team/memo@"+digests["signed"], host+"/team/memo")
	fetcher := image.New(image.Config{Registries: settings{policies: policyOf(t, host, key)}})
	ofIndex, ofImage := image.Source{Ref: host + "/team/memo@" + digests["index"]}, image.Source{Ref: host + "/team/memo@" + digests["unsigned"]}
	for title, c := range map[string]struct {
		from      image.Source
		digest    string
		isRefetch bool
		isFine    bool
	}{
		"the signed image":      {ofIndex, digests["signed"], false, true},
		"another image":         {ofIndex, digests["unsigned"], true, false},
		"an image that is gone": {ofIndex, "sha256:" + strings.Repeat("a", 64), true, false},
		"an unknown image":      {ofIndex, "", true, false},
		"the image itself":      {ofImage, digests["unsigned"], false, false},
	} {
		err := fetcher.Verify(t.Context(), c.from, c.digest)
		if refetch := (*source.RefetchError)(nil); (err == nil) != c.isFine || errors.As(err, &refetch) != c.isRefetch {
			t.Errorf("%s: got %v", title, err)
		}
	}
}
