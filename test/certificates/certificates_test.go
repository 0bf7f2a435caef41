package certificates

import (
	"crypto/x509"
	"encoding/base64"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// trusts reports whether a client whose only trusted authorities are in bundle accepts the certificate for a server of that name.
func trusts(t *testing.T, bundle []byte, served pair, name string) bool {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle) {
		t.Fatal("the bundle has no certificate")
	}
	certificate, err := served.parse()
	if err != nil {
		t.Fatal(err)
	}
	_, err = certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: name})
	return err == nil
}

func TestServiceCAsBundleTrustsBothTheOldAndTheNewCertificates(t *testing.T) {
	s := &ServiceCA{}
	wanted := request{commonName: "a.b.svc", dnsNames: []string{"a.b.svc"}}
	var served []pair
	for range 2 {
		if err := s.renew(time.Now()); err != nil {
			t.Fatal(err)
		}
		issued, err := s.current.issue(wanted, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if !s.current.issued(issued.certificate) {
			t.Error("the authority does not know its own certificate")
		}
		served = append(served, issued)
	}
	for i, each := range served {
		if !trusts(t, s.bundle, each, "a.b.svc") {
			t.Errorf("certificate %d is not trusted for its name", i)
		}
		if trusts(t, s.bundle, each, "other.svc") {
			t.Errorf("certificate %d is trusted for another name", i)
		}
	}
	if s.current.issued(served[0].certificate) {
		t.Error("a certificate of the authority before passes for one of the current, so that it would never be renewed")
	}
}

func TestAnAuthorityThatIsRenewedWithItsOldKeyIsTrustedByWhoHasTheOldOne(t *testing.T) {
	var none *authority
	wanted := request{commonName: "a", isCA: true}
	first, err := none.issue(wanted, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		key  []byte
		want bool
	}{
		"with the old key": {first.key, true},
		"with a new one":   {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			wanted.key = test.key
			renewed, err := none.issue(wanted, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			signer, err := readAuthority(renewed)
			if err != nil {
				t.Fatal(err)
			}
			served, err := signer.issue(request{commonName: "a.b.svc", dnsNames: []string{"a.b.svc"}}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if got := trusts(t, first.certificate, served, "a.b.svc"); got != test.want {
				t.Errorf("it is trusted: %t, want %t", got, test.want)
			}
		})
	}
	if _, err := none.issue(request{}, time.Now()); err == nil {
		t.Error("a certificate for nobody was issued")
	}
}

func TestABundleIsInjectedOnceAndOnlyWhereThereIsAPlaceForIt(t *testing.T) {
	bundle := []byte("authorities")
	encoded := base64.StdEncoding.EncodeToString(bundle)
	for name, test := range map[string]struct {
		inject func(*unstructured.Unstructured, []byte) bool
		object map[string]any
		path   []string
		want   string
		never  bool
	}{
		"an APIService": {inject: intoAPIService, object: map[string]any{"spec": map[string]any{}}, path: []string{"spec", "caBundle"}, want: encoded},
		"a definition that is converted by a webhook": {inject: intoDefinition, want: encoded,
			object: map[string]any{"spec": map[string]any{"conversion": map[string]any{"strategy": "Webhook", "webhook": map[string]any{"clientConfig": map[string]any{}}}}},
			path:   []string{"spec", "conversion", "webhook", "clientConfig", "caBundle"}},
		"a definition that is not": {inject: intoDefinition, object: map[string]any{"spec": map[string]any{}}, never: true},
		"a ConfigMap with something else in it": {inject: intoConfigMap, object: map[string]any{"data": map[string]any{"mine": "x"}},
			path: []string{"data", configMapKey}, want: string(bundle)},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{Object: test.object}
			if changed := test.inject(object, bundle); changed == test.never {
				t.Fatalf("the first time changed it: %t", changed)
			}
			if got, _, _ := unstructured.NestedString(object.Object, test.path...); !test.never && got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if test.inject(object, bundle) {
				t.Error("the second time changed it again")
			}
		})
	}
	webhooks := &unstructured.Unstructured{Object: map[string]any{"webhooks": []any{
		map[string]any{"name": "a", "clientConfig": map[string]any{}}, map[string]any{"name": "b", "clientConfig": map[string]any{}},
	}}}
	if !intoWebhooks(webhooks, bundle) {
		t.Error("the bundle was not written to webhooks without one")
	}
	if intoWebhooks(webhooks, bundle) {
		t.Error("the same bundle was written again")
	}
	for _, each := range webhooks.Object["webhooks"].([]any) {
		if got, _, _ := unstructured.NestedString(each.(map[string]any), "clientConfig", "caBundle"); got != encoded {
			t.Errorf("webhook %v was left out", each)
		}
	}
}
