package signing

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// Key is a key that signs.
type Key struct{ private *ecdsa.PrivateKey }

// NewKey returns a new key.
func NewKey() (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("making a key: %w", err)
	}
	return Key{private}, nil
}

// Public returns the public key, in PEM.
func (k Key) Public() ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(k.private.Public())
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// Authority is a certificate authority that certifies who has a key.
type Authority struct {
	key         Key
	certificate *x509.Certificate
	now         time.Time
}

// lifetime is the time for which a certificate is valid.
const lifetime = time.Hour

// NewAuthority returns a new certificate authority. Its certificates are valid from now, for an hour.
func NewAuthority(now time.Time) (*Authority, error) {
	key, err := NewKey()
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "signing"}, NotBefore: now, NotAfter: now.Add(lifetime),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, key.private.Public(), key.private)
	if err != nil {
		return nil, fmt.Errorf("making a certificate authority: %w", err)
	}
	certificate, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, fmt.Errorf("making a certificate authority: %w", err)
	}
	return &Authority{key, certificate, now}, nil
}

// Certificate returns the authority's own certificate, in PEM.
func (a *Authority) Certificate() []byte { return encoded(a.certificate.Raw) }

// oidcIssuerOID identifies the extension of Fulcio's certificates with the OIDC issuer of the owner.
var oidcIssuerOID = []int{1, 3, 6, 1, 4, 1, 57264, 1, 1}

// certify returns a certificate for the key of an owner, in PEM. If oidcIssuer is not empty, the certificate has it as the OIDC issuer, as
// Fulcio's certificates do.
func (a *Authority) certify(key Key, email, oidcIssuer string) ([]byte, error) {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: a.now, NotAfter: a.now.Add(lifetime), EmailAddresses: []string{email},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
	}
	if oidcIssuer != "" {
		template.ExtraExtensions = []pkix.Extension{{Id: oidcIssuerOID, Value: []byte(oidcIssuer)}}
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.private.Public(), a.key.private)
	if err != nil {
		return nil, fmt.Errorf("certifying a key: %w", err)
	}
	return encoded(raw), nil
}

func encoded(certificate []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
}
