package catalogsource_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/operator-framework/operator-registry/pkg/api"
	googlegrpc "google.golang.org/grpc"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
)

// A synthetic catalog as large as the largest of OpenShift, of which two packages are wanted. It is created while it is sent, because the
// heap includes the memory of the servers.
const (
	bigPackages, bigBundles = 200, 25
	bigKinds                = 6        // of each package, as in real catalogs
	bigManifest             = 11 << 10 // bytes of each bundle's ClusterServiceVersion: 55 MB in all
	keptAtMost              = 1 << 20
	// inUseAtMost is the maximum number of bytes that a read may add to the heap at any time, including uncollected garbage and the
	// servers' memory.
	inUseAtMost = 32 << 20
)

func wantedOfBig(pkg string) bool { return pkg == "package-7" || pkg == "package-123" }

func bigVersion(bundle int) string { return fmt.Sprintf("1.%d.0", bundle) }

// bigRegistry streams the synthetic catalog as operator-registry would.
type bigRegistry struct {
	api.UnimplementedRegistryServer
	sent int
}

func (r *bigRegistry) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	for p := range bigPackages {
		for b := range bigBundles {
			pkg := fmt.Sprintf("package-%d", p)
			bundle := &api.Bundle{
				PackageName: pkg, ChannelName: "stable", CsvName: pkg + ".v" + bigVersion(b), Version: bigVersion(b),
				BundlePath: "registry.invalid/" + pkg + "@sha256:0a", CsvJson: bigCSV(pkg, b),
			}
			for k := range bigKinds {
				bundle.Properties = append(bundle.Properties, &api.Property{Type: "olm.gvk", Value: bigKind(pkg, k)})
			}
			r.sent += len(bundle.CsvJson)
			if err := stream.Send(bundle); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *bigRegistry) GetPackage(_ context.Context, request *api.GetPackageRequest) (*api.Package, error) {
	return &api.Package{Name: request.GetName(), DefaultChannelName: "stable", Channels: []*api.Channel{{Name: "stable"}}}, nil
}

// bigKind returns a kind that every version of a package provides, as the value of a property.
func bigKind(pkg string, kind int) string {
	return fmt.Sprintf(`{"group":"%s.example.com","version":"v1alpha1","kind":"%s-%d-resource"}`, pkg, pkg, kind)
}

func bigCSV(pkg string, bundle int) string {
	return fmt.Sprintf(`{"kind":"ClusterServiceVersion","metadata":{"name":"%s.v%s","annotations":{"description":%q}},"spec":{"installModes":[{"type":"AllNamespaces","supported":true}]}}`,
		pkg, bigVersion(bundle), strings.Repeat("lorem ", bigManifest/6))
}

// writeBig writes the synthetic catalog as catalogd would.
func writeBig(w io.Writer) error {
	lines := json.NewEncoder(w)
	for p := range bigPackages {
		pkg := fmt.Sprintf("package-%d", p)
		entries := []map[string]any{}
		for b := range bigBundles {
			entries = append(entries, map[string]any{"name": pkg + ".v" + bigVersion(b)})
		}
		for _, blob := range []map[string]any{
			{"schema": "olm.package", "name": pkg, "defaultChannel": "stable"},
			{"schema": "olm.channel", "package": pkg, "name": "stable", "entries": entries},
		} {
			if err := lines.Encode(blob); err != nil {
				return err
			}
		}
		for b := range bigBundles {
			properties := []map[string]any{
				{"type": "olm.package", "value": map[string]any{"packageName": pkg, "version": bigVersion(b)}},
				{"type": "olm.csv.metadata", "value": map[string]any{"annotations": map[string]any{"description": strings.Repeat("lorem ", bigManifest/6)}}},
			}
			for k := range bigKinds {
				properties = append(properties, map[string]any{"type": "olm.gvk", "value": json.RawMessage(bigKind(pkg, k))})
			}
			if err := lines.Encode(map[string]any{
				"schema": "olm.bundle", "package": pkg, "name": pkg + ".v" + bigVersion(b), "image": "registry.invalid/" + pkg + "@sha256:0a",
				"properties": properties,
			}); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestMemoryDependsOnTheWantedPackages(t *testing.T) {
	for name, read := range map[string]func(*testing.T) ([]catalog.Package, *catalog.Providers){"over gRPC": readBigGRPC, "over HTTPS": readBigHTTPS} {
		t.Run(name, func(t *testing.T) {
			var packages []catalog.Package
			var providers *catalog.Providers
			kept, most := memory(func() { packages, providers = read(t) })
			t.Logf("%d KiB kept, %d KiB more in use at most while it was read", kept>>10, most>>10)
			if len(packages) != 2 || len(packages[0].Bundles) != bigBundles || len(packages[1].Bundles) != bigBundles {
				t.Fatalf("%d packages were read", len(packages))
			}
			last := catalog.GVK{Group: "package-199.example.com", Version: "v1alpha1", Kind: "package-199-5-resource"}
			if got := providers.ForKind(last); !slices.Equal(got, []string{"package-199"}) || !providers.IsComplete() {
				t.Errorf("%q provide a kind of the last package", got)
			}
			if kept > keptAtMost {
				t.Errorf("%d bytes are kept, more than %d", kept, keptAtMost)
			}
			if most > inUseAtMost {
				t.Errorf("%d bytes more were in use, more than %d", most, inUseAtMost)
			}
			runtime.KeepAlive(packages)
			runtime.KeepAlive(providers)
		})
	}
}

func readBigGRPC(t *testing.T) ([]catalog.Package, *catalog.Providers) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	registry, server := &bigRegistry{}, googlegrpc.NewServer()
	api.RegisterRegistryServer(server, registry)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	defer serving.Wait()
	defer server.Stop()
	packages, providers, err := grpc.Client{}.Read(t.Context(), listener.Addr().String(), wantedOfBig, nil)
	if err != nil {
		t.Fatal(err)
	}
	if registry.sent < 50<<20 {
		t.Errorf("only %d bytes of manifests were sent", registry.sent)
	}
	return packages, providers
}

func readBigHTTPS(t *testing.T) ([]catalog.Package, *catalog.Providers) {
	sent := &counter{}
	server := httptest.NewTLSServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if !strings.HasSuffix(r.URL.Path, "/api/v1/all") {
			nethttp.NotFound(w, r) // as catalogd without the gate for metas
			return
		}
		sent.Writer = w
		_ = writeBig(sent)
	}))
	defer server.Close()
	roots := server.Client().Transport.(*nethttp.Transport).TLSClientConfig.RootCAs
	client := http.New(http.Options{RootCAs: roots})
	defer client.Close()
	reading, err := client.ReadPackages(t.Context(), server.URL, []string{"package-123", "package-7"}, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if sent.bytes < 50<<20 {
		t.Errorf("only %d bytes were sent", sent.bytes)
	}
	return reading.Packages, reading.Providers
}

type counter struct {
	io.Writer
	bytes int
}

func (c *counter) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return c.Writer.Write(p)
}

// memory calls do. It returns the number of bytes that the heap is larger afterwards (kept), and the maximum meanwhile (most).
func memory(do func()) (kept, most int64) {
	before := heap(true)
	done := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(2 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				most = max(most, heap(false)-before)
			}
		}
	})
	do()
	close(done)
	watching.Wait()
	return heap(true) - before, most
}

func heap(collected bool) int64 {
	if collected {
		runtime.GC()
		runtime.GC() // frees what finalizers released
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
