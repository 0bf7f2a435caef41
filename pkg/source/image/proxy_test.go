package image_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/test/socks5"
)

// Environment variables of the process that pulls: the reference, and the certificate authority of the registry.
const (
	pulledByAnother = "TEST_PULLED_REFERENCE"
	trustedBy       = "TEST_TRUSTED_AUTHORITY"
)

// pullByAnother pulls an image in another process, because net/http reads the variables of proxies once. It returns "pulled", or the class and
// the text of the error.
func pullByAnother(t *testing.T, ref, authority string, variables ...string) string {
	t.Helper()
	another := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAnotherProcessPulls$", "-test.v")
	another.Env = append(os.Environ(), append(variables, pulledByAnother+"="+ref, trustedBy+"="+authority)...)
	output, err := another.CombinedOutput()
	_, result, found := strings.Cut(string(output), "RESULT ")
	if err != nil || !found {
		t.Fatalf("%v:\n%s", err, output)
	}
	result, _, _ = strings.Cut(result, "\n")
	return result
}

func TestAnotherProcessPulls(t *testing.T) {
	ref := os.Getenv(pulledByAnother)
	if ref == "" {
		return // pullByAnother runs it
	}
	from := image.Source{Ref: ref, CertificateData: os.Getenv(trustedBy), InsecureSkipTLSVerify: os.Getenv(trustedBy) == ""}
	err := fetch(t, image.New(image.Config{Resolver: resolving("127.0.0.1")}), from)
	if fault := (*image.Error)(nil); errors.As(err, &fault) {
		fmt.Printf("RESULT %s: %v\n", fault.Class, fault)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("RESULT pulled")
}

// TestENG_S5_ImagesArePulledThroughTheSOCKS5ProxyOfTheEnvironment uses a proxy that has a loopback address and resolves the registry's name to one, as
// the konnectivity sidecar of a hosted control plane may.
func TestENG_S5_ImagesArePulledThroughTheSOCKS5ProxyOfTheEnvironment(t *testing.T) {
	const registry = "registry.example.test:5000"
	host := serve(t, nil)
	push(t, host+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
	proxy, err := socks5.Start(func(address string) (string, error) {
		if address != registry {
			return "", errors.New("no such name")
		}
		return host, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer proxy.Close()
	got := pullByAnother(t, registry+"/bundles/memo:v1", "", "HTTP_PROXY="+proxy.URL(), "HTTPS_PROXY="+proxy.URL(), "NO_PROXY=kube-apiserver")
	if got != "pulled" || !slices.Contains(proxy.Requested(), registry) {
		t.Errorf("%s; the proxy was asked for %q, want %s", got, proxy.Requested(), registry)
	}
}

// tunnel is an HTTP proxy that connects all clients to one server.
type tunnel struct {
	*httptest.Server
	server string
	// answer, if it is not nil, answers instead.
	answer http.HandlerFunc

	mu        sync.Mutex
	requested []string // each with the credentials of the client
}

func startTunnel(t *testing.T, server string, answer http.HandlerFunc) *tunnel {
	t.Helper()
	p := &tunnel{server: server, answer: answer}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requested = append(p.requested, r.Method+" "+r.Host+" "+r.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	if p.answer != nil {
		p.answer(w, r)
		return
	}
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close()
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close()
	go func() { _, _ = io.Copy(server, buffered) }()
	_, _ = io.Copy(client, server)
}

// take returns the requests since the last call.
func (p *tunnel) take() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	requested := p.requested
	p.requested = nil
	return requested
}

func page(status int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(status)
		fmt.Fprint(w, "<html><body>Log in first</body></html>")
	}
}

// TestENG_S5_ImagesArePulledThroughTheHTTPProxyOfTheEnvironment checks that requests go through the proxy in HTTPS_PROXY, except those to hosts in
// NO_PROXY, and that an error says what a proxy answered.
func TestENG_S5_ImagesArePulledThroughTheHTTPProxyOfTheEnvironment(t *testing.T) {
	const ref = "example.com:5000/bundles/memo:v1" // the certificate of the test's registry has this name
	server, authority, transport := secured(t, registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	parsed, err := name.ParseReference(server + "/bundles/memo:v1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Push(parsed, content(t, map[string]string{"f": "x"}), remote.WithTransport(transport)); err != nil {
		t.Fatal(err)
	}
	credentials := "Basic " + base64.StdEncoding.EncodeToString([]byte("user:secret"))
	for title, c := range map[string]struct {
		answer http.HandlerFunc
		no     string
		class  string
		want   string
		direct bool
	}{
		"a proxy":                             {class: "pulled"},
		"a proxy for others":                  {no: "other.example,10.0.0.0/8", class: "pulled"},
		"a registry in NO_PROXY":              {no: "other.example,example.com", class: "Loopback", want: "127.0.0.1, which example.com:5000 resolves to", direct: true},
		"a domain in NO_PROXY":                {no: ".com", class: "Loopback", want: "127.0.0.1, which example.com:5000 resolves to", direct: true},
		"a proxy that forbids":                {answer: page(http.StatusForbidden), class: "Proxy", want: "refused to connect to the registry (403 Forbidden); make the proxy permit"},
		"a proxy that wants a login":          {answer: page(http.StatusProxyAuthRequired), class: "Proxy", want: "refused to connect to the registry (407 Proxy Authentication Required); make the proxy permit"},
		"a proxy that answers with no tunnel": {answer: page(http.StatusOK), class: "Proxy", want: "is not TLS: the proxy answered in place of the registry, or"},
	} {
		t.Run(title, func(t *testing.T) {
			proxy := startTunnel(t, server, c.answer)
			got := pullByAnother(t, ref, authority, "HTTPS_PROXY="+strings.Replace(proxy.URL, "http://", "http://user:secret@", 1), "NO_PROXY="+c.no)
			if !strings.HasPrefix(got, c.class) || !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
				t.Errorf("got %s, want %s with %q and no password", got, c.class, c.want)
			}
			requested := proxy.take()
			if c.direct != (len(requested) == 0) || slices.ContainsFunc(requested, func(each string) bool { return each != "CONNECT example.com:5000 "+credentials }) {
				t.Errorf("the proxy was asked for %q", requested)
			}
		})
	}
}
