package catalogsource_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/realdata"
)

const testdata = "../../test/localcatalog/testdata"

// readBoth reads one catalog over gRPC and over HTTPS, and returns its packages. The test fails if the results differ.
func readBoth(t *testing.T, folder string, want func(string) bool) []catalog.Package {
	t.Helper()
	server, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: []string{folder}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client := http.New(http.Options{CAFile: server.CAFile()})
	defer client.Close()

	began := time.Now()
	overGRPC, provided, err := grpc.Client{}.Read(t.Context(), server.GRPCAddress(), want, nil)
	if err != nil {
		t.Fatal(err)
	}
	middle := time.Now()
	overHTTPS, err := client.Read(t.Context(), server.HTTPSBaseURL(), want)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d packages in %s over gRPC, in %s over HTTPS", folder, len(overHTTPS), middle.Sub(began), time.Since(middle))
	if !reflect.DeepEqual(overHTTPS, overGRPC) { // cmp takes seconds for this much
		t.Errorf("%s: over HTTPS (-) and over gRPC (+):\n%.4000s", folder, cmp.Diff(overHTTPS, overGRPC))
	}
	alone, err := client.ReadProviders(t.Context(), server.HTTPSBaseURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !provided.IsComplete() || !alone.Providers.Equal(provided) {
		t.Errorf("%s: the index of provided kinds differs over gRPC and over HTTPS", folder)
	}
	for _, p := range overHTTPS {
		for _, b := range p.Bundles {
			for _, gvk := range b.ProvidedGVKs {
				if !slices.Contains(provided.ForKind(gvk), p.Name) {
					t.Errorf("%s: %q provides %q, of which %q are known", folder, b.Name, gvk, provided.ForKind(gvk))
				}
			}
		}
	}
	return overHTTPS
}

func TestBothProtocolsGiveEqualPackages(t *testing.T) {
	for _, content := range []string{"first", "second"} {
		if packages := readBoth(t, testdata+"/"+content, nil); len(packages) == 0 {
			t.Errorf("%s: nothing was read", content)
		}
	}
}

// TestPublishedPackageIsEqualOverBothProtocols compares one real package. It is small enough to run with the race detector, unlike the next
// test.
func TestPublishedPackageIsEqualOverBothProtocols(t *testing.T) {
	packages := readBoth(t, realdata.Path(t, "catalogs/community-v4.20/project-quay"), nil)
	if len(packages) != 1 || packages[0].Name != "project-quay" || len(packages[0].Bundles) != 152 {
		t.Errorf("%d packages were read, want project-quay with its 152 bundles", len(packages))
	}
}

// Promise UPG-C6: The real community and certified catalogs of OpenShift 4.20 have the same 96 packages and 1,479 bundles over gRPC and
// over HTTPS.
func TestUPG_C6RealCatalogsReadTheSameOverBothProtocols(t *testing.T) {
	packages, bundles, kinds, needy := 0, 0, 0, 0
	for _, name := range []string{"community-v4.20", "certified-v4.20"} {
		for _, p := range readBoth(t, realdata.Path(t, "catalogs/"+name), nil) {
			packages++
			bundles += len(p.Bundles)
			if len(p.Faults) > 0 || p.DefaultChannel == "" || len(p.Channels) == 0 {
				t.Errorf("%s: package %q has faults %q, default channel %q and %d channels", name, p.Name, p.Faults, p.DefaultChannel, len(p.Channels))
			}
			if p.Notes != nil {
				t.Errorf("%s: package %q has notes %q", name, p.Name, p.Notes)
			}
			for _, b := range p.Bundles {
				kinds += len(b.ProvidedGVKs)
				if len(b.Requirements) > 0 {
					needy++
				}
				if b.Version == "" || b.InstallModes == nil {
					t.Errorf("%s: bundle %q has version %q and install modes %v", name, b.Name, b.Version, b.InstallModes)
				}
			}
		}
	}
	if packages != 96 || bundles != 1479 {
		t.Errorf("%d packages and %d bundles, want 96 and 1,479", packages, bundles)
	}
	if kinds != 9738 || needy != 65 {
		t.Errorf("%d kinds provided and %d bundles that require something, want 9,738 and 65", kinds, needy)
	}
}

// TestHRD_B4_RealCatalogsFitTheBudget checks that two real catalogs can be read over both protocols with one budget, with every package
// wanted.
func TestHRD_B4_RealCatalogsFitTheBudget(t *testing.T) {
	budget := catalogsource.NewBudget()
	for folder, want := range map[string]int{"community-v4.20": 37, "certified-v4.20": 59} {
		server, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: []string{realdata.Path(t, "catalogs/"+folder)}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { server.Close() })
		client := http.New(http.Options{CAFile: server.CAFile()})
		t.Cleanup(client.Close)
		memory := budget.NewReservation()
		t.Cleanup(memory.Close)
		packages, _, err := grpc.Client{}.Read(t.Context(), server.GRPCAddress(), nil, memory)
		if err != nil || len(packages) != want {
			t.Fatalf("%s over gRPC: %d packages, %v", folder, len(packages), err)
		}
		var names []string
		for _, p := range packages {
			names = append(names, p.Name)
		}
		memory = budget.NewReservation()
		t.Cleanup(memory.Close)
		reading, err := client.ReadPackages(t.Context(), server.HTTPSBaseURL(), names, "", memory)
		if err != nil || len(reading.Packages) != want {
			t.Fatalf("%s over HTTPS: %d packages, %v", folder, len(reading.Packages), err)
		}
	}
}
