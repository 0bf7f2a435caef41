package imagepolicy

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"

	configv1 "github.com/openshift/api/config/v1"
)

// requirement is a requirement of type sigstoreSigned, as in containers-policy.json(5).
type requirement struct {
	Type               string    `json:"type"`
	KeyData            []byte    `json:"keyData,omitempty"`
	Fulcio             *fulcio   `json:"fulcio,omitempty"`
	RekorPublicKeyData []byte    `json:"rekorPublicKeyData,omitempty"`
	PKI                *pki      `json:"pki,omitempty"`
	SignedIdentity     *identity `json:"signedIdentity"`
}

type fulcio struct {
	CAData       []byte `json:"caData"`
	OIDCIssuer   string `json:"oidcIssuer"`
	SubjectEmail string `json:"subjectEmail"`
}

type pki struct {
	CARootsData         []byte `json:"caRootsData"`
	CAIntermediatesData []byte `json:"caIntermediatesData,omitempty"`
	SubjectEmail        string `json:"subjectEmail,omitempty"`
	SubjectHostname     string `json:"subjectHostname,omitempty"`
}

// identity is which identity of an image a signature must have.
type identity struct {
	Type             string `json:"type"`
	DockerRepository string `json:"dockerRepository,omitempty"`
	Prefix           string `json:"prefix,omitempty"`
	SignedPrefix     string `json:"signedPrefix,omitempty"`
}

// requirementOf returns the requirement of a policy, in JSON. Its error names the invalid field.
func requirementOf(policy configv1.ImageSigstoreVerificationPolicy) (string, error) {
	required := requirement{Type: "sigstoreSigned"}
	if err := required.setRoot(policy.RootOfTrust); err != nil {
		return "", fmt.Errorf("spec.policy.rootOfTrust.%w", err)
	}
	signed, err := identityOf(policy.SignedIdentity)
	if err != nil {
		return "", fmt.Errorf("spec.policy.signedIdentity.%w", err)
	}
	required.SignedIdentity = signed
	text, err := json.Marshal(required)
	return string(text), err
}

// setRoot sets the keys and certificates that are trusted.
func (r *requirement) setRoot(root configv1.PolicyRootOfTrust) error {
	switch {
	case root.PolicyType == configv1.PublicKeyRootOfTrust && root.PublicKey != nil:
		r.KeyData, r.RekorPublicKeyData = root.PublicKey.KeyData, root.PublicKey.RekorKeyData
		return cmp.Or(checkKey("publicKey.keyData", r.KeyData), checkLogKey("publicKey.rekorKeyData", r.RekorPublicKeyData))
	case root.PolicyType == configv1.FulcioCAWithRekorRootOfTrust && root.FulcioCAWithRekor != nil:
		of := root.FulcioCAWithRekor
		r.Fulcio = &fulcio{CAData: of.FulcioCAData, OIDCIssuer: of.FulcioSubject.OIDCIssuer, SubjectEmail: of.FulcioSubject.SignedEmail}
		r.RekorPublicKeyData = of.RekorKeyData
		if len(of.RekorKeyData) == 0 {
			return errors.New("fulcioCAWithRekor.rekorKeyData is missing")
		}
		if of.FulcioSubject.OIDCIssuer == "" || of.FulcioSubject.SignedEmail == "" {
			return errors.New("fulcioCAWithRekor.fulcioSubject needs oidcIssuer and signedEmail")
		}
		return cmp.Or(checkCertificates("fulcioCAWithRekor.fulcioCAData", of.FulcioCAData), checkLogKey("fulcioCAWithRekor.rekorKeyData", of.RekorKeyData))
	case root.PolicyType == configv1.PKIRootOfTrust && root.PKI != nil:
		of := root.PKI
		r.PKI = &pki{
			CARootsData: of.CertificateAuthorityRootsData, CAIntermediatesData: of.CertificateAuthorityIntermediatesData,
			SubjectEmail: of.PKICertificateSubject.Email, SubjectHostname: of.PKICertificateSubject.Hostname,
		}
		if r.PKI.SubjectEmail == "" && r.PKI.SubjectHostname == "" {
			return errors.New("pki.pkiCertificateSubject needs email or hostname")
		}
		if err := checkCertificates("pki.caRootsData", r.PKI.CARootsData); err != nil || len(r.PKI.CAIntermediatesData) == 0 {
			return err
		}
		return checkCertificates("pki.caIntermediatesData", r.PKI.CAIntermediatesData)
	}
	fields := map[configv1.PolicyType]string{
		configv1.PublicKeyRootOfTrust: "publicKey", configv1.FulcioCAWithRekorRootOfTrust: "fulcioCAWithRekor", configv1.PKIRootOfTrust: "pki",
	}
	if field := fields[root.PolicyType]; field != "" {
		return fmt.Errorf("%s is missing; policyType %q requires it", field, root.PolicyType)
	}
	return fmt.Errorf("policyType %q is unknown; use PublicKey, FulcioCAWithRekor or PKI", root.PolicyType)
}

// identityOf returns which identity a signature must have. The default is that of the API.
func identityOf(signed *configv1.PolicyIdentity) (*identity, error) {
	if signed == nil {
		return &identity{Type: "matchRepoDigestOrExact"}, nil
	}
	switch {
	case signed.MatchPolicy == configv1.IdentityMatchPolicyMatchRepoDigestOrExact:
		return &identity{Type: "matchRepoDigestOrExact"}, nil
	case signed.MatchPolicy == configv1.IdentityMatchPolicyMatchRepository:
		return &identity{Type: "matchRepository"}, nil
	case signed.MatchPolicy == configv1.IdentityMatchPolicyExactRepository && signed.PolicyMatchExactRepository != nil:
		return &identity{Type: "exactRepository", DockerRepository: string(signed.PolicyMatchExactRepository.Repository)}, nil
	case signed.MatchPolicy == configv1.IdentityMatchPolicyRemapIdentity && signed.PolicyMatchRemapIdentity != nil:
		of := signed.PolicyMatchRemapIdentity
		return &identity{Type: "remapIdentity", Prefix: string(of.Prefix), SignedPrefix: string(of.SignedPrefix)}, nil
	}
	switch signed.MatchPolicy {
	case configv1.IdentityMatchPolicyExactRepository:
		return nil, fmt.Errorf("exactRepository is missing; matchPolicy %q requires it", signed.MatchPolicy)
	case configv1.IdentityMatchPolicyRemapIdentity:
		return nil, fmt.Errorf("remapIdentity is missing; matchPolicy %q requires it", signed.MatchPolicy)
	}
	return nil, fmt.Errorf("matchPolicy %q is unknown; use MatchRepoDigestOrExact, MatchRepository, ExactRepository or RemapIdentity", signed.MatchPolicy)
}

// parseKey returns the public key in PEM data.
func parseKey(data []byte) (any, error) {
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, errors.New("has no public key in PEM format")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	switch {
	case errors.As(err, new(asn1.StructuralError)), errors.As(err, new(asn1.SyntaxError)): // long, and no help
		return nil, errors.New("has a public key that cannot be read")
	case err != nil:
		return nil, fmt.Errorf("has a public key that cannot be read: %w", err)
	}
	return key, nil
}

func checkKey(field string, data []byte) error {
	if _, err := parseKey(data); err != nil {
		return fmt.Errorf("%s %w", field, err)
	}
	return nil
}

// checkLogKey checks the key of a transparency log, which may be missing.
func checkLogKey(field string, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	key, err := parseKey(data)
	if err != nil {
		return fmt.Errorf("%s %w", field, err)
	}
	if _, ok := key.(*ecdsa.PublicKey); !ok {
		return fmt.Errorf("%s has a key that is not an ECDSA key", field)
	}
	return nil
}

// checkCertificates checks that PEM data has certificates, and that each of them can be read.
func checkCertificates(field string, data []byte) error {
	certificates := 0
	for block, rest := pem.Decode(data); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return fmt.Errorf("%s has a certificate that cannot be read: %w", field, err)
		}
		certificates++
	}
	if certificates == 0 {
		return fmt.Errorf("%s has no certificate in PEM format", field)
	}
	return nil
}
