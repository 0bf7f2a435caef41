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

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"github.com/openshift/platform-operators/test/localcatalog"
)

const (
	proxyPath   = "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/"
	forwardPath = "/api/v1/namespaces/openshift-marketplace/pods/sea-x7k2p/portforward"
)

// serveCatalogs serves directories of catalogs as a cluster does: harbor through the API server's proxy of catalogd's Service, and sea
// through a port-forward to its Pod. It returns the API server, with the objects of catalogs.yaml.
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
// reports an error otherwise.
func forwardTo(address, port string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		streams := make(chan httpstream.Stream, 2)
		connection := upgrade(w, r, func(stream httpstream.Stream, _ <-chan struct{}) error {
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

// upgrade returns the connection of a port-forward, over WebSocket or SPDY as the client asks; nil if that fails.
func upgrade(w http.ResponseWriter, r *http.Request, each httpstream.NewStreamHandler) httpstream.Connection {
	const protocol = "portforward.k8s.io"
	if r.Method == http.MethodPost {
		if _, err := httpstream.Handshake(r, w, []string{protocol}); err != nil {
			return nil
		}
		return spdy.NewResponseUpgrader().UpgradeResponse(w, r, each)
	}
	upgrader := websocket.Upgrader{Subprotocols: []string{"SPDY/3.1+" + protocol}}
	tunnel, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return nil
	}
	connection, err := spdy.NewServerConnection(portforward.NewTunnelingConnection("server", tunnel), each)
	if err != nil {
		return nil
	}
	return connection
}

// withoutWebSocket answers as an API server before Kubernetes 1.30, or as a proxy before it.
func withoutWebSocket(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.Error(w, "unable to upgrade", http.StatusBadRequest)
			return
		}
		next(w, r)
	}
}
