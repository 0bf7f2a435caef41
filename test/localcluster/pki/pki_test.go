package pki

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCertificatesAreGoodForTheirPurposeAndNoOther(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	if err := Ensure(dir, net.IPv4(172, 30, 0, 1), now); err != nil {
		t.Fatal(err)
	}
	for _, c := range Certificates() {
		t.Run(c.Name, func(t *testing.T) {
			certificate := read(t, dir, c.Name)
			for _, ca := range []string{ClusterCA, FrontProxyCA, EtcdCA} {
				roots := x509.NewCertPool()
				roots.AddCert(read(t, dir, ca))
				_, err := certificate.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
				if (err == nil) != (ca == c.CA) {
					t.Errorf("as a client of %q: %v", ca, err)
				}
				_, err = certificate.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: now, DNSName: "127.0.0.1"})
				if (err == nil) != (ca == c.CA && c.Server) {
					t.Errorf("as a server of %q: %v", ca, err)
				}
			}
			if certificate.Subject.CommonName != c.CommonName {
				t.Errorf("common name %q, want %q", certificate.Subject.CommonName, c.CommonName)
			}
			info, err := os.Stat(filepath.Join(dir, c.Name+".key"))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("key file: %v, %v; want one only its owner can read", info, err)
			}
		})
	}
}

func TestAClusterThatIsStartedAgainKeepsItsIdentity(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := Ensure(dir, net.IPv4(172, 30, 0, 1), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	before := read(t, dir, "admin")
	if err := Ensure(dir, net.IPv4(172, 30, 0, 1), time.Now()); err != nil {
		t.Fatal(err)
	}
	if !read(t, dir, "admin").Equal(before) {
		t.Error("the administrator's certificate changed")
	}
}

func read(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name+".crt"))
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(content)
	if block == nil {
		t.Fatalf("%s.crt is no PEM file", name)
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}
