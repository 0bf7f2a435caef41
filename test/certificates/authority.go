package certificates

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// lifetime is the validity period of every certificate. It is longer than any test.
const lifetime = 24 * time.Hour

// authority is a certificate authority that signs serving certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
}

// pair is a certificate and its key, both in PEM, as in a Secret of type kubernetes.io/tls.
type pair struct{ certificate, key []byte }

func newAuthority(name string, now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the authority %q: %w", name, err)
	}
	template, err := newTemplate(name, now)
	if err != nil {
		return nil, fmt.Errorf("making the authority %q: %w", name, err)
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage |= x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("making the authority %q: %w", name, err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("making the authority %q: %w", name, err)
	}
	return &authority{certificate: certificate, key: key, pem: encode("CERTIFICATE", der)}, nil
}

// readAuthority returns the authority that has the certificate and the key of p, as in the Secret of a cert-manager Issuer of type CA. It
// returns an error if the key is not an ECDSA key.
func readAuthority(p pair) (*authority, error) {
	certificate, err := p.parse()
	if err != nil {
		return nil, err
	}
	key, err := readKey(p.key)
	if err != nil {
		return nil, fmt.Errorf("reading the authority %q: %w", certificate.Subject.CommonName, err)
	}
	return &authority{certificate: certificate, key: key, pem: p.certificate}, nil
}

// request describes the serving certificate to issue.
type request struct {
	commonName string
	dnsNames   []string
	isCA       bool
	// key is the private key to use, in PEM. If it is empty, a new key is generated.
	key []byte
}

// issue signs a serving certificate for the request. With a nil authority, the certificate is self-signed. It returns an error if the
// request has neither a common name nor a DNS name.
func (a *authority) issue(r request, now time.Time) (pair, error) {
	issued, err := a.sign(r, now)
	if err != nil {
		return pair{}, fmt.Errorf("issuing a certificate for %q (%q): %w", r.commonName, r.dnsNames, err)
	}
	return issued, nil
}

func (a *authority) sign(r request, now time.Time) (pair, error) {
	if len(r.dnsNames) == 0 && r.commonName == "" {
		return pair{}, errors.New("it has neither a common name nor a DNS name")
	}
	key, err := readKey(r.key)
	if len(r.key) == 0 {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	}
	if err != nil {
		return pair{}, err
	}
	template, err := newTemplate(r.commonName, now)
	if err != nil {
		return pair{}, err
	}
	template.DNSNames = r.dnsNames
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.BasicConstraintsValid, template.IsCA = true, r.isCA
	if r.isCA {
		template.KeyUsage |= x509.KeyUsageCertSign
	}
	parent, signer := template, key
	if a != nil {
		parent, signer = a.certificate, a.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	if err != nil {
		return pair{}, err
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return pair{}, err
	}
	return pair{certificate: encode("CERTIFICATE", der), key: encode("EC PRIVATE KEY", keyDER)}, nil
}

func readKey(content []byte) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, errors.New("reading a key: it is not PEM")
	}
	return x509.ParseECPrivateKey(block.Bytes)
}

// issued reports whether this authority signed the certificate. It is false for an earlier authority with the same name. It compares key
// identifiers and does not verify the signature.
func (a *authority) issued(certificate []byte) bool {
	parsed, err := pair{certificate: certificate}.parse()
	return err == nil && bytes.Equal(parsed.AuthorityKeyId, a.certificate.SubjectKeyId)
}

func (p pair) parse() (*x509.Certificate, error) {
	block, _ := pem.Decode(p.certificate)
	if block == nil {
		return nil, errors.New("reading a certificate: it is not PEM")
	}
	return x509.ParseCertificate(block.Bytes)
}

func newTemplate(name string, now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Minute),
		NotAfter:     now.Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
	}, nil
}

func encode(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
