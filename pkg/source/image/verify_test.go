//go:build containers_image_openpgp

package image_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/test/signing"
)

// policyOf returns the policy that images in a scope are signed by a key.
func policyOf(t *testing.T, scope string, key signing.Key) imagepolicy.Objects {
	t.Helper()
	public, err := key.Public()
	if err != nil {
		t.Fatal(err)
	}
	return imagepolicy.Objects{Cluster: []*configv1.ClusterImagePolicy{{ObjectMeta: metav1.ObjectMeta{Name: "signed"}, Spec: configv1.ClusterImagePolicySpec{
		Scopes: []configv1.ImageScope{configv1.ImageScope(scope)}, Policy: configv1.ImageSigstoreVerificationPolicy{
			RootOfTrust:    configv1.PolicyRootOfTrust{PolicyType: configv1.PublicKeyRootOfTrust, PublicKey: &configv1.ImagePolicyPublicKeyRootOfTrust{KeyData: public}},
			SignedIdentity: &configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyMatchRepository},
		},
	}}}}
}

func newKey(t *testing.T) signing.Key {
	t.Helper()
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// pinnedPush pushes an image, and returns its reference by digest.
func pinnedPush(t *testing.T, tag string, bundle v1.Image) string {
	t.Helper()
	push(t, tag, bundle)
	digest, err := bundle.Digest()
	if err != nil {
		t.Fatal(err)
	}
	repository, _, _ := strings.Cut(tag, ":v")
	return repository + "@" + digest.String()
}

// sign attaches a signature to an image in a registry.
func sign(t *testing.T, how signing.Attachment, key signing.Key, pinned, identity string) {
	t.Helper()
	at, err := name.NewDigest(pinned, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signing.Signer{Key: key}.Sign(identity, at.DigestStr())
	if err != nil {
		t.Fatal(err)
	}
	if err := signing.Attach(at, how, []signing.Signature{signed}); err != nil {
		t.Fatal(err)
	}
}

// unpack unpacks a source, and returns the origin of the files.
func unpack(t *testing.T, fetcher *image.Fetcher, from image.Source) (source.Origin, error) {
	t.Helper()
	dir := t.TempDir()
	origin, err := fetcher.Unpack(t.Context(), from, source.Target{Dir: dir})
	left, readErr := os.ReadDir(dir)
	if readErr != nil || (len(left) > 0) != (err == nil) {
		t.Errorf("files %v were written (%v), with error %v", left, readErr, err)
	}
	return origin, err
}

// Promise ENG-S12: The manager reads a bundle image only after its signatures satisfy the ClusterImagePolicy or ImagePolicy that applies to it, by
// the rules of CRI-O. The signatures may be in a tag or in referrers. A refusal names the policy. An image is verified once for each digest and
// policy.
func TestENG_S12_AnImageIsReadOnlyIfItsSignaturesSatisfyThePolicy(t *testing.T) {
	for title, c := range map[string]struct {
		how      signing.Attachment
		options  []registry.Option
		requests int // for the manifest, signatures, and layers
	}{
		"by a tag":                            {how: signing.ByTag},
		"by a referrer":                       {how: signing.ByReferrer, options: []registry.Option{registry.WithReferrersSupport(true)}},
		"by a referrer, without referrer API": {how: signing.ByReferrer},
	} {
		t.Run(title, func(t *testing.T) {
			var blobs, others int
			host := serve(t, func(_ http.ResponseWriter, r *http.Request) bool {
				switch {
				case strings.Contains(r.URL.Path, "/blobs/"):
					blobs++
				case r.URL.Path != "/v2/":
					others++
				}
				return false
			}, c.options...)
			key := newKey(t)
			pinned := pinnedPush(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
			fetcher := image.New(image.Config{Registries: settings{policies: policyOf(t, host, key)}})
			from := image.Source{Ref: pinned}
			blobs = 0
			_, err := unpack(t, fetcher, from)
			wantClass(t, err, image.Unverified, `: the image does not satisfy ClusterImagePolicy "signed": it has no signature; `)
			sign(t, c.how, newKey(t), pinned, host+"/team/memo")
			if blobs > 0 {
				t.Errorf("%d blobs were read", blobs)
			}
			_, err = unpack(t, fetcher, from)
			wantClass(t, err, image.Unverified, "cryptographic signature verification failed")
			sign(t, c.how, key, pinned, host+"/team/memo")
			origin, err := unpack(t, fetcher, from)
			if digest := pinned[strings.Index(pinned, "@")+1:]; err != nil || origin != (source.Origin{ImageDigest: digest}) {
				t.Errorf("got %+v, %v", origin, err)
			}
			others = 0
			if err := fetcher.Verify(t.Context(), from, origin.ImageDigest); err != nil || others > 0 {
				t.Errorf("what was verified is verified again with %d requests, error %v", others, err)
			}
			if _, err := unpack(t, fetcher, from); err != nil || others != 1 {
				t.Errorf("what was verified is pulled again with %d requests, error %v, want 1", others, err)
			}
		})
	}
}

// TestENG_S12_TheSelectedImageOfAnIndexMustBeSigned checks that a signature of the index alone does not suffice, as in CRI-O.
func TestENG_S12_TheSelectedImageOfAnIndexMustBeSigned(t *testing.T) {
	host := serve(t, nil)
	key := newKey(t)
	child := content(t, map[string]string{"f": "content"})
	index := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: child, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "s390x"}}})
	tag, err := name.NewTag(host + "/team/memo:v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(tag, index); err != nil {
		t.Fatal(err)
	}
	digest, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	ofChild, err := child.Digest()
	if err != nil {
		t.Fatal(err)
	}
	from := image.Source{Ref: host + "/team/memo@" + digest.String()}
	fetcher := image.New(image.Config{Registries: settings{policies: policyOf(t, host, key)}})
	sign(t, signing.ByTag, key, from.Ref, host+"/team/memo")
	_, err = unpack(t, fetcher, from)
	wantClass(t, err, image.Unverified, "it has no signature (image "+ofChild.String()+" of the index)")
	sign(t, signing.ByTag, key, host+"/team/memo@"+ofChild.String(), host+"/team/memo")
	origin, err := unpack(t, fetcher, from)
	if err != nil || origin.ImageDigest != ofChild.String() {
		t.Errorf("got %+v, %v", origin, err)
	}
}

// TestENG_S12_SignaturesAreThoseOfTheMirror checks that the mirror has the signatures, that the name of the image counts, and that a mirror without
// signatures is passed over.
func TestENG_S12_SignaturesAreThoseOfTheMirror(t *testing.T) {
	bare, signed := serve(t, nil), serve(t, nil)
	key := newKey(t)
	bundle := content(t, map[string]string{"f": "content"})
	push(t, bare+"/mirror/memo:v1", bundle)
	at := pinnedPush(t, signed+"/mirror/memo:v1", bundle)
	digest := at[strings.Index(at, "@"):]
	configured := mirrored("quay.io/team", configv1.NeverContactSource, bare+"/mirror", signed+"/mirror")
	configured.policies = policyOf(t, "quay.io/team", key)
	fetcher := image.New(image.Config{Registries: configured})
	from := image.Source{Ref: "quay.io/team/memo" + digest}
	sign(t, signing.ByTag, key, at, signed+"/mirror/memo")
	_, err := unpack(t, fetcher, from)
	wantClass(t, err, image.Unverified, "it has no signature]", fmt.Sprintf("Signature for identity %q is not accepted", signed+"/mirror/memo"))
	sign(t, signing.ByTag, key, at, "quay.io/team/memo")
	if origin, err := unpack(t, fetcher, from); err != nil || origin.Mirror != signed+"/mirror/memo"+digest {
		t.Errorf("got %+v, %v", origin, err)
	}
}

// TestENG_S12_ImagePoliciesApplyInTheirNamespace checks that an ImagePolicy applies to bundles that are installed in its namespace.
func TestENG_S12_ImagePoliciesApplyInTheirNamespace(t *testing.T) {
	host := serve(t, nil)
	pinned := pinnedPush(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
	cluster := policyOf(t, host, newKey(t)).Cluster[0]
	ofNamespace := func(namespace string) *configv1.ImagePolicy {
		return &configv1.ImagePolicy{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "signed"},
			Spec:       configv1.ImagePolicySpec{Scopes: cluster.Spec.Scopes, Policy: cluster.Spec.Policy},
		}
	}
	fetcher := image.New(image.Config{
		Registries:  settings{policies: imagepolicy.Objects{Namespaced: []*configv1.ImagePolicy{ofNamespace("tenant"), ofNamespace("manager")}}},
		PullSecrets: &image.PullSecrets{Namespace: "manager"},
	})
	for namespace, policy := range map[string]string{"tenant": "tenant", "": "manager", "other": ""} {
		_, err := unpack(t, fetcher, image.Source{Ref: pinned, PolicyNamespace: namespace})
		if policy != "" {
			wantClass(t, err, image.Unverified, fmt.Sprintf("does not satisfy ImagePolicy %q", policy+"/signed"))
		} else if err != nil {
			t.Errorf("namespace %q: %v", namespace, err)
		}
	}
}

// TestENG_S12_ATagIsComparedWithTheIdentity checks that an image by tag must be signed under this tag, also when it is pulled by digest.
func TestENG_S12_ATagIsComparedWithTheIdentity(t *testing.T) {
	host := serve(t, nil)
	key := newKey(t)
	pinned := pinnedPush(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
	policies := policyOf(t, host, key)
	policies.Cluster[0].Spec.Policy.SignedIdentity = nil
	fetcher := image.New(image.Config{Registries: settings{policies: policies}})
	tagged := image.Source{Ref: host + "/team/memo:v1"}
	sign(t, signing.ByTag, key, pinned, host+"/team/memo:v2")
	_, err := unpack(t, fetcher, tagged.At(pinned))
	wantClass(t, err, image.Unverified, "memo:v2\" is not accepted")
	if _, err := unpack(t, fetcher, image.Source{Ref: pinned}); err != nil {
		t.Errorf("by digest: %v", err)
	}
	sign(t, signing.ByTag, key, pinned, host+"/team/memo:v1")
	if _, err := unpack(t, fetcher, tagged.At(pinned)); err != nil {
		t.Errorf("by tag: %v", err)
	}
}

// TestENG_S12_NoRequestWithoutAValidPolicy checks that nothing is pulled while a policy is invalid, or the policies are not known.
func TestENG_S12_NoRequestWithoutAValidPolicy(t *testing.T) {
	requests := 0
	host := serve(t, func(http.ResponseWriter, *http.Request) bool { requests++; return false })
	pinned := pinnedPush(t, host+"/team/memo:v1", content(t, map[string]string{"f": "content"}))
	requests = 0
	invalid := policyOf(t, host, newKey(t))
	invalid.Cluster[0].Spec.Policy.RootOfTrust.PublicKey.KeyData = []byte("no key")
	for want, configured := range map[string]settings{
		`ClusterImagePolicy "signed" is invalid: spec.policy.rootOfTrust.publicKey.keyData has no public key in PEM format`: {policies: invalid},
		"not listed": {unread: errors.New("not listed")},
	} {
		fetcher := image.New(image.Config{Registries: configured})
		_, err := unpack(t, fetcher, image.Source{Ref: pinned})
		wantClass(t, err, image.RegistryConfig, want)
		wantClass(t, fetcher.Verify(context.Background(), image.Source{Ref: pinned}, ""), image.RegistryConfig, want)
	}
	if requests > 0 {
		t.Errorf("%d requests", requests)
	}
}
