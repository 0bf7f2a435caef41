package cli

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"github.com/openshift/platform-operators/test/localcatalog"
)

const (
	proxyPath   = "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/"
	forwardPath = "/api/v1/namespaces/openshift-marketplace/pods/sea-x7k2p/portforward"
)

// serveCatalogs serves directories of catalogs as a cluster does: harbor through the API server's proxy of catalogd's Service, and sea through
// a port-forward to its Pod. It returns the API server, with the objects of catalogs.yaml.
func serveCatalogs(t *testing.T, harbor, sea []string) *apiServer {
	t.Helper()
	server := newAPIServer(t, "catalogs.yaml")
	overHTTPS, overGRPC := startCatalog(t, harbor), startCatalog(t, sea)
	server.handlers = map[string]http.HandlerFunc{
		proxyPath:   proxyTo(t, overHTTPS),
		forwardPath: forwardTo(overGRPC.GRPCAddress(), "50052"),
	}
	return server
}

func startCatalog(t *testing.T, folders []string) *localcatalog.Server {
	t.Helper()
	server, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: folders})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

// proxyTo answers as the API server's proxy of the Service of catalogd, which does not send the user's credentials on.
func proxyTo(t *testing.T, to *localcatalog.Server) http.HandlerFunc {
	t.Helper()
	pem, err := os.ReadFile(to.CAFile())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	base, err := url.Parse(to.HTTPSBaseURL())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		_, rest, _ := strings.Cut(strings.TrimPrefix(r.In.URL.Path, proxyPath), "/")
		r.Out.URL = base.JoinPath(rest)
		r.Out.URL.RawQuery = r.In.URL.RawQuery
	}}
	return proxy.ServeHTTP
}

// forwardTo answers as the kubelet: it connects the streams of a port-forward to an address, if they ask for the port of the Pod, and
// reports an error otherwise. Like an API server before 1.30, it does not support WebSocket.
func forwardTo(address, port string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "unable to upgrade", http.StatusBadRequest)
			return
		}
		if _, err := httpstream.Handshake(r, w, []string{"portforward.k8s.io"}); err != nil {
			return
		}
		streams := make(chan httpstream.Stream, 2)
		connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(stream httpstream.Stream, _ <-chan struct{}) error {
			streams <- stream
			return nil
		})
		if connection == nil {
			return
		}
		defer connection.Close()
		problems, data := <-streams, <-streams
		if data.Headers().Get(corev1.PortHeader) != port {
			_, _ = problems.Write([]byte("connection refused"))
			_ = problems.Close()
			<-connection.CloseChan()
			return
		}
		server, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		defer server.Close()
		go func() { _, _ = io.Copy(server, data) }()
		_, _ = io.Copy(data, server)
	}
}
