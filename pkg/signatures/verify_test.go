//go:build containers_image_openpgp

package signatures_test

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/pkg/signatures"
	"github.com/openshift/platform-operators/test/signing"
)

const manifest = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{},"layers":[]}`

var digest = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(manifest)))

const (
	mail   = "team@example.com"
	issuer = "https://issuer.example"
)

func newOwner(t *testing.T) signing.Owner {
	t.Helper()
	owner, err := signing.NewOwner(time.Now().Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	return owner
}

// public returns the public key of a key, as in the JSON of a policy.
func public(t *testing.T, key signing.Key) string {
	t.Helper()
	text, err := key.Public()
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(text)
}

// requirements returns what policies require of an owner's signatures.
func requirements(t *testing.T, o signing.Owner) (byKey, byLog, keyless, byCertificate string) {
	t.Helper()
	authority := base64.StdEncoding.EncodeToString(o.Authority.Certificate())
	byKey = fmt.Sprintf(`{"type":"sigstoreSigned","keyData":%q,"signedIdentity":{"type":"matchRepository"}}`, public(t, o.Key))
	byLog = fmt.Sprintf(`{"type":"sigstoreSigned","keyData":%q,"rekorPublicKeyData":%q,"signedIdentity":{"type":"matchRepository"}}`, public(t, o.Key), public(t, o.Log.Key))
	keyless = fmt.Sprintf(`{"type":"sigstoreSigned","fulcio":{"caData":%q,"oidcIssuer":%q,"subjectEmail":%q},"rekorPublicKeyData":%q,"signedIdentity":{"type":"matchRepository"}}`,
		authority, issuer, mail, public(t, o.Log.Key))
	byCertificate = fmt.Sprintf(`{"type":"sigstoreSigned","pki":{"caRootsData":%q,"subjectEmail":%q},"signedIdentity":{"type":"matchRepository"}}`, authority, mail)
	return byKey, byLog, keyless, byCertificate
}

// TestENG_S12_Signatures checks that a signature counts if its key, its entry in the transparency log, its certificate and the identity in it are
// as the policy requires, and that each requirement must be satisfied.
func TestENG_S12_Signatures(t *testing.T) {
	team, others := newOwner(t), newOwner(t)
	byKey, byLog, keyless, byCertificate := requirements(t, team)
	othersKey, _, _, _ := requirements(t, others)
	sign := func(signer signing.Signer, identity, digest string) signatures.Signature {
		t.Helper()
		signed, err := signer.Sign(identity, digest)
		if err != nil {
			t.Fatal(err)
		}
		return signatures.Signature{MediaType: signatures.MediaType, Payload: signed.Payload, Annotations: signed.Annotations}
	}
	changed := func(of signatures.Signature, change func(*signatures.Signature)) signatures.Signature {
		change(&of)
		return of
	}
	const repository = "quay.io/team/memo"
	plain := sign(signing.Signer{Key: team.Key}, repository, digest)
	logged := sign(signing.Signer{Key: team.Key, Log: team.Log}, repository, digest)
	certified := signing.Signer{Key: team.Key, Authority: team.Authority, Email: mail}
	signed := func(signer signing.Signer) signatures.Signature { return sign(signer, repository, digest) }
	foreign := signed(signing.Signer{Key: others.Key})
	for name, c := range map[string]struct {
		requirements string
		signatures   []signatures.Signature
		refused      string
	}{
		"a key":                               {byKey, []signatures.Signature{plain}, ""},
		"a key, and a signature with more":    {byKey, []signatures.Signature{logged}, ""},
		"the second signature":                {byKey, []signatures.Signature{foreign, plain}, ""},
		"no signature":                        {byKey, nil, "no signature exists"},
		"a signature of others":               {byKey, []signatures.Signature{foreign}, "cryptographic signature verification failed"},
		"a signature of another digest":       {byKey, []signatures.Signature{sign(signing.Signer{Key: team.Key}, repository, "sha256:"+strings.Repeat("a", 64))}, "does not match"},
		"a signature of another repository":   {byKey, []signatures.Signature{sign(signing.Signer{Key: team.Key}, "quay.io/team/other", digest)}, `Signature for identity "quay.io/team/other" is not accepted`},
		"another payload":                     {byKey, []signatures.Signature{changed(plain, func(s *signatures.Signature) { s.Payload = foreign.Payload[:20] })}, "verification failed"},
		"no annotations":                      {byKey, []signatures.Signature{changed(plain, func(s *signatures.Signature) { s.Annotations = nil })}, "missing dev.cosignproject.cosign/signature"},
		"an attestation":                      {byKey, []signatures.Signature{changed(plain, func(s *signatures.Signature) { s.MediaType = "application/vnd.dsse.envelope.v1+json" })}, "no signature exists"},
		"both keys, with one":                 {byKey + "," + othersKey, []signatures.Signature{plain}, "verification failed"},
		"both keys, with both":                {byKey + "," + othersKey, []signatures.Signature{plain, foreign}, ""},
		"a log":                               {byLog, []signatures.Signature{logged}, ""},
		"a log, and no entry":                 {byLog, []signatures.Signature{plain}, "missing dev.sigstore.cosign/bundle"},
		"an entry of another log":             {byLog, []signatures.Signature{signed(signing.Signer{Key: team.Key, Log: others.Log})}, "Rekor SET failed"},
		"an entry of another signature":       {byLog, []signatures.Signature{changed(plain, func(s *signatures.Signature) { s.Annotations = mixed(plain, logged) })}, "signature in Rekor SET does not match"},
		"keyless":                             {keyless, []signatures.Signature{signed(signing.Signer{Key: team.Key, Authority: team.Authority, Email: mail, OIDCIssuer: issuer, Log: team.Log})}, ""},
		"keyless, of somebody else":           {keyless, []signatures.Signature{signed(signing.Signer{Key: team.Key, Authority: team.Authority, Email: "eve@example.com", OIDCIssuer: issuer, Log: team.Log})}, `"team@example.com" not found`},
		"keyless, by another issuer":          {keyless, []signatures.Signature{signed(signing.Signer{Key: team.Key, Authority: team.Authority, Email: mail, OIDCIssuer: "https://other.example", Log: team.Log})}, "Unexpected Fulcio OIDC issuer"},
		"keyless, by another authority":       {keyless, []signatures.Signature{signed(signing.Signer{Key: team.Key, Authority: others.Authority, Email: mail, OIDCIssuer: issuer, Log: team.Log})}, "certificate signed by unknown authority"},
		"keyless, and no entry":               {keyless, []signatures.Signature{signed(signing.Signer{Key: team.Key, Authority: team.Authority, Email: mail, OIDCIssuer: issuer})}, "missing dev.sigstore.cosign/bundle"},
		"a certificate":                       {byCertificate, []signatures.Signature{signed(certified)}, ""},
		"a certificate of another authority":  {byCertificate, []signatures.Signature{signed(signing.Signer{Key: team.Key, Authority: others.Authority, Email: mail})}, "certificate signed by unknown authority"},
		"a certificate, and a bare signature": {byCertificate, []signatures.Signature{plain}, "missing dev.sigstore.cosign/certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			err := signatures.Verify(t.Context(), dir, signatures.Image{
				Reference: repository + "@" + digest, Manifest: []byte(manifest), Digest: digest, Signatures: c.signatures,
			}, "["+c.requirements+"]")
			rejected := (*signatures.RejectedError)(nil)
			switch {
			case c.refused == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.refused != "" && (!errors.As(err, &rejected) || !strings.Contains(err.Error(), c.refused)):
				t.Errorf("got %v, want %q", err, c.refused)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("files are left: %v, %v", left, err)
			}
		})
	}
}

// mixed returns the annotations of one signature with the log entry of another.
func mixed(of, entry signatures.Signature) map[string]string {
	found := map[string]string{"dev.sigstore.cosign/bundle": entry.Annotations["dev.sigstore.cosign/bundle"]}
	for key, value := range of.Annotations {
		found[key] = value
	}
	return found
}

// TestENG_S12_Identities checks which identity in a signature counts for which reference.
func TestENG_S12_Identities(t *testing.T) {
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		match, reference, identity string
		allowed                    bool
	}{
		{`{"type":"matchRepoDigestOrExact"}`, "quay.io/team/memo:v1", "quay.io/team/memo:v1", true},
		{`{"type":"matchRepoDigestOrExact"}`, "quay.io/team/memo:v1", "quay.io/team/memo:v2", false},
		{`{"type":"matchRepoDigestOrExact"}`, "quay.io/team/memo:v1", "quay.io/team/memo", false},
		{`{"type":"matchRepoDigestOrExact"}`, "quay.io/team/memo@" + digest, "quay.io/team/memo:v2", true},
		{`{"type":"matchRepository"}`, "quay.io/team/memo:v1", "quay.io/team/memo", true},
		{`{"type":"matchRepository"}`, "busybox", "docker.io/library/busybox", true},
		{`{"type":"matchRepository"}`, "index.docker.io/library/busybox:v1", "docker.io/library/busybox:v1", true},
		{`{"type":"exactRepository","dockerRepository":"up.io/memo"}`, "quay.io/team/memo:v1", "up.io/memo", true},
		{`{"type":"exactRepository","dockerRepository":"up.io/memo"}`, "quay.io/team/memo:v1", "quay.io/team/memo:v1", false},
		{`{"type":"remapIdentity","prefix":"quay.io/team","signedPrefix":"up.io"}`, "quay.io/team/memo:v1", "up.io/memo:v1", true},
		{`{"type":"remapIdentity","prefix":"quay.io/other","signedPrefix":"up.io"}`, "quay.io/team/memo:v1", "quay.io/team/memo:v1", true},
		{`{"type":"remapIdentity","prefix":"quay.io/team","signedPrefix":"up.io"}`, "quay.io/team/memo:v1", "quay.io/team/memo:v1", false},
	} {
		signed, err := signing.Signer{Key: key}.Sign(c.identity, digest)
		if err != nil {
			t.Fatal(err)
		}
		err = signatures.Verify(t.Context(), t.TempDir(), signatures.Image{
			Reference: c.reference, Manifest: []byte(manifest), Digest: digest,
			Signatures: []signatures.Signature{{MediaType: signatures.MediaType, Payload: signed.Payload, Annotations: signed.Annotations}},
		}, fmt.Sprintf(`[{"type":"sigstoreSigned","keyData":%q,"signedIdentity":%s}]`, public(t, key), c.match))
		if (err == nil) != c.allowed {
			t.Errorf("%s, signed as %s, %s: got %v", c.reference, c.identity, c.match, err)
		}
	}
}

func TestENG_S12_AnInvalidRequirementIsNoRejection(t *testing.T) {
	for _, requirements := range []string{"", "[]", "{", `[{"type":"other"}]`, `[{"type":"sigstoreSigned"}]`} {
		err := signatures.Verify(t.Context(), t.TempDir(), signatures.Image{Reference: "quay.io/team/memo:v1", Manifest: []byte(manifest), Digest: digest}, requirements)
		if invalid := (*signatures.PolicyError)(nil); !errors.As(err, &invalid) {
			t.Errorf("%s: got %v", requirements, err)
		}
	}
	// A policy that accepts anything is none.
	for _, requirement := range []string{`{"type":"insecureAcceptAnything"}`, `{"type":"reject"}`} {
		err := signatures.Verify(t.Context(), t.TempDir(), signatures.Image{Reference: "quay.io/team/memo:v1", Manifest: []byte(manifest), Digest: digest}, "["+requirement+"]")
		if rejected := (*signatures.RejectedError)(nil); !errors.As(err, &rejected) {
			t.Errorf("%s: got %v", requirement, err)
		}
	}
}

// TestENG_S12_AManifestHasItsOwnDigest checks manifests that the engine could take for another one, whose signature an attacker copies.
func TestENG_S12_AManifestHasItsOwnDigest(t *testing.T) {
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signing.Signer{Key: key}.Sign("quay.io/team/memo", digest)
	if err != nil {
		t.Fatal(err)
	}
	// A JSON Web Signature hashes the text up to formatLength and formatTail, which is the signed manifest.
	length := len(manifest) - 1
	protected := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"formatLength":%d,"formatTail":%q}`, length, base64.RawURLEncoding.EncodeToString([]byte("}"))))
	forged := fmt.Sprintf(`%s,"schemaVersion":1,"mediaType":"","layers":[{"digest":"evil"}],"signatures":[{"header":{"alg":"ES256"},"signature":"x","protected":%q}]}`, manifest[:length], protected)
	for name, of := range map[string]signatures.Image{
		"a signature inside": {Manifest: []byte(forged), Digest: fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(forged)))},
		"another digest":     {Manifest: []byte(manifest), Digest: "sha256:" + strings.Repeat("a", 64)},
		"no digest":          {Manifest: []byte(manifest)},
	} {
		of.Reference = "quay.io/team/memo:v1"
		of.Signatures = []signatures.Signature{{MediaType: signatures.MediaType, Payload: signed.Payload, Annotations: signed.Annotations}}
		err := signatures.Verify(t.Context(), t.TempDir(), of, fmt.Sprintf(`[{"type":"sigstoreSigned","keyData":%q,"signedIdentity":{"type":"matchRepository"}}]`, public(t, key)))
		if rejected := (*signatures.RejectedError)(nil); !errors.As(err, &rejected) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAnnotationsThatTheEngineDoesNotReadAreLeftOut(t *testing.T) {
	read, size := signatures.Annotations(map[string]string{"dev.sigstore.cosign/chain": "abc", "other": "large"})
	if len(read) != 1 || read["dev.sigstore.cosign/chain"] != "abc" || size != len("dev.sigstore.cosign/chain")+3 {
		t.Errorf("got %v, %d bytes", read, size)
	}
}

// TestAFaultOfTheDiskIsNoRejection checks that an image is not said to be unsigned because nothing can be written.
func TestAFaultOfTheDiskIsNoRejection(t *testing.T) {
	key, err := signing.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	err = signatures.Verify(t.Context(), "/dev/null/nowhere", signatures.Image{Reference: "quay.io/team/memo:v1", Manifest: []byte(manifest), Digest: digest},
		fmt.Sprintf(`[{"type":"sigstoreSigned","keyData":%q}]`, public(t, key)))
	if rejected := (*signatures.RejectedError)(nil); err == nil || errors.As(err, &rejected) {
		t.Errorf("got %v", err)
	}
}
