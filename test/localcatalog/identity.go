package localcatalog

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"os"
	"sync/atomic"
	"time"
)

// lifetime is the validity of the certificates. It is longer than the run of any demo.
const lifetime = 30 * 24 * time.Hour

func discardLog() *log.Logger { return log.New(io.Discard, "", 0) }

// identity is the serving certificate of the HTTPS API, which its own certificate authority signs. file is the path of a PEM file with the
// certificate of the authority.
type identity struct {
	file    string
	host    string
	current atomic.Pointer[tls.Certificate]
}

func newIdentity(file, host string) (*identity, error) {
	i := &identity{file: file, host: host}
	return i, i.rotate()
}

// certificate returns the current certificate. It implements tls.Config.GetCertificate.
func (i *identity) certificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return i.current.Load(), nil
}

// rotate creates a new certificate authority and a new serving certificate, and writes the authority's certificate to the file. It does not
// keep the key of the authority.
func (i *identity) rotate() error {
	authority, authorityKey, err := sign(&x509.Certificate{
		Subject:               pkix.Name{CommonName: "localcatalog authority"},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign,
	}, nil, nil)
	if err != nil {
		return fmt.Errorf("making a certificate authority: %w", err)
	}
	leaf, leafKey, err := sign(&x509.Certificate{
		Subject:     pkix.Name{CommonName: "localcatalog"},
		IPAddresses: []net.IP{net.ParseIP(i.host)},
		DNSNames:    []string{"localhost"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, authority, authorityKey)
	if err != nil {
		return fmt.Errorf("making a serving certificate: %w", err)
	}
	// Renaming is atomic, so a client that reads the file during a rotation gets either the old or the new authority.
	temporary := i.file + ".new"
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority.Raw})
	if err := os.WriteFile(temporary, block, 0o644); err != nil {
		return err
	}
	if err := os.Rename(temporary, i.file); err != nil {
		return err
	}
	i.current.Store(&tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: leafKey, Leaf: leaf})
	return nil
}

// sign creates a key and a certificate for the key. It sets the serial number and the validity. Without a parent the certificate is
// self-signed.
func sign(template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if parent == nil {
		parent, parentKey = template, key
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, nil, err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-time.Hour) // tolerates clock skew
	template.NotAfter = time.Now().Add(lifetime)
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		return nil, nil, err
	}
	certificate, err := x509.ParseCertificate(raw)
	return certificate, key, err
}
