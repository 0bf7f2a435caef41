package grpc_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/operator-registry/pkg/api"
	googlegrpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/test/localcatalog"
)

const testdata = "../../../test/localcatalog/testdata"

func start(t *testing.T) *localcatalog.Server {
	t.Helper()
	server, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: []string{testdata + "/first"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

func TestReadReturnsWhatVersionSelectionNeeds(t *testing.T) {
	packages, _, err := grpc.Client{}.Read(t.Context(), start(t).GRPCAddress(), func(pkg string) bool { return pkg == "example" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) != 1 {
		t.Fatalf("%d packages, want the wanted one", len(packages))
	}
	for i := range packages[0].Bundles {
		packages[0].Bundles[i].Image = "" // depends on the port
	}
	want := catalog.Package{
		Name:           "example",
		DefaultChannel: "stable",
		Channels: []catalog.Channel{
			{Name: "fast", Entries: []catalog.Entry{{Name: "example.v1.1.0"}}},
			{Name: "stable", Entries: []catalog.Entry{
				{Name: "example.v1.0.0"},
				{Name: "example.v1.1.0", Replaces: "example.v1.0.0", Skips: []string{"example.v1.0.1", "example.v1.0.2"}, SkipRange: ">=1.0.0 <1.1.0"},
			}},
		},
		Bundles: []catalog.Bundle{
			{
				Name: "example.v1.0.0", Version: "1.0.0", MaxOpenShiftVersions: []string{`"4.20"`}, MinKubeVersion: "1.28.0",
				InstallModes: map[string]bool{"AllNamespaces": true, "OwnNamespace": false},
			},
			{Name: "example.v1.1.0", Version: "1.1.0"},
		},
	}
	if diff := cmp.Diff(want, packages[0]); diff != "" {
		t.Errorf("package (-want +got):\n%s", diff)
	}
}

func TestReadWithoutAWantedPackageIsEmpty(t *testing.T) {
	server := start(t)
	packages, _, err := grpc.Client{}.Read(t.Context(), server.GRPCAddress(), func(string) bool { return false }, nil)
	if err != nil || len(packages) != 0 {
		t.Errorf("read %v, %v", packages, err)
	}
	if got := server.Requests(); got != 1 {
		t.Errorf("%d calls, want the list only", got)
	}
}

// fake is a registry whose responses a test defines, for cases that operator-registry's own server cannot produce.
type fake struct {
	api.UnimplementedRegistryServer
	list      func(api.Registry_ListBundlesServer) error
	getBundle func(*api.GetBundleRequest) (*api.Bundle, error)
}

func (f fake) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	return f.list(stream)
}

func (f fake) GetPackage(_ context.Context, r *api.GetPackageRequest) (*api.Package, error) {
	return &api.Package{Name: r.GetName(), DefaultChannelName: "stable"}, nil
}

func (f fake) GetBundle(_ context.Context, r *api.GetBundleRequest) (*api.Bundle, error) {
	return f.getBundle(r)
}

func serve(t *testing.T, f fake) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := googlegrpc.NewServer()
	api.RegisterRegistryServer(server, f)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func send(bundles ...*api.Bundle) func(api.Registry_ListBundlesServer) error {
	return func(stream api.Registry_ListBundlesServer) error {
		for _, bundle := range bundles {
			if err := stream.Send(bundle); err != nil {
				return err
			}
		}
		return nil
	}
}

func apiBundle(image string) *api.Bundle {
	return &api.Bundle{
		PackageName: "example", ChannelName: "stable", CsvName: "example.v1.0.0", BundlePath: image,
		Properties: []*api.Property{{Type: "olm.package", Value: `{"packageName":"example","version":"1.0.0"}`}},
	}
}

func TestReadNeverReturnsAPartialList(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	unavailable := start(t)
	unavailable.Unavailable(true)

	for sentence, test := range map[string]struct {
		address string
		want    string
	}{
		"nothing listens":            {gone.Addr().String(), "listing bundles"},
		"the server is not ready":    {unavailable.GRPCAddress(), "made unavailable"},
		"it is no gRPC server":       {unavailable.RegistryHost(), "listing bundles"},
		"it is another gRPC service": {serveNothing(t), "unknown service"},
		"the stream breaks after the first bundle": {serve(t, fake{
			list: func(stream api.Registry_ListBundlesServer) error {
				return errors.Join(stream.Send(apiBundle("")), status.Error(codes.Unavailable, "going away"))
			},
		}), "going away"},
		"a bundle is gone when it is asked for": {serve(t, fake{
			list:      send(apiBundle("a@sha256:1")),
			getBundle: func(*api.GetBundleRequest) (*api.Bundle, error) { return nil, errors.New("no such bundle") },
		}), `getting bundle "example.v1.0.0" of package "example"`},
		"the catalog is replaced between two calls": {serve(t, fake{
			list:      send(apiBundle("a@sha256:1")),
			getBundle: func(*api.GetBundleRequest) (*api.Bundle, error) { return apiBundle("a@sha256:2"), nil },
		}), "was replaced during the read"},
		"a message is larger than the limit": {serve(t, fake{
			list: send(&api.Bundle{PackageName: "example", CsvJson: strings.Repeat("x", 65<<20)}),
		}), "larger than max"},
	} {
		t.Run(sentence, func(t *testing.T) {
			packages, _, err := grpc.Client{}.Read(t.Context(), test.address, nil, nil)
			if err == nil || packages != nil {
				t.Fatalf("read %v, %v", packages, err)
			}
			for _, part := range []string{"reading catalog at", test.address, test.want} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
}

func serveNothing(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := googlegrpc.NewServer()
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return listener.Addr().String()
}

func TestReadEndsWithItsContextWhenTheServerHangs(t *testing.T) {
	listed := make(chan struct{})
	address := serve(t, fake{list: func(stream api.Registry_ListBundlesServer) error {
		err := stream.Send(apiBundle(""))
		close(listed)
		<-stream.Context().Done()
		return err
	}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-listed
		cancel()
	}()
	began := time.Now()
	packages, _, err := grpc.Client{}.Read(ctx, address, nil, nil)
	if status.Code(errors.Unwrap(errors.Unwrap(err))) != codes.Canceled || packages != nil {
		t.Errorf("read %v, %v after %s", packages, err, time.Since(began))
	}
}

func TestReadAcceptsMessagesAboveFourMebibytes(t *testing.T) {
	csv := `{"kind":"ClusterServiceVersion","spec":{"minKubeVersion":"1.30.0","description":"` + strings.Repeat("x", 5<<20) + `"}}`
	bundle := apiBundle("")
	bundle.CsvJson = csv
	packages, _, err := grpc.Client{}.Read(t.Context(), serve(t, fake{list: send(bundle)}), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := packages[0].Bundles[0].MinKubeVersion; got != "1.30.0" {
		t.Errorf("minKubeVersion %q, want that of the list's own ClusterServiceVersion", got)
	}
}

func TestReadOmitsAnInvalidBundle(t *testing.T) {
	bad := apiBundle("")
	bad.CsvName = "example.v2.0.0"
	bad.Properties[0].Value = `"not an object"`
	good := apiBundle("")
	good.CsvJson = `{"kind":"ClusterServiceVersion","spec":{}}`
	packages, _, err := grpc.Client{}.Read(t.Context(), serve(t, fake{list: send(bad, good)}), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := packages[0]
	if len(p.Bundles) != 1 || p.Bundles[0].Name != "example.v1.0.0" {
		t.Errorf("bundles: %v", p.Bundles)
	}
	if len(p.Faults) != 1 || !strings.Contains(p.Faults[0], `"example.v2.0.0" is left out`) {
		t.Errorf("faults: %q", p.Faults)
	}
}
