package registryv1_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// issued is a certificate with its key.
type issued struct {
	*x509.Certificate
	key *ecdsa.PrivateKey
}

// issue issues a rendered Certificate as cert-manager does. The certificate is self-signed if signer is nil.
func issue(t *testing.T, certificate unstructured.Unstructured, serial int64, key *ecdsa.PrivateKey, signer *issued) *issued {
	t.Helper()
	name, _, _ := unstructured.NestedString(certificate.Object, "spec", "commonName")
	hosts, _, _ := unstructured.NestedStringSlice(certificate.Object, "spec", "dnsNames")
	ca, _, _ := unstructured.NestedBool(certificate.Object, "spec", "isCA")
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: name}, DNSNames: hosts, IsCA: ca, BasicConstraintsValid: true,
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour),
	}
	if ca {
		template.KeyUsage = x509.KeyUsageCertSign
	} else {
		template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	}
	if signer == nil {
		signer = &issued{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer.Certificate, &key.PublicKey, signer.key)
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &issued{made, key}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestRenewedCertificatesAreTrustedByTheOldAndNewCA covers the time after a renewal. The API server may then temporarily have the old CA
// while the webhook server has the new certificate, or vice versa.
func TestRenewedCertificatesAreTrustedByTheOldAndNewCA(t *testing.T) {
	b := load(t, sample(map[string]string{"manifests/csv.yaml": withWebhooks(validating)}))
	byName := map[string]unstructured.Unstructured{}
	for _, o := range renderWith(t, b, bundle.Options{Certificates: bundle.CertManager}) {
		byName[o.GetKind()+"/"+o.GetName()] = o
	}
	served := byName["Certificate/sample-service-cert"]
	issuer, _, _ := unstructured.NestedString(served.Object, "spec", "issuerRef", "name")
	secret, _, _ := unstructured.NestedString(byName["Issuer/"+issuer].Object, "spec", "ca", "secretName")
	authority := byName["Certificate/"+secret]
	if policy, _, _ := unstructured.NestedString(authority.Object, "spec", "privateKey", "rotationPolicy"); policy != "Never" {
		t.Fatalf("the key of CA %q is renewed by policy %q", secret, policy)
	}
	key := newKey(t)
	before, after := issue(t, authority, 1, key, nil), issue(t, authority, 2, key, nil)
	for _, signer := range []*issued{before, after} {
		for _, trusted := range []*issued{before, after} {
			certificate := issue(t, served, 3, newKey(t), signer)
			roots := x509.NewCertPool()
			roots.AddCert(trusted.Certificate)
			for _, host := range []string{"sample-service.install-ns.svc", "sample-service.install-ns.svc.cluster.local"} {
				if _, err := certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: now}); err != nil {
					t.Errorf("%s signed by CA %v, where CA %v is trusted: %v", host, signer.SerialNumber, trusted.SerialNumber, err)
				}
			}
		}
	}
}
