package image_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/openshift/platform-operators/pkg/source/image"
)

// elsewhere is a host name that the certificate of test servers is valid for, and that is not this machine's.
const elsewhere = "example.com"

// TestHRD_S5_RegistriesReachNoAddressOfThisMachine uses a registry on another host that refers the manager to a server on a loopback
// address.
//
// Promise HRD-S5: A registry elsewhere cannot send the manager to a loopback address, by redirect, token service or a name that resolves
// to one. A reference that names loopback itself may lead there.
func TestHRD_S5_RegistriesReachNoAddressOfThisMachine(t *testing.T) {
	var asked atomic.Int32
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `{"token":"t"}`)
	}))
	t.Cleanup(local.Close)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(local.URL, "http://"))
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"} {
		target := "http://" + host + ":" + port
		for what, handler := range map[string]http.HandlerFunc{
			"a manifest": redirectOf("/manifests/", target),
			"a blob":     redirectOf("/blobs/", target),
			"a token":    tokensFrom(target),
		} {
			for _, insecure := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s from %s, insecureSkipTLSVerify %t", what, host, insecure), func(t *testing.T) {
					asked.Store(0)
					err := fetchElsewhere(t, handler, insecure)
					wantClass(t, err, image.Loopback, "is an address of this machine")
					if n := asked.Load(); n != 0 {
						t.Errorf("the server on this machine got %d requests", n)
					}
				})
			}
		}
	}
}

func TestHRD_S5_TokensAreNotAskedForInPlainHTTP(t *testing.T) {
	wantClass(t, fetchElsewhere(t, tokensFrom("http://tokens.example"), false), image.PlainHTTP, "tokens.example", "plain HTTP")
}

func TestHRD_S5_AReferenceOnThisMachineMayRefer(t *testing.T) {
	storage := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	redirects := false
	second := httptest.NewServer(storage)
	t.Cleanup(second.Close)
	host := serve(t, func(w http.ResponseWriter, r *http.Request) bool {
		if redirects && strings.Contains(r.URL.Path, "/blobs/") {
			http.Redirect(w, r, second.URL+r.URL.Path, http.StatusTemporaryRedirect)
			return true
		}
		return false
	})
	for _, each := range []string{host, strings.TrimPrefix(second.URL, "http://")} {
		push(t, each+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
	}
	redirects = true
	if err := fetch(t, image.New(image.Config{}), image.Source{Ref: host + "/bundles/memo:v1"}); err != nil {
		t.Errorf("a registry on this machine refers to a server on this machine: %v", err)
	}
}

// fetchElsewhere fetches an image from a registry with TLS whose name is not this machine's. refer handles the requests of the fetch; the
// registry answers those that refer does not answer.
func fetchElsewhere(t *testing.T, refer http.HandlerFunc, insecure bool) error {
	t.Helper()
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	armed := false
	host, authority, _ := secured(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &answered{ResponseWriter: w}
		if armed {
			refer(answer, r)
		}
		if !answer.done {
			inner.ServeHTTP(w, r)
		}
	}))
	direct := httptest.NewServer(inner)
	defer direct.Close()
	push(t, strings.TrimPrefix(direct.URL, "http://")+"/bundles/memo:v1", content(t, map[string]string{"f": "x"}))
	armed = true
	transport := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == elsewhere+":443" {
			address = host
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}
	t.Cleanup(transport.CloseIdleConnections)
	return fetch(t, image.New(image.Config{Transport: transport}),
		image.Source{Ref: elsewhere + "/bundles/memo:v1", CertificateData: authority, InsecureSkipTLSVerify: insecure})
}

// answered records whether a request was answered.
type answered struct {
	http.ResponseWriter
	done bool
}

func (a *answered) WriteHeader(code int) {
	a.done = true
	a.ResponseWriter.WriteHeader(code)
}

func redirectOf(kind, target string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, kind) {
			http.Redirect(w, r, target+r.URL.Path, http.StatusTemporaryRedirect)
		}
	}
}

func tokensFrom(realm string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer realm="%s/token",service="test"`, realm))
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
}
