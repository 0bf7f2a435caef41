//go:build containers_image_openpgp

package mirrors_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"go.podman.io/image/v5/docker"
	imagesource "go.podman.io/image/v5/image"
	"go.podman.io/image/v5/manifest"
	"go.podman.io/image/v5/signature"
	"go.podman.io/image/v5/types"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/pkg/mirrors"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/source/image"
	peer "github.com/openshift/platform-operators/test/mirrors"
	"github.com/openshift/platform-operators/test/signing"
)

func newOwner(t *testing.T) signing.Owner {
	t.Helper()
	owner, err := signing.NewOwner(time.Now().Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return owner
}

const (
	mail   = "team@example.com"
	issuer = "https://issuer.example"
)

// caseGenerator makes random cases: images in registries, signers and policies.
type caseGenerator struct {
	random         *rand.Rand
	origin, mirror string // registries
	owners         [2]signing.Owner
}

// choose returns one of the values.
func choose[T any](g *caseGenerator, values ...T) T { return values[g.random.IntN(len(values))] }

// staticConfiguration is the configuration of a cluster that does not change. It implements image.RegistryConfiguration.
type staticConfiguration struct {
	sets     mirrors.Objects
	policies imagepolicy.Objects
}

func (s staticConfiguration) Rules(context.Context) (*mirrors.Rules, error) {
	return mirrors.New(s.sets), nil
}

func (s staticConfiguration) Authorities(context.Context, string) (*x509.CertPool, error) {
	return nil, nil
}

func (s staticConfiguration) Policies(context.Context) (*imagepolicy.Policies, error) {
	return imagepolicy.New(s.policies), nil
}

// TestENG_S12_CRIOAcceptsTheSameImages checks for random policies, signatures, references and mirrors that a bundle image is accepted exactly if
// CRI-O's library accepts it by the policy of the machine-config operator, as Policy writes it. The signatures are in signature tags, because the
// library reads no others.
func TestENG_S12_CRIOAcceptsTheSameImages(t *testing.T) {
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	t.Logf("-seed=%d chooses the same cases again", *seed)
	serve := func() string {
		server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
		t.Cleanup(server.Close)
		return strings.TrimPrefix(server.URL, "http://")
	}
	g := &caseGenerator{random: rand.New(rand.NewPCG(*seed, 1)), origin: serve(), mirror: serve(), owners: [2]signing.Owner{newOwner(t), newOwner(t)}}
	const cases = 400
	allowed, verified := 0, 0
	for i := range cases {
		c := g.newCase(t, fmt.Sprintf("memo%d", i))
		want := c.checkCRIO(t)
		got := c.checkManager(t)
		if (got == nil) != (want == nil) {
			t.Fatalf("case %d: %s\nmanager: %v\nCRI-O: %v", i, c, got, want)
		}
		if want == nil {
			allowed++
		}
		if parsed, err := name.ParseReference(c.reference); err == nil && imagepolicy.New(c.configuration.policies).For(parsed, "tenant") != nil && want == nil {
			verified++
		}
	}
	if allowed < cases/10 || cases-allowed < cases/10 || verified < cases/20 {
		t.Errorf("of %d images, %d are accepted, %d of them by a policy: too few to compare", cases, allowed, verified)
	}
}

// signedImage is an image in a registry with policies that may hold for it.
type signedImage struct {
	// reference is the image as the user names it.
	reference     string
	configuration staticConfiguration
	signatures    []string
}

// String describes the case.
func (c signedImage) String() string {
	text := fmt.Sprintf("%s, signed %q, with %d mirrors", c.reference, c.signatures, len(c.configuration.sets.DigestMirrorSets))
	for _, each := range c.configuration.policies.Cluster {
		text += fmt.Sprintf("\n%s %q %s %+v", each.Name, each.Spec.Scopes, each.Spec.Policy.RootOfTrust.PolicyType, each.Spec.Policy.SignedIdentity)
	}
	for _, each := range c.configuration.policies.Namespaced {
		text += fmt.Sprintf("\n%s/%s %q %s %+v", each.Namespace, each.Name, each.Spec.Scopes, each.Spec.Policy.RootOfTrust.PolicyType, each.Spec.Policy.SignedIdentity)
	}
	return text
}

// newCase pushes an image, signs it, and chooses policies.
func (g *caseGenerator) newCase(t *testing.T, repository string) signedImage {
	t.Helper()
	c := signedImage{configuration: staticConfiguration{sets: mirrors.Objects{RegistrySources: configv1.RegistrySources{InsecureRegistries: []string{g.origin, g.mirror}}}}}
	at, named := g.origin+"/team/"+repository, g.origin+"/team/"+repository
	if choose(g, true, false) {
		at = g.mirror + "/copy/" + repository
		source, location := g.origin+"/team", configv1.ImageMirror(g.mirror+"/copy")
		c.configuration.sets.DigestMirrorSets = []*configv1.ImageDigestMirrorSet{{Spec: configv1.ImageDigestMirrorSetSpec{ImageDigestMirrors: []configv1.ImageDigestMirrors{
			{Source: source, Mirrors: []configv1.ImageMirror{location}, MirrorSourcePolicy: configv1.NeverContactSource},
		}}}}
		c.configuration.sets.TagMirrorSets = []*configv1.ImageTagMirrorSet{{Spec: configv1.ImageTagMirrorSetSpec{ImageTagMirrors: []configv1.ImageTagMirrors{
			{Source: source, Mirrors: []configv1.ImageMirror{location}, MirrorSourcePolicy: configv1.NeverContactSource},
		}}}}
	}
	pushed, instance := g.push(t, at)
	c.reference = named + choose(g, ":v1", "@"+pushed)
	for _, digest := range []string{pushed, instance} {
		if digest == instance || choose(g, true, false) {
			c.signatures = append(c.signatures, g.sign(t, at, digest, named)...)
		}
	}
	for i := range g.random.IntN(3) {
		c.configuration.policies.Cluster = append(c.configuration.policies.Cluster, &configv1.ClusterImagePolicy{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("cluster-%d", i)}, Spec: configv1.ClusterImagePolicySpec{
				Scopes: []configv1.ImageScope{configv1.ImageScope(choose(g, g.origin, g.origin+"/team", named, named+":v1", g.origin+"/other"))}, Policy: g.policy(t, named),
			},
		})
	}
	for i := range g.random.IntN(2) {
		c.configuration.policies.Namespaced = append(c.configuration.policies.Namespaced, &configv1.ImagePolicy{
			ObjectMeta: metav1.ObjectMeta{Namespace: choose(g, "tenant", "other"), Name: fmt.Sprintf("tenant-%d", i)}, Spec: configv1.ImagePolicySpec{
				// A tag as a scope of an ImagePolicy is left out: here, ClusterImagePolicies take precedence over it, too.
				Scopes: []configv1.ImageScope{configv1.ImageScope(choose(g, g.origin, g.origin+"/team", named))}, Policy: g.policy(t, named),
			},
		})
	}
	return c
}

// push pushes an image, or an index with one image, by tag v1. It returns the digest of what is pushed and that of the image.
func (g *caseGenerator) push(t *testing.T, to string) (pushed, instance string) {
	t.Helper()
	bundle, err := random.Image(64, 1)
	if err != nil {
		t.Fatal(err)
	}
	of, err := bundle.Digest()
	if err != nil {
		t.Fatal(err)
	}
	tag, err := name.NewTag(to+":v1", name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	if choose(g, true, false) {
		if err := remote.Write(tag, bundle); err != nil {
			t.Fatal(err)
		}
		return of.String(), of.String()
	}
	index := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: bundle, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}})
	if err := remote.WriteIndex(tag, index); err != nil {
		t.Fatal(err)
	}
	ofIndex, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return ofIndex.String(), of.String()
}

// sign attaches random signatures to what has a digest, and describes them.
func (g *caseGenerator) sign(t *testing.T, at, digest, named string) []string {
	t.Helper()
	var all []signing.Signature
	var described []string
	for range g.random.IntN(3) {
		by := choose(g, 0, 0, 0, 1)
		signer := signing.Signer{Key: g.owners[by].Key}
		text := fmt.Sprintf("key %d", by)
		if choose(g, true, false) {
			authority := choose(g, 0, 0, 0, 1)
			signer.Authority, signer.Email, signer.OIDCIssuer = g.owners[authority].Authority, choose(g, mail, mail, "eve@example.com"), choose(g, issuer, issuer, "")
			text += fmt.Sprintf(" certified by %d for %s by %q", authority, signer.Email, signer.OIDCIssuer)
		}
		if log := choose(g, 0, 0, 0, 1, 2); log < 2 {
			signer.Log = g.owners[log].Log
			text += fmt.Sprintf(" in log %d", log)
		}
		identity := choose(g, named, named+":v1", named+":v2", at, g.origin+"/up")
		signed, err := signer.Sign(identity, digest)
		if err != nil {
			t.Fatal(err)
		}
		all, described = append(all, signed), append(described, text+" as "+identity)
	}
	if len(all) == 0 {
		return nil
	}
	to, err := name.NewDigest(at+"@"+digest, name.Insecure)
	if err != nil {
		t.Fatal(err)
	}
	if err := signing.Attach(to, signing.ByTag, all); err != nil {
		t.Fatal(err)
	}
	return described
}

// policy returns a random policy for an image.
func (g *caseGenerator) policy(t *testing.T, named string) configv1.ImageSigstoreVerificationPolicy {
	t.Helper()
	key, keyErr := g.owners[0].Key.Public()
	log, logErr := g.owners[0].Log.Public()
	if err := errors.Join(keyErr, logErr); err != nil {
		t.Fatal(err)
	}
	authority := g.owners[0].Authority.Certificate()
	root := choose(g,
		configv1.PolicyRootOfTrust{PolicyType: configv1.PublicKeyRootOfTrust, PublicKey: &configv1.ImagePolicyPublicKeyRootOfTrust{KeyData: key}},
		configv1.PolicyRootOfTrust{PolicyType: configv1.PublicKeyRootOfTrust, PublicKey: &configv1.ImagePolicyPublicKeyRootOfTrust{KeyData: key, RekorKeyData: log}},
		configv1.PolicyRootOfTrust{PolicyType: configv1.FulcioCAWithRekorRootOfTrust, FulcioCAWithRekor: &configv1.ImagePolicyFulcioCAWithRekorRootOfTrust{
			FulcioCAData: authority, RekorKeyData: log, FulcioSubject: configv1.PolicyFulcioSubject{OIDCIssuer: issuer, SignedEmail: mail},
		}},
		configv1.PolicyRootOfTrust{PolicyType: configv1.PKIRootOfTrust, PKI: &configv1.ImagePolicyPKIRootOfTrust{
			CertificateAuthorityRootsData: authority, PKICertificateSubject: configv1.PKICertificateSubject{Email: mail},
		}},
	)
	prefix := func(text string) configv1.IdentityRepositoryPrefix { return configv1.IdentityRepositoryPrefix(text) }
	return configv1.ImageSigstoreVerificationPolicy{RootOfTrust: root, SignedIdentity: choose(g,
		nil,
		&configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyMatchRepository},
		&configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyMatchRepository},
		&configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyExactRepository, PolicyMatchExactRepository: &configv1.PolicyMatchExactRepository{Repository: prefix(choose(g, named, g.origin+"/up"))}},
		&configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyRemapIdentity, PolicyMatchRemapIdentity: &configv1.PolicyMatchRemapIdentity{
			Prefix: prefix(choose(g, named, g.origin)), SignedPrefix: prefix(choose(g, g.origin+"/up", g.mirror)),
		}},
	)}
}

// checkManager returns nil if the manager pulls the image for namespace tenant.
func (c signedImage) checkManager(t *testing.T) error {
	t.Helper()
	fetcher := image.New(image.Config{Registries: c.configuration, Platform: v1.Platform{OS: "linux", Architecture: "amd64"}})
	from := image.Source{Ref: c.reference, PolicyNamespace: "tenant"}
	pinned, err := fetcher.Resolve(t.Context(), from)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fetcher.Unpack(t.Context(), from.At(pinned), source.Target{Dir: t.TempDir()})
	if fault := (*image.Error)(nil); errors.As(err, &fault) && fault.Class != image.Unverified {
		t.Fatal(err)
	}
	return err
}

// checkCRIO returns nil if CRI-O's library accepts the image for Pods in namespace tenant.
func (c signedImage) checkCRIO(t *testing.T) error {
	t.Helper()
	dir := t.TempDir()
	conf, attachments := filepath.Join(dir, "registries.conf"), filepath.Join(dir, "registries.d")
	if err := errors.Join(
		os.WriteFile(conf, []byte(peer.Conf(c.configuration.sets)), 0o600), os.Mkdir(attachments, 0o700),
		os.WriteFile(filepath.Join(attachments, "all.yaml"), []byte("default-docker: {use-sigstore-attachments: true}\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	system := &types.SystemContext{
		SystemRegistriesConfPath: conf, SystemRegistriesConfDirPath: t.TempDir(), RegistriesDirPath: attachments, AuthFilePath: filepath.Join(dir, "auth.json"),
		OSChoice: "linux", ArchitectureChoice: "amd64",
	}
	if err := os.WriteFile(system.AuthFilePath, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	var ofNamespace []*configv1.ImagePolicy
	for _, each := range c.configuration.policies.Namespaced {
		if each.Namespace == "tenant" {
			ofNamespace = append(ofNamespace, each)
		}
	}
	policy, err := peer.Policy(c.configuration.policies.Cluster, ofNamespace)
	if err != nil {
		t.Fatal(err)
	}
	reference, err := docker.ParseReference("//" + c.reference)
	if err != nil {
		t.Fatal(err)
	}
	from, err := reference.NewImageSource(t.Context(), system)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	unparsed := imagesource.UnparsedInstance(from, nil)
	raw, mediaType, err := unparsed.Manifest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if manifest.MIMETypeIsMultiImage(mediaType) {
		index, err := manifest.ListFromBlob(raw, mediaType)
		if err != nil {
			t.Fatal(err)
		}
		instance, err := index.ChooseInstance(system)
		if err != nil {
			t.Fatal(err)
		}
		unparsed = imagesource.UnparsedInstance(from, &instance)
	}
	evaluation, err := signature.NewPolicyContext(policy)
	if err != nil {
		t.Fatal(err)
	}
	_, err = evaluation.IsRunningImageAllowed(t.Context(), unparsed)
	return errors.Join(err, evaluation.Destroy())
}
