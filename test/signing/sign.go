package signing

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
)

// Signer signs images.
type Signer struct {
	// Key signs.
	Key Key
	// Log records the signatures; nil means none does.
	Log *Log
	// Authority certifies that Email has the key; nil means that nobody does. OIDCIssuer is the OIDC issuer in the certificate; it may be empty.
	Authority         *Authority
	Email, OIDCIssuer string
}

// Signature is a signature of an image in the format of cosign's signature tags.
type Signature struct {
	Payload     []byte
	Annotations map[string]string
}

// Sign signs the image with a digest ("sha256:…") under an identity, usually "registry/repository" or "registry/repository:tag".
func (s Signer) Sign(identity, digest string) (Signature, error) {
	payload, err := json.Marshal(object{
		"critical": object{
			"identity": object{"docker-reference": identity},
			"image":    object{"docker-manifest-digest": digest},
			"type":     "cosign container image signature",
		},
		"optional": nil,
	})
	if err != nil {
		return Signature{}, fmt.Errorf("signing image %q: %w", identity, err)
	}
	hash := sha256.Sum256(payload)
	signature, err := ecdsa.SignASN1(rand.Reader, s.Key.private, hash[:])
	if err != nil {
		return Signature{}, fmt.Errorf("signing image %q: %w", identity, err)
	}
	signed := Signature{Payload: payload, Annotations: map[string]string{
		"dev.cosignproject.cosign/signature": base64.StdEncoding.EncodeToString(signature),
	}}
	verifier, err := s.Key.Public()
	if err != nil {
		return Signature{}, err
	}
	if s.Authority != nil {
		if verifier, err = s.Authority.certify(s.Key, s.Email, s.OIDCIssuer); err != nil {
			return Signature{}, err
		}
		signed.Annotations["dev.sigstore.cosign/certificate"] = string(verifier)
		signed.Annotations["dev.sigstore.cosign/chain"] = string(s.Authority.Certificate())
	}
	if s.Log != nil {
		if signed.Annotations["dev.sigstore.cosign/bundle"], err = s.Log.record(payload, signature, verifier); err != nil {
			return Signature{}, err
		}
	}
	return signed, nil
}
