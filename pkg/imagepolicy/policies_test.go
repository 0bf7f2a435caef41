package imagepolicy_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/pkg/imagepolicy"
	"github.com/openshift/platform-operators/test/signing"
)

// keys returns the public key of a new key, and the certificate of a new authority, in PEM.
func keys(t *testing.T) (key, certificate []byte) {
	t.Helper()
	made, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	if key, err = made.Public(); err != nil {
		t.Fatal(err)
	}
	authority, err := signing.NewAuthority(time.Unix(1000, 0))
	if err != nil {
		t.Fatal(err)
	}
	return key, authority.Certificate()
}

func byKey(key []byte) configv1.ImageSigstoreVerificationPolicy {
	return configv1.ImageSigstoreVerificationPolicy{RootOfTrust: configv1.PolicyRootOfTrust{
		PolicyType: configv1.PublicKeyRootOfTrust, PublicKey: &configv1.ImagePolicyPublicKeyRootOfTrust{KeyData: key},
	}}
}

func cluster(name string, policy configv1.ImageSigstoreVerificationPolicy, scopes ...configv1.ImageScope) *configv1.ClusterImagePolicy {
	return &configv1.ClusterImagePolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: configv1.ClusterImagePolicySpec{Scopes: scopes, Policy: policy}}
}

func namespaced(namespace, name string, policy configv1.ImageSigstoreVerificationPolicy, scopes ...configv1.ImageScope) *configv1.ImagePolicy {
	return &configv1.ImagePolicy{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: configv1.ImagePolicySpec{Scopes: scopes, Policy: policy}}
}

// TestENG_S12_WhichPolicyAppliesToAnImage checks that the most specific scope of the ClusterImagePolicies applies and, if there is none, that of the
// ImagePolicies in the namespace.
func TestENG_S12_WhichPolicyAppliesToAnImage(t *testing.T) {
	key, _ := keys(t)
	policy := byKey(key)
	policies := imagepolicy.New(imagepolicy.Objects{
		Cluster: []*configv1.ClusterImagePolicy{
			cluster("registry", policy, "quay.io", "*.example.com", "docker.io/library"),
			cluster("repository", policy, "quay.io/team/memo"),
			cluster("both", policy, "quay.io/team/memo"),
			cluster("tag", policy, "quay.io/team/memo:v2"),
		},
		Namespaced: []*configv1.ImagePolicy{
			namespaced("a", "narrow", policy, "quay.io/team/memo:v1", "registry.local:5000/team"),
			namespaced("b", "other", policy, "registry.local:5000/team/memo", "registry.local:5000/team/memo"),
		},
	})
	digest := "@sha256:" + strings.Repeat("a", 64)
	for _, c := range []struct{ image, namespace, want string }{
		{"quay.io/team/memo" + digest, "a", `ClusterImagePolicy "both" and ClusterImagePolicy "repository" (scope "quay.io/team/memo")`},
		{"quay.io/team/memo:v1", "a", `ClusterImagePolicy "both" and ClusterImagePolicy "repository" (scope "quay.io/team/memo")`},
		{"quay.io/team/memo:v2", "a", `ClusterImagePolicy "tag" (scope "quay.io/team/memo:v2")`},
		{"quay.io/team/memorandum:v1", "a", `ClusterImagePolicy "registry" (scope "quay.io")`},
		{"QUAY.io/team/memorandum:v1", "", `ClusterImagePolicy "registry" (scope "quay.io")`},
		{"quay.io:443/team/memo:v1", "a", ""},
		{"a.b.example.com:5000/team/x:v1", "", `ClusterImagePolicy "registry" (scope "*.example.com")`},
		{"example.com/team/x:v1", "", ""},
		{"busybox", "", `ClusterImagePolicy "registry" (scope "docker.io/library")`},
		{"registry.local:5000/team/memo" + digest, "a", `ImagePolicy "a/narrow" (scope "registry.local:5000/team")`},
		{"registry.local:5000/team/memo" + digest, "b", `ImagePolicy "b/other" (scope "registry.local:5000/team/memo")`},
		{"registry.local:5000/team/memo" + digest, "c", ""},
	} {
		parsed, err := name.ParseReference(c.image)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if found := policies.For(parsed, c.namespace); found != nil {
			got = fmt.Sprintf("%s (scope %q)", found, found.Scope)
			if found.Problem != "" {
				t.Errorf("%s: it has a problem: %s", c.image, found.Problem)
			}
			var required []any
			if err := json.Unmarshal([]byte(found.Requirements), &required); err != nil || len(required) != 1 { // all require the same
				t.Errorf("%s: the requirements of %q are %s", c.image, found.Objects, found.Requirements)
			}
		}
		if got != c.want {
			t.Errorf("%s in namespace %q: got %s, want %s", c.image, c.namespace, got, c.want)
		}
	}
	if len(policies.Problems()) > 0 {
		t.Errorf("problems: %q", policies.Problems())
	}
	if image, _ := name.ParseReference("quay.io/a/b"); (*imagepolicy.Policies)(nil).For(image, "a") != nil {
		t.Error("without policies, a policy applies")
	}
}

// TestENG_S12_WhatAPolicyRequires checks the requirements of each kind of policy.
func TestENG_S12_WhatAPolicyRequires(t *testing.T) {
	key, certificate := keys(t)
	image, err := name.ParseReference("quay.io/team/memo:v1")
	if err != nil {
		t.Fatal(err)
	}
	with := func(change func(*configv1.ImageSigstoreVerificationPolicy)) configv1.ImageSigstoreVerificationPolicy {
		policy := byKey(key)
		change(&policy)
		return policy
	}
	root := func(root configv1.PolicyRootOfTrust) configv1.ImageSigstoreVerificationPolicy {
		return configv1.ImageSigstoreVerificationPolicy{RootOfTrust: root}
	}
	subject := configv1.PolicyFulcioSubject{OIDCIssuer: "https://issuer.example", SignedEmail: "team@example.com"}
	mail := configv1.PKICertificateSubject{Email: "team@example.com"}
	type object = map[string]any
	text := base64.StdEncoding.EncodeToString
	exact := object{"type": "matchRepoDigestOrExact"}
	for name, c := range map[string]struct {
		policy  configv1.ImageSigstoreVerificationPolicy
		want    object
		problem string
	}{
		"a key": {policy: byKey(key), want: object{"keyData": text(key), "signedIdentity": exact}},
		"a key and a log": {
			policy: with(func(p *configv1.ImageSigstoreVerificationPolicy) { p.RootOfTrust.PublicKey.RekorKeyData = key }),
			want:   object{"keyData": text(key), "rekorPublicKeyData": text(key), "signedIdentity": exact},
		},
		"without keys": {
			policy: root(configv1.PolicyRootOfTrust{PolicyType: configv1.FulcioCAWithRekorRootOfTrust, FulcioCAWithRekor: &configv1.ImagePolicyFulcioCAWithRekorRootOfTrust{
				FulcioCAData: certificate, RekorKeyData: key, FulcioSubject: subject,
			}}),
			want: object{
				"fulcio":             object{"caData": text(certificate), "oidcIssuer": subject.OIDCIssuer, "subjectEmail": subject.SignedEmail},
				"rekorPublicKeyData": text(key), "signedIdentity": exact,
			},
		},
		"certificates": {
			policy: root(configv1.PolicyRootOfTrust{PolicyType: configv1.PKIRootOfTrust, PKI: &configv1.ImagePolicyPKIRootOfTrust{
				CertificateAuthorityRootsData: certificate, CertificateAuthorityIntermediatesData: certificate, PKICertificateSubject: mail,
			}}),
			want: object{"pki": object{"caRootsData": text(certificate), "caIntermediatesData": text(certificate), "subjectEmail": mail.Email}, "signedIdentity": exact},
		},
		"the same repository": {
			policy: with(func(p *configv1.ImageSigstoreVerificationPolicy) {
				p.SignedIdentity = &configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyMatchRepository}
			}),
			want: object{"keyData": text(key), "signedIdentity": object{"type": "matchRepository"}},
		},
		"another repository": {
			policy: with(func(p *configv1.ImageSigstoreVerificationPolicy) {
				p.SignedIdentity = &configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyExactRepository, PolicyMatchExactRepository: &configv1.PolicyMatchExactRepository{Repository: "quay.io/x"}}
			}),
			want: object{"keyData": text(key), "signedIdentity": object{"type": "exactRepository", "dockerRepository": "quay.io/x"}},
		},
		"another prefix": {
			policy: with(func(p *configv1.ImageSigstoreVerificationPolicy) {
				p.SignedIdentity = &configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyRemapIdentity, PolicyMatchRemapIdentity: &configv1.PolicyMatchRemapIdentity{Prefix: "quay.io", SignedPrefix: "up.io"}}
			}),
			want: object{"keyData": text(key), "signedIdentity": object{"type": "remapIdentity", "prefix": "quay.io", "signedPrefix": "up.io"}},
		},
		"no key":            {policy: byKey([]byte("no key")), problem: "rootOfTrust.publicKey.keyData has no public key in PEM format"},
		"a key cut in half": {policy: byKey([]byte("-----BEGIN PUBLIC KEY-----\nMFkwEwYH\n-----END PUBLIC KEY-----\n")), problem: "rootOfTrust.publicKey.keyData has a public key that cannot be read"},
		"a certificate for a log": {
			policy:  with(func(p *configv1.ImageSigstoreVerificationPolicy) { p.RootOfTrust.PublicKey.RekorKeyData = certificate }),
			problem: "rootOfTrust.publicKey.rekorKeyData has a public key that cannot be read",
		},
		"a type without its field": {policy: root(configv1.PolicyRootOfTrust{PolicyType: configv1.PKIRootOfTrust}), problem: `rootOfTrust.pki is missing; policyType "PKI" requires it`},
		"an unknown type":          {policy: root(configv1.PolicyRootOfTrust{PolicyType: "GPG"}), problem: `rootOfTrust.policyType "GPG" is unknown; use PublicKey, FulcioCAWithRekor or PKI`},
		"no certificate": {
			policy: root(configv1.PolicyRootOfTrust{PolicyType: configv1.PKIRootOfTrust, PKI: &configv1.ImagePolicyPKIRootOfTrust{
				CertificateAuthorityRootsData: key, PKICertificateSubject: mail,
			}}),
			problem: "rootOfTrust.pki.caRootsData has no certificate in PEM format",
		},
		"anybody": {
			policy:  root(configv1.PolicyRootOfTrust{PolicyType: configv1.PKIRootOfTrust, PKI: &configv1.ImagePolicyPKIRootOfTrust{CertificateAuthorityRootsData: certificate}}),
			problem: "rootOfTrust.pki.pkiCertificateSubject needs email or hostname",
		},
		"no log": {
			policy: root(configv1.PolicyRootOfTrust{PolicyType: configv1.FulcioCAWithRekorRootOfTrust, FulcioCAWithRekor: &configv1.ImagePolicyFulcioCAWithRekorRootOfTrust{
				FulcioCAData: certificate, FulcioSubject: subject,
			}}),
			problem: "rootOfTrust.fulcioCAWithRekor.rekorKeyData is missing",
		},
		"an unknown identity": {
			policy: with(func(p *configv1.ImageSigstoreVerificationPolicy) {
				p.SignedIdentity = &configv1.PolicyIdentity{MatchPolicy: "Any"}
			}),
			problem: `signedIdentity.matchPolicy "Any" is unknown; use `,
		},
		"an identity without its field": {
			policy: with(func(p *configv1.ImageSigstoreVerificationPolicy) {
				p.SignedIdentity = &configv1.PolicyIdentity{MatchPolicy: configv1.IdentityMatchPolicyRemapIdentity}
			}),
			problem: `signedIdentity.remapIdentity is missing; matchPolicy "RemapIdentity" requires it`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			good := cluster("good", byKey(key), "quay.io")
			policies := imagepolicy.New(imagepolicy.Objects{Cluster: []*configv1.ClusterImagePolicy{good, cluster("a", c.policy, "quay.io/team")}})
			found := policies.For(image, "")
			if c.problem != "" {
				want := `ClusterImagePolicy "a" is invalid: spec.policy.` + c.problem
				if !strings.HasPrefix(found.Problem, want) || found.Requirements != "" {
					t.Errorf("got %+v, want problem %s", found, want)
				}
				if all := policies.Problems(); len(all) != 1 || !strings.HasPrefix(all[0], want) || !strings.HasSuffix(all[0], "; the manager pulls no image of its scopes until you correct it.") {
					t.Errorf("problems: %q", all)
				}
				return
			}
			var got []object
			if err := json.Unmarshal([]byte(found.Requirements), &got); err != nil {
				t.Fatal(err)
			}
			c.want["type"] = "sigstoreSigned"
			if diff := cmp.Diff([]object{c.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestENG_S12_AnInvalidPolicyIsNotReplacedByAValidOne checks that no image of a scope is accepted while one of its objects is invalid.
func TestENG_S12_AnInvalidPolicyIsNotReplacedByAValidOne(t *testing.T) {
	key, _ := keys(t)
	image, err := name.ParseReference("quay.io/team/memo:v1")
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} {
		found := imagepolicy.New(imagepolicy.Objects{Cluster: []*configv1.ClusterImagePolicy{
			cluster(names[0], byKey(key), "quay.io/team"), cluster(names[1], byKey(nil), "quay.io/team"), cluster("c", byKey(nil), "quay.io/team"), cluster("registry", byKey(key), "quay.io"),
		}}).For(image, "")
		if !strings.HasPrefix(found.Problem, `ClusterImagePolicy "`+names[1]+`" is invalid: `) || found.Requirements != "" {
			t.Errorf("%v: got %+v", names, found)
		}
	}
}

// TestENG_S12_PoliciesOfOneScopeAreLimited checks that equal requirements count once, and that too many different ones are a problem.
func TestENG_S12_PoliciesOfOneScopeAreLimited(t *testing.T) {
	image, err := name.ParseReference("quay.io/team/memo:v1")
	if err != nil {
		t.Fatal(err)
	}
	var objects imagepolicy.Objects
	for i := range 16 {
		key, _ := keys(t)
		objects.Namespaced = append(objects.Namespaced, namespaced("tenant", fmt.Sprintf("%02d", i), byKey(key), "quay.io"), namespaced("tenant", fmt.Sprintf("%02d-again", i), byKey(key), "quay.io"))
	}
	found := imagepolicy.New(objects).For(image, "tenant")
	var required []any
	if err := json.Unmarshal([]byte(found.Requirements), &required); err != nil || len(required) != 16 || found.String() != `ImagePolicy "tenant/00" and ImagePolicy "tenant/00-again" and 30 more` {
		t.Errorf("%d requirements of %s, %v", len(required), found, err)
	}
	key, _ := keys(t)
	objects.Namespaced = append(objects.Namespaced, namespaced("tenant", "99", byKey(key), "quay.io"))
	policies := imagepolicy.New(objects)
	if found := policies.For(image, "tenant"); found.Problem != `more than 16 different policies have scope "quay.io", among them ImagePolicy "tenant/99"` || found.Requirements != "" {
		t.Errorf("got %q", found.Problem)
	}
	if len(policies.Problems()) > 0 {
		t.Errorf("the problems of a namespace are told to the cluster: %q", policies.Problems())
	}
}
