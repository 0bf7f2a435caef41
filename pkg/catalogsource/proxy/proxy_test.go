package proxy_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/pkg/catalogsource/proxy"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/socks5"
)

// startProxy starts a SOCKS5 server that knows the given names, and returns it with a dialer that uses it.
func startProxy(t *testing.T, noProxy string, known map[string]string) (*socks5.Server, proxy.DialFunc) {
	t.Helper()
	server, err := socks5.Start(func(address string) (string, error) {
		if target, isKnown := known[address]; isKnown {
			return target, nil
		}
		return "", errors.New("no such name")
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	dial, err := proxy.Config{URL: server.URL(), NoProxy: noProxy}.Dialer()
	if err != nil {
		t.Fatal(err)
	}
	return server, dial
}

func TestCatalogsAreReadThroughTheProxyWhichResolvesTheirNames(t *testing.T) {
	catalogs, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: []string{"../../../test/localcatalog/testdata/first"}})
	if err != nil {
		t.Fatal(err)
	}
	defer catalogs.Close()
	served, err := url.Parse(catalogs.HTTPSBaseURL())
	if err != nil {
		t.Fatal(err)
	}
	const source, clusterCatalog = "catalog.openshift-marketplace.svc:50051", "catalogd-service.openshift-catalogd.svc:443"
	server, dial := startProxy(t, "kube-apiserver", map[string]string{
		source: catalogs.GRPCAddress(), clusterCatalog: served.Host,
	})

	t.Run("over gRPC", func(t *testing.T) {
		packages, _, err := grpc.Client{Dial: dial}.Read(t.Context(), source, nil, nil)
		checkPackages(t, packages, err)
	})
	t.Run("over HTTPS", func(t *testing.T) {
		// The certificate is for 127.0.0.1, so only the connection is tested: the error of TLS shows that the server answered.
		client := http.New(http.Options{CAFile: catalogs.CAFile(), Dial: dial})
		defer client.Close()
		_, err := client.Read(t.Context(), "https://"+clusterCatalog, nil)
		if err != nil && !strings.Contains(err.Error(), "certificate") {
			t.Error(err)
		}
	})
	if got := server.Requested(); !slices.Contains(got, source) || !slices.Contains(got, clusterCatalog) {
		t.Errorf("the proxy was asked for %q", got)
	}
}

func checkPackages(t *testing.T, packages []catalog.Package, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 2 {
		t.Errorf("read %d packages, want 2", len(packages))
	}
}

func TestServersInNoProxyAndOnLoopbackAreReachedDirectly(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = io.WriteString(connection, "direct")
			_ = connection.Close()
		}
	}()
	server, dial := startProxy(t, "redhat-operators,example.test", nil)
	connection, err := dial(t.Context(), "tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if content, err := io.ReadAll(connection); err != nil || string(content) != "direct" {
		t.Errorf("got %q, %v", content, err)
	}
	for _, address := range []string{"redhat-operators:1", "sub.example.test:1"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // no name is looked up
		if _, err := dial(ctx, "tcp", address); err == nil || strings.Contains(err.Error(), "proxy") {
			t.Errorf("%s: got %v, want an error of the direct connection", address, err)
		}
	}
	if got := server.Requested(); len(got) > 0 {
		t.Errorf("the proxy was asked for %q", got)
	}
}

func TestAnUnreachableServerIsReportedWithTheProxy(t *testing.T) {
	server, dial := startProxy(t, "", nil)
	_, err := dial(t.Context(), "tcp", "catalog.nowhere.svc:50051")
	if want := "connecting through proxy \"" + strings.TrimPrefix(server.URL(), "socks5://"); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

func TestOnlySOCKS5ProxiesAreAccepted(t *testing.T) {
	for _, address := range []string{"socks5://127.0.0.1:8090", "socks5h://user:secret@proxy:1080"} {
		if dial, err := (proxy.Config{URL: address}).Dialer(); err != nil || dial == nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"http://user:secret@127.0.0.1:8090", "127.0.0.1:8090", "socks5://", "socks5://user:secret@[::1"} {
		_, err := proxy.Config{URL: address}.Dialer()
		if err == nil || !strings.Contains(err.Error(), "set it to socks5://HOST:PORT") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", address, err)
		}
	}
	if dial, err := (proxy.Config{NoProxy: "kube-apiserver"}).Dialer(); dial != nil || err != nil {
		t.Errorf("without a proxy: got a dialer: %t, %v", dial != nil, err)
	}
}
