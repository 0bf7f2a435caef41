package catalogsource_test

import (
	"fmt"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/operator-framework/operator-registry/pkg/api"
	googlegrpc "google.golang.org/grpc"

	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
)

// keptRegistry lists bundles of which more is kept than the budget has: 16 packages of 1.5 MiB each.
type keptRegistry struct{ bigRegistry }

const keptPackages, keptBundles = 16, 600

var keptText = strings.Repeat("i", 2000)

func (r *keptRegistry) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	for p := range keptPackages {
		for b := range keptBundles {
			if err := stream.Send(&api.Bundle{PackageName: fmt.Sprintf("package-%d", p), ChannelName: "stable", CsvName: fmt.Sprintf("v1.%d.0", b), CsvJson: "{}", BundlePath: keptText}); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestHRD_B4_BothProtocolsTakeFromTheBudget(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	registry := googlegrpc.NewServer()
	api.RegisterRegistryServer(registry, &keptRegistry{})
	go func() { _ = registry.Serve(listener) }()
	t.Cleanup(registry.Stop)
	server := httptest.NewTLSServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if !strings.HasSuffix(r.URL.Path, "/api/v1/all") {
			nethttp.NotFound(w, r)
			return
		}
		for p := range keptPackages {
			for b := range keptBundles {
				fmt.Fprintf(w, `{"schema":"olm.bundle","package":"package-%d","name":"v1.%d.0","image":%q}`+"\n", p, b, keptText)
			}
		}
	}))
	t.Cleanup(server.Close)
	client := http.New(http.Options{RootCAs: server.Client().Transport.(*nethttp.Transport).TLSClientConfig.RootCAs})
	t.Cleanup(client.Close)
	budget := catalogsource.NewBudget()
	for name, read := range map[string]func(memory *catalogsource.Reading, names ...string) (int, error){
		"over gRPC": func(memory *catalogsource.Reading, names ...string) (int, error) {
			packages, _, err := grpc.Read(t.Context(), listener.Addr().String(), func(pkg string) bool { return strings.Contains(strings.Join(names, " ")+" ", pkg+" ") }, memory)
			return len(packages), err
		},
		"over HTTPS": func(memory *catalogsource.Reading, names ...string) (int, error) {
			reading, err := client.ReadPackages(t.Context(), server.URL, names, "", memory)
			return len(reading.Packages), err
		},
	} {
		var all []string
		for p := range keptPackages {
			all = append(all, fmt.Sprintf("package-%d", p))
		}
		for range 2 {
			memory := budget.Reading()
			if n, err := read(memory, all...); err == nil || !strings.Contains(err.Error(), "of the 14 MiB that all catalogs share") {
				t.Errorf("%s: more is kept than there is memory for: %d packages, %v", name, n, err)
			}
			memory.Close()
		}
		memory := budget.Reading()
		if n, err := read(memory, "package-3"); n != 1 || err != nil {
			t.Errorf("%s: what streams through counts: %d packages, %v", name, n, err)
		}
		memory.Close()
	}
}
