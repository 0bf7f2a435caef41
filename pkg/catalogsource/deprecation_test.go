package catalogsource_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/catalogsource/grpc"
	"github.com/openshift/platform-operators/pkg/catalogsource/http"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

func TestDeprecationChangesItsPackageOnly(t *testing.T) {
	dir := t.TempDir()
	write := func(deprecations ...samples.Deprecation) {
		t.Helper()
		if err := samples.WritePackages(dir, []samples.Package{{Name: "aged", Deprecations: deprecations}},
			samples.Operator{Package: "aged", Version: "1.0.0"}, samples.Operator{Package: "other", Version: "1.0.0"}); err != nil {
			t.Fatal(err)
		}
	}
	write()
	server, err := localcatalog.Start(t.Context(), localcatalog.Options{Catalogs: []string{filepath.Join(dir, "catalog")}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client := http.New(http.Options{CAFile: server.CAFile()})
	defer client.Close()
	snapshots := catalogsource.NewSnapshots()
	names := []string{"aged", "other"}
	read := func() map[string][]string {
		t.Helper()
		overGRPC, _, err := grpc.Client{}.Read(t.Context(), server.GRPCAddress(), func(pkg string) bool { return slices.Contains(names, pkg) }, nil)
		if err != nil {
			t.Fatal(err)
		}
		overHTTPS, err := client.ReadPackages(t.Context(), server.HTTPSBaseURL(), names, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		wanted := map[string]bool{"aged": true, "other": true}
		return map[string][]string{
			"gRPC":  snapshots.Set(catalogsource.Info{ID: catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "ns", Name: "c"}, Wanted: wanted}, overGRPC),
			"HTTPS": snapshots.Set(catalogsource.Info{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "c"}, Wanted: wanted}, overHTTPS.Packages),
		}
	}
	read()
	for _, step := range []struct {
		name         string
		deprecations []samples.Deprecation
	}{
		{"the package is deprecated", []samples.Deprecation{{Message: "use newer"}}},
		{"nothing is", nil},
		{"a channel is", []samples.Deprecation{{Channel: "stable", Message: "use fast"}}},
		{"a version is instead", []samples.Deprecation{{Version: "1.0.0", Message: "has a hole"}}},
		{"its message changes", []samples.Deprecation{{Version: "1.0.0", Message: "has two"}}},
		{"nothing is again", nil},
	} {
		write(step.deprecations...)
		if err := server.Update(t.Context()); err != nil {
			t.Fatal(err)
		}
		for protocol, changed := range read() {
			if !slices.Equal(changed, []string{"aged"}) {
				t.Errorf("%s: over %s packages %q changed", step.name, protocol, changed)
			}
		}
		for protocol, changed := range read() {
			if len(changed) > 0 {
				t.Errorf("%s: read once more over %s, packages %q changed", step.name, protocol, changed)
			}
		}
	}
}
