package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/test/localcluster/pki"
)

// server starts a TLS server with a cluster's certificates, which requires the administrator's certificate, and returns a client for it.
// The server stops when the test ends.
func server(t *testing.T, handler http.HandlerFunc) *Client {
	t.Helper()
	dir := t.TempDir()
	if err := pki.Ensure(dir, net.IPv4(172, 30, 0, 1), time.Now()); err != nil {
		t.Fatal(err)
	}
	file := func(name string) string { return filepath.Join(dir, name) }
	pair, err := tls.LoadX509KeyPair(file("apiserver.crt"), file("apiserver.key"))
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(file("ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AppendCertsFromPEM(ca)
	s := httptest.NewUnstartedServer(handler)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert}
	s.StartTLS()
	t.Cleanup(s.Close)
	client, err := New(s.URL, file("ca.crt"), file("admin.crt"), file("admin.key"))
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestApplySendsAForcedServerSideApplyAsTheAdministrator(t *testing.T) {
	client := server(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"method": r.Method, "uri": r.RequestURI, "type": r.Header.Get("Content-Type"), "body": string(body),
			"user": r.TLS.PeerCertificates[0].Subject.CommonName,
		})
	})
	got, err := client.Apply(t.Context(), "/api/v1/namespaces/x", map[string]any{"kind": "Namespace"})
	if err != nil {
		t.Fatal(err)
	}
	for field, want := range map[string]string{
		"method": "PATCH", "uri": "/api/v1/namespaces/x?force=true&fieldManager=localcluster", "type": "application/apply-patch+yaml",
		"body": `{"kind":"Namespace"}`, "user": "localcluster-admin",
	} {
		if got[field] != want {
			t.Errorf("%s is %q, want %q", field, got[field], want)
		}
	}
}

func TestAnErrorNamesTheRequestAndQuotesTheServer(t *testing.T) {
	client := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"kind":"Status","message":"no such\nnamespace"}`)
	})
	_, err := client.Get(context.Background(), "/api/v1/namespaces/x")
	if !NotFound(err) {
		t.Fatalf("got %v, want a not-found error", err)
	}
	if want := `GET "/api/v1/namespaces/x": no such namespace (HTTP 404)`; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

func TestAMessageIsOneBoundedLine(t *testing.T) {
	got := message([]byte(strings.Repeat("ä \n", 5000)))
	if len(got) > 1010 || strings.ContainsAny(got, "\n\r") || !strings.HasSuffix(got, "…") {
		t.Errorf("got %d bytes: %.40q", len(got), got)
	}
}

func TestPath(t *testing.T) {
	for want, got := range map[string]string{
		"/api/v1/nodes/n":                                Path("v1", "nodes", "", "n"),
		"/api/v1/namespaces/ns/configmaps/c":             Path("v1", "configmaps", "ns", "c"),
		"/apis/config.openshift.io/v1/featuregates/gate": Path("config.openshift.io/v1", "featuregates", "", "gate"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
