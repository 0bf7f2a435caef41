package catalogsource_test

import (
	"bufio"
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/operator-framework/operator-registry/pkg/api"
	googlegrpc "google.golang.org/grpc"
)

// hostileServer is the environment variable with which a process of these tests serves the hostile catalogs. The servers are another
// process, so that their memory is not part of the reader's heap.
const hostileServer = "SERVE_HOSTILE_CATALOGS"

func TestMain(m *testing.M) {
	if os.Getenv(hostileServer) == "" {
		os.Exit(m.Run())
	}
	if err := serveHostile(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// hostileAddresses is what the server process prints, as JSON: the gRPC address of each catalog, the base URL of each HTTPS catalog, and
// the certificate of the latter.
type hostileAddresses struct {
	GRPC        map[string]string
	HTTPS       map[string]string
	Certificate []byte
}

// serveHostile serves the hostile catalogs until its standard input ends. When every catalog has sent one half or has lost its reader, it
// prints a line, and waits for a line before it continues.
func serveHostile() error {
	in := bufio.NewReader(os.Stdin)
	halves := &barrier{remaining: len(hostileRegistries) + len(hostileBodies), all: make(chan struct{}), then: make(chan struct{})}
	go func() {
		<-halves.all
		fmt.Println("halves")
		_, _ = in.ReadString('\n')
		close(halves.then)
	}()
	addresses := hostileAddresses{GRPC: map[string]string{}, HTTPS: map[string]string{}}
	for name, registry := range hostileRegistries {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		registry.halves = halves
		server := googlegrpc.NewServer()
		api.RegisterRegistryServer(server, registry)
		go func() { _ = server.Serve(listener) }()
		addresses.GRPC[name] = listener.Addr().String()
	}
	mux := nethttp.NewServeMux()
	server := httptest.NewTLSServer(mux)
	for name, body := range hostileBodies {
		path, once := "/"+strings.ReplaceAll(name, " ", "-"), sync.Once{}
		mux.HandleFunc(path+"/api/v1/all", func(w nethttp.ResponseWriter, r *nethttp.Request) {
			if body.header > 0 {
				w.Header().Set("X-Header", strings.Repeat("h", body.header))
			}
			half := func() { once.Do(func() { halves.wait(r.Context()) }) }
			defer once.Do(halves.leave)
			body.write(w, half)
		})
		addresses.HTTPS[name] = server.URL + path
	}
	addresses.Certificate = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := json.NewEncoder(os.Stdout).Encode(addresses); err != nil {
		return err
	}
	<-halves.then
	_, _ = io.Copy(io.Discard, in)
	return nil
}

// barrier blocks its participants until all have arrived (all is closed), and then until then is closed.
type barrier struct {
	lock      sync.Mutex
	remaining int
	all, then chan struct{}
}

func (m *barrier) leave() {
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.remaining--; m.remaining == 0 {
		close(m.all)
	}
}

func (m *barrier) wait(ctx context.Context) {
	m.leave()
	select {
	case <-m.then:
	case <-ctx.Done():
	}
}

// hostileRegistry sends a list of bundles in two halves, with a barrier between them.
type hostileRegistry struct {
	api.UnimplementedRegistryServer
	// bundles is the number of bundles, and bundle returns the one with index n.
	bundles int
	bundle  func(n int) *api.Bundle
	// answer returns the response to GetBundle.
	answer func(name string) *api.Bundle
	halves *barrier
	once   sync.Once
}

func (r *hostileRegistry) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	defer r.once.Do(r.halves.leave)
	for n := range r.bundles {
		if n == r.bundles/2 {
			r.once.Do(func() { r.halves.wait(stream.Context()) })
		}
		if err := stream.Send(r.bundle(n)); err != nil {
			return err
		}
	}
	return nil
}

func (r *hostileRegistry) GetPackage(_ context.Context, request *api.GetPackageRequest) (*api.Package, error) {
	return &api.Package{Name: request.GetName()}, nil
}

func (r *hostileRegistry) GetBundle(_ context.Context, request *api.GetBundleRequest) (*api.Bundle, error) {
	return r.answer(request.GetCsvName()), nil
}

// listedBundle returns bundle n of a wanted package. Each package has this many bundles (each).
func listedBundle(n, each int) *api.Bundle {
	return &api.Bundle{PackageName: fmt.Sprintf("wanted-%d", n/each), ChannelName: "stable", CsvName: fmt.Sprintf("v1.%d.0", n), CsvJson: "{}"}
}

// bigText returns a text that is unique for n and has about size bytes.
func bigText(n, size int) string { return fmt.Sprintf("%d-", n) + strings.Repeat("x", size) }

// hostileRegistries are the hostile catalogs that are served over gRPC.
var hostileRegistries = map[string]*hostileRegistry{
	"ClusterServiceVersions nearly as large as a usual message": {bundles: 100, bundle: func(n int) *api.Bundle {
		b := listedBundle(n, 1000)
		b.CsvJson = `{"spec":{"description":"` + bigText(n, 480<<10) + `"}}`
		return b
	}},
	"messages nearly as large as they may be": {bundles: 6, bundle: func(n int) *api.Bundle {
		b := listedBundle(n, 1000)
		b.CsvJson = `{"spec":{"description":"` + bigText(n, 7<<20) + `"}}`
		return b
	}},
	"messages of empty properties": {bundles: 20, bundle: func(n int) *api.Bundle {
		b := listedBundle(n, 1000)
		b.Properties = make([]*api.Property, 250_000)
		for i := range b.Properties {
			b.Properties[i] = &api.Property{}
		}
		return b
	}},
	"packages that are kept": {bundles: 16 * 600, bundle: func(n int) *api.Bundle {
		b := listedBundle(n, 600)
		b.BundlePath = bigText(n, 2000)
		return b
	}},
	"a package that is too large": {bundles: 40_000, bundle: func(n int) *api.Bundle {
		b := listedBundle(n, 100_000)
		b.BundlePath = bigText(n, 2000)
		return b
	}},
	"deprecations as large as a usual message": {bundles: 100, bundle: func(n int) *api.Bundle {
		b := listedBundle(n, 1000)
		b.Deprecation = &api.Deprecation{Message: bigText(n, 480<<10)}
		return b
	}},
	"answers nearly as large as a usual message": {bundles: 40, bundle: func(n int) *api.Bundle {
		b := listedBundle(n, 1000)
		b.CsvJson = ""
		return b
	}, answer: func(name string) *api.Bundle {
		return &api.Bundle{CsvName: name, CsvJson: `{"spec":{"description":"` + bigText(0, 480<<10) + `"}}`}
	}},
	"kinds of packages that nobody wants": {bundles: 200, bundle: func(n int) *api.Bundle {
		b := &api.Bundle{PackageName: fmt.Sprintf("package-%d", n), ChannelName: "stable", CsvName: "v1.0.0"}
		for kind := range 500 {
			b.Properties = append(b.Properties, &api.Property{Type: "olm.gvk", Value: hostileKind(n*500 + kind)})
		}
		return b
	}},
}

// hostileKind returns, as JSON, a kind that is unique for n.
func hostileKind(n int) string {
	return fmt.Sprintf(`{"group":"group-%d.example.com","version":"v1","kind":"Kind%d"}`, n, n)
}

// hostileBody is a catalog over HTTPS. After headers of the size header, write sends it in two halves, and calls half between them.
type hostileBody struct {
	header int
	write  func(w io.Writer, half func())
}

// blobs returns a function that writes n blobs, one on each line.
func blobs(n int, blob func(n int) string) func(io.Writer, func()) {
	return func(w io.Writer, half func()) {
		for i := range n {
			if i == n/2 {
				half()
			}
			if _, err := fmt.Fprintln(w, blob(i)); err != nil {
				return
			}
		}
	}
}

// entries returns a function that writes one blob with n entries. Its fields are sorted, so that the package follows the entries.
func entries(n int, entry func(n int) string) func(io.Writer, func()) {
	return func(w io.Writer, half func()) {
		out := bufio.NewWriterSize(w, 1<<20)
		defer out.Flush()
		fmt.Fprint(out, `{"entries":[`)
		for i := range n {
			if i == n/2 {
				out.Flush()
				half()
			}
			if _, err := fmt.Fprint(out, entry(i), ","); err != nil {
				return
			}
		}
		fmt.Fprint(out, `{}],"name":"stable","package":"wanted-0","schema":"olm.channel"}`)
	}
}

// hostileBodies are the hostile catalogs that are served over HTTPS.
var hostileBodies = map[string]hostileBody{
	"a channel of empty entries": {write: entries(10<<20, func(int) string { return "{}" })},
	"a channel of large entries": {write: entries(60_000, func(n int) string { return `{"name":"` + bigText(n, 500) + `"}` })},
	"large properties": {write: blobs(10, func(n int) string {
		property := `{"type":"olm.csv.metadata","value":{"description":"` + bigText(n, 3900<<10) + `"}}`
		return `{"properties":[` + property + "," + property + `],"schema":"olm.bundle","package":"wanted-0","name":"` + bigText(n, 1) + `"}`
	})},
	"upgrade rules of small objects": {write: blobs(200, func(n int) string {
		return fmt.Sprintf(`{"schema":"io.openshift.operators.upgrades.v1","package":"wanted-%d","n":%d,"steps":[`, n%40, n) + strings.Repeat(`{"a":1},`, 9_000) + `{}]}`
	})},
	"kinds of packages that nobody wants": {write: blobs(200, func(n int) string {
		var kinds strings.Builder
		for kind := range 500 {
			fmt.Fprintf(&kinds, `{"type":"olm.gvk","value":%s},`, hostileKind(n*500+kind))
		}
		return fmt.Sprintf(`{"schema":"olm.bundle","package":"package-%d","name":"v1.0.0","properties":[%s{}]}`, n, &kinds)
	})},
	"packages that are too large": {write: blobs(8*7_000, func(n int) string {
		return fmt.Sprintf(`{"schema":"olm.bundle","package":"wanted-%d","name":"v1.%d.0","properties":[{"type":"olm.csv.metadata","value":{"minKubeVersion":%q}}]}`, n/7_000, n, bigText(n, 2000))
	})},
	"faults of many packages": {write: blobs(1000*100, func(n int) string {
		return fmt.Sprintf(`{"schema":"olm.bundle","package":"wanted-%d","name":"%d-%s","properties":{"a":"%s"}}`, n%1000, n, strings.Repeat("n", 80), strings.Repeat("v", 80))
	})},
	"headers of megabytes": {header: 9 << 20, write: blobs(1000, func(n int) string {
		return fmt.Sprintf(`{"schema":"olm.bundle","package":"wanted-0","name":"v1.%d.0"}`, n)
	})},
}

// awaitHalves waits until the server process prints that all catalogs have sent one half, calls look, and makes the server continue.
func awaitHalves(out *bufio.Reader, in io.Writer, look func()) error {
	if line, err := out.ReadString('\n'); err != nil || line != "halves\n" {
		return fmt.Errorf("the server of hostile catalogs printed %q: %w", line, err)
	}
	look()
	_, err := fmt.Fprintln(in)
	return err
}
