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

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
)

// keptRegistry lists 16 packages of 1.5 MiB each, which together exceed the budget.
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

func TestHRD_B4_BothProtocolsUseTheBudget(t *testing.T) {
	address := serveRegistry(t, &keptRegistry{})
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
	for name, read := range map[string]func(memory *catalogsource.Reservation, names ...string) (int, error){
		"over gRPC": func(memory *catalogsource.Reservation, names ...string) (int, error) {
			packages, _, err := grpc.Client{}.Read(t.Context(), address, func(pkg string) bool { return strings.Contains(strings.Join(names, " ")+" ", pkg+" ") }, memory)
			return len(packages), err
		},
		"over HTTPS": func(memory *catalogsource.Reservation, names ...string) (int, error) {
			reading, err := client.ReadPackages(t.Context(), server.URL, names, "", memory)
			return len(reading.Packages), err
		},
	} {
		var all []string
		for p := range keptPackages {
			all = append(all, fmt.Sprintf("package-%d", p))
		}
		for range 2 {
			memory := budget.NewReservation()
			if n, err := read(memory, all...); err == nil || !strings.Contains(err.Error(), "of the 14 MiB that all catalogs share is free; the manager retries") {
				t.Errorf("%s: more is kept than there is memory for: %d packages, %v", name, n, err)
			}
			memory.Close()
		}
		memory := budget.NewReservation()
		if n, err := read(memory, "package-3"); n != 1 || err != nil {
			t.Errorf("%s: what streams through counts: %d packages, %v", name, n, err)
		}
		memory.Close()
	}
}

// tooLargeRegistry lists one package that exceeds the maximum size of a package, and then a small one.
type tooLargeRegistry struct{ bigRegistry }

const tooLargeBundles = 12_000

func (r *tooLargeRegistry) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	for b := range tooLargeBundles {
		if err := stream.Send(&api.Bundle{PackageName: "large", ChannelName: "stable", CsvName: fmt.Sprintf("v1.%d.0", b), CsvJson: "{}", BundlePath: keptText}); err != nil {
			return err
		}
	}
	return stream.Send(&api.Bundle{PackageName: "small", ChannelName: "stable", CsvName: "v1.0.0", CsvJson: "{}"})
}

func TestHRD_B4_TooLargePackageDoesNotAffectOthers(t *testing.T) {
	for name, read := range map[string]func(*testing.T, catalog.MemoryBudget) ([]catalog.Package, error){
		"over gRPC": func(t *testing.T, memory catalog.MemoryBudget) ([]catalog.Package, error) {
			packages, _, err := grpc.Client{}.Read(t.Context(), serveRegistry(t, &tooLargeRegistry{}), nil, memory.(*catalogsource.Reservation))
			return packages, err
		},
		"as JSON": func(_ *testing.T, memory catalog.MemoryBudget) ([]catalog.Package, error) {
			var lines strings.Builder
			for b := range tooLargeBundles {
				fmt.Fprintf(&lines, `{"schema":"olm.bundle","package":"large","name":"v1.%d.0","image":%q}`+"\n", b, keptText)
			}
			packages, _, err := catalog.ReadServed(strings.NewReader(lines.String()+`{"schema":"olm.bundle","package":"small","name":"v1.0.0"}`), nil, memory)
			return packages, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			memory := catalogsource.NewBudget().NewReservation()
			defer memory.Close()
			packages, err := read(t, memory)
			if err != nil || len(packages) != 2 {
				t.Fatalf("%d packages, %v", len(packages), err)
			}
			if large := packages[0]; len(large.Bundles) != 0 || len(large.Faults) != 1 || !strings.Contains(large.Faults[0], "more than 14 MiB") {
				t.Errorf("of the package that is too large there are %d bundles, and faults %q", len(large.Bundles), large.Faults)
			}
			if small := packages[1]; len(small.Bundles) != 1 || len(small.Faults) != 0 {
				t.Errorf("of the other package there are %d bundles, and faults %q", len(small.Bundles), small.Faults)
			}
		})
	}
}

// serveRegistry starts a gRPC server for a registry and returns its address. The server stops at the end of the test.
func serveRegistry(t *testing.T, registry api.RegistryServer) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := googlegrpc.NewServer()
	api.RegisterRegistryServer(server, registry)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}
