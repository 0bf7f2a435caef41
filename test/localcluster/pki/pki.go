// Package pki creates the certificates and keys of a local cluster in a directory.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity is the validity of the certificates. It is longer than the run of any test cluster.
const validity = 365 * 24 * time.Hour

// ClusterCA, FrontProxyCA and EtcdCA are the names of the certificate authorities. They are separate, so that a client certificate for the
// API server is valid neither for etcd nor for the aggregator.
const (
	ClusterCA    = "ca"
	FrontProxyCA = "front-proxy-ca"
	EtcdCA       = "etcd-ca"
)

// ServiceAccountKey is the name of the key pair that signs ServiceAccount tokens.
const ServiceAccountKey = "service-account"

// Certificate describes a certificate and its key, which Ensure writes as <Name>.crt and <Name>.key.
type Certificate struct {
	Name          string
	CA            string // one of the authorities
	CommonName    string
	Organizations []string
	Server        bool // a serving certificate for loopback and the kubernetes Service
}

// Certificates returns the descriptions of a cluster's certificates.
func Certificates() []Certificate {
	return []Certificate{
		{Name: "apiserver", CA: ClusterCA, CommonName: "kube-apiserver", Server: true},
		{Name: "apiserver-etcd-client", CA: EtcdCA, CommonName: "kube-apiserver"},
		{Name: "etcd", CA: EtcdCA, CommonName: "etcd", Server: true},
		{Name: "front-proxy-client", CA: FrontProxyCA, CommonName: "front-proxy-client"},
		{Name: "admin", CA: ClusterCA, CommonName: "localcluster-admin", Organizations: []string{"system:masters"}},
		{Name: "kube-controller-manager", CA: ClusterCA, CommonName: "system:kube-controller-manager"},
		{Name: "kube-scheduler", CA: ClusterCA, CommonName: "system:kube-scheduler"},
		{Name: "kwok", CA: ClusterCA, CommonName: "kwok", Organizations: []string{"system:masters"}},
	}
}

// Ensure creates all certificates and keys in dir. If dir is complete, Ensure does nothing, so that a restarted cluster keeps its identity.
// serviceIP is the address of the kubernetes Service.
func Ensure(dir string, serviceIP net.IP, now time.Time) error {
	if _, err := os.Stat(filepath.Join(dir, ServiceAccountKey+".key")); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("looking for certificates: %w", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("creating the certificate directory: %w", err)
	}
	authorities := map[string]authority{}
	for _, name := range []string{ClusterCA, FrontProxyCA, EtcdCA} {
		made, err := newAuthority(dir, name, now)
		if err != nil {
			return fmt.Errorf("making authority %q: %w", name, err)
		}
		authorities[name] = made
	}
	for _, certificate := range Certificates() {
		if err := authorities[certificate.CA].issue(dir, certificate, serviceIP, now); err != nil {
			return fmt.Errorf("issuing certificate %q: %w", certificate.Name, err)
		}
	}
	// The key is created last, because it marks the directory as complete.
	if err := newServiceAccountKey(dir); err != nil {
		return fmt.Errorf("making the service account key: %w", err)
	}
	return nil
}

type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
}

func newAuthority(dir, name string, now time.Time) (authority, error) {
	from, to := validAt(now)
	template := &x509.Certificate{
		NotBefore:             from,
		NotAfter:              to,
		Subject:               pkix.Name{CommonName: "localcluster-" + name},
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, err
	}
	certificate, err := sign(dir, name, template, authority{certificate: template, key: key}, key)
	return authority{certificate: certificate, key: key}, err
}

func (a authority) issue(dir string, c Certificate, serviceIP net.IP, now time.Time) error {
	from, to := validAt(now)
	template := &x509.Certificate{
		NotBefore:   from,
		NotAfter:    to,
		Subject:     pkix.Name{CommonName: c.CommonName, Organization: c.Organizations},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if c.Server {
		// The certificate is also valid for clients, because etcd connects to itself and to peers with its serving certificate.
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), serviceIP}
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	_, err = sign(dir, c.Name, template, a, key)
	return err
}

func sign(dir, name string, template *x509.Certificate, by authority, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, key.Public(), by.key)
	if err != nil {
		return nil, err
	}
	if err := writePEM(filepath.Join(dir, name+".crt"), "CERTIFICATE", der); err != nil {
		return nil, err
	}
	if err := writeKey(filepath.Join(dir, name+".key"), key); err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

// validAt returns the validity of a certificate. It begins a minute before now, to tolerate clock skew.
func validAt(now time.Time) (from, to time.Time) { return now.Add(-time.Minute), now.Add(validity) }

func newServiceAccountKey(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := writePEM(filepath.Join(dir, ServiceAccountKey+".pub"), "PUBLIC KEY", public); err != nil {
		return err
	}
	return writeKey(filepath.Join(dir, ServiceAccountKey+".key"), key)
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(path, "EC PRIVATE KEY", der)
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
