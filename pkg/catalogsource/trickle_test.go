package catalogsource_test

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/operator-framework/operator-registry/pkg/api"
	googlegrpc "google.golang.org/grpc"

	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/pkg/scenario/network"
)

// tricklingRegistry lists a number of bundles of a wanted package. If trickles is true, it then sends an unwanted bundle every second.
type tricklingRegistry struct {
	bigRegistry
	bundles  int
	trickles bool
	text     string
}

func (r *tricklingRegistry) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	return r.each(stream.Context(), func(n int, pkg, text string) error {
		return stream.Send(&api.Bundle{PackageName: pkg, ChannelName: "stable", CsvName: fmt.Sprintf("v1.%d.0", n), CsvJson: "{}", BundlePath: text})
	})
}

func (r *tricklingRegistry) ServeHTTP(w nethttp.ResponseWriter, request *nethttp.Request) {
	if !strings.HasSuffix(request.URL.Path, "/api/v1/all") {
		nethttp.NotFound(w, request)
		return
	}
	_ = r.each(request.Context(), func(n int, pkg, text string) error {
		fmt.Fprintf(w, `{"schema":"olm.bundle","package":%q,"name":"v1.%d.0","image":%q}`+"\n", pkg, n, text)
		return nethttp.NewResponseController(w).Flush()
	})
}

func (r *tricklingRegistry) each(ctx context.Context, send func(n int, pkg, text string) error) error {
	pkg, text := "wanted", r.text
	for n := 0; n < r.bundles || r.trickles; n++ {
		if n >= r.bundles {
			pkg, text = "unwanted", ""
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
			}
		}
		if err := send(n, pkg, text); err != nil {
			return err
		}
	}
	return nil
}

func TestHRD_B4_SlowCatalogDoesNotFailOthers(t *testing.T) {
	large := strings.Repeat("x", 600<<10) // more than a usual message has
	for name, test := range map[string]struct {
		trickling, other *tricklingRegistry
		protocols        []string
	}{
		"nearly all common memory": {
			trickling: &tricklingRegistry{bundles: 5_000, trickles: true, text: keptText},
			other:     &tricklingRegistry{bundles: 2_000, text: keptText},
			protocols: []string{"gRPC", "HTTPS"},
		},
		"large messages": {
			trickling: &tricklingRegistry{bundles: 1, trickles: true, text: large},
			other:     &tricklingRegistry{bundles: 1, text: large},
			protocols: []string{"gRPC"},
		},
	} {
		for _, of := range test.protocols {
			for _, protocol := range test.protocols {
				t.Run(fmt.Sprintf("%s, over %s beside %s", name, protocol, of), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						trickling, other := *test.trickling, *test.other
						first, second := readerOf(t, of, &trickling), readerOf(t, protocol, &other)
						budget := catalogsource.NewBudget()
						ended := make(chan error)
						go func() { ended <- first(budget.NewReservation()) }()
						synctest.Wait()
						if err := second(budget.NewReservation()); err != nil {
							t.Errorf("the other catalog: %v", err)
						}
						if err := <-ended; err == nil || !strings.Contains(err.Error(), "the catalog is too slow: its server sent less than") {
							t.Errorf("the catalog that trickles: %v", err)
						}
					})
				})
			}
		}
	}
}

// readerOf serves a catalog on an in-memory network. It returns a function that reads the catalog and closes the reservation.
func readerOf(t *testing.T, protocol string, registry *tricklingRegistry) func(*catalogsource.Reservation) error {
	t.Helper()
	const address = "catalog.example:443"
	var memory network.Network
	listener, err := memory.Listen(address)
	if err != nil {
		t.Fatal(err)
	}
	if protocol == "gRPC" {
		server := googlegrpc.NewServer()
		api.RegisterRegistryServer(server, registry)
		go func() { _ = server.Serve(listener) }()
		t.Cleanup(server.Stop)
		return func(reading *catalogsource.Reservation) error {
			defer reading.Close()
			_, _, err := grpc.Client{Dial: memory.DialContext}.Read(t.Context(), address, func(pkg string) bool { return pkg == "wanted" }, reading)
			return err
		}
	}
	server := httptest.NewUnstartedServer(registry)
	server.Listener.Close()
	server.Listener = listener
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := http.New(http.Options{RootCAs: roots, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return memory.DialContext(ctx, network, address)
	}})
	t.Cleanup(client.Close)
	return func(reading *catalogsource.Reservation) error {
		defer reading.Close()
		_, err := client.ReadPackages(t.Context(), "https://example.com", []string{"wanted"}, "", reading)
		return err
	}
}
