package content

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
)

var (
	mainCatalog   = catalog.ID{Kind: catalog.KindClusterCatalog, Name: "main"}
	servedCatalog = catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "openshift-marketplace", Name: "certified"}
)

// packageOf returns a file of a catalog with a package of one bundle, which provides a kind of example.com/v1.
func packageOf(name, kind string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.NewReplacer("NAME", name, "KIND", kind).Replace(
		`{"schema":"olm.package","name":"NAME","defaultChannel":"stable"}
{"schema":"olm.channel","package":"NAME","name":"stable","entries":[{"name":"NAME.v1"}]}
{"schema":"olm.bundle","package":"NAME","name":"NAME.v1","image":"example.test/NAME@sha256:10","properties":[
  {"type":"olm.package","value":{"packageName":"NAME","version":"1.0.0"}},
  {"type":"olm.gvk","value":{"group":"example.com","version":"v1","kind":"KIND"}}]}
`))}
}

// inputWithCatalogs has catalogs of both kinds. Two packages of ClusterCatalog main provide the kind Note.
func inputWithCatalogs() fstest.MapFS {
	return fstest.MapFS{
		"content/catalogs/ClusterCatalog/main/diary/catalog.json":                              packageOf("diary", "Note"),
		"content/catalogs/ClusterCatalog/main/memo/catalog.json":                               packageOf("memo", "Memo"),
		"content/catalogs/ClusterCatalog/main/notes/catalog.json":                              packageOf("notes", "Note"),
		"content/catalogs/CatalogSource/openshift-marketplace/certified/all.json":              packageOf("sticker", "Sticker"),
		"content/catalogs/ClusterCatalog/broken/memo.json":                                     {Data: []byte(`{"schema":"olm.package","name":`)},
		"content/catalogs/ClusterCatalog/file":                                                 packageOf("memo", "Memo"),
		"cluster-scoped-resources/olm.operatorframework.io/clustercatalogs/not-a-catalog.yaml": {Data: []byte("{")},
	}
}

func TestReadReturnsTheWantedPackagesAndTheKindsOfAll(t *testing.T) {
	for name, test := range map[string]struct {
		request catalogs.Request
		// packages are the names of the packages in the result, and providers the packages that provide kind.
		packages  []string
		kind      string
		providers []string
	}{
		"one package": {
			catalogs.Request{Catalog: mainCatalog, Names: []string{"memo"}}, []string{"memo"}, "Note", []string{"diary", "notes"}},
		"packages of which the catalog has some": {
			catalogs.Request{Catalog: mainCatalog, Names: []string{"absent", "diary", "memo", "unknown"}},
			[]string{"diary", "memo"}, "Memo", []string{"memo"}},
		"no package":       {catalogs.Request{Catalog: mainCatalog}, nil, "Note", []string{"diary", "notes"}},
		"only their kinds": {catalogs.Request{Catalog: mainCatalog, OnlyProviders: true}, nil, "Note", []string{"diary", "notes"}},
		"only their kinds, though packages are named": {
			catalogs.Request{Catalog: mainCatalog, Names: []string{"memo"}, OnlyProviders: true}, nil, "Memo", []string{"memo"}},
		"a catalog in a namespace": {
			catalogs.Request{Catalog: servedCatalog, Names: []string{"sticker"}}, []string{"sticker"}, "Sticker", []string{"sticker"}},
		"a kind that nothing provides": {
			catalogs.Request{Catalog: servedCatalog, Names: []string{"memo"}}, nil, "Memo", nil},
	} {
		t.Run(name, func(t *testing.T) {
			input := NewCatalogs(inputWithCatalogs())
			got, err := input.Read(t.Context(), test.request)
			if err != nil {
				t.Fatal(err)
			}
			var packages []string
			for _, each := range got.Packages {
				packages = append(packages, each.Name)
				if len(each.Bundles) != 1 || each.Bundles[0].Version != "1.0.0" || each.DefaultChannel != "stable" {
					t.Errorf("package %+v", each)
				}
			}
			if !slices.Equal(packages, test.packages) {
				t.Errorf("got packages %q, want %q", packages, test.packages)
			}
			providers := got.Providers.ForKind(catalog.GVK{Group: "example.com", Version: "v1", Kind: test.kind})
			if !slices.Equal(providers, test.providers) || !got.Providers.IsComplete() {
				t.Errorf("%s is provided by %q, want %q", test.kind, providers, test.providers)
			}
			if missing := input.Missing(); missing != nil {
				t.Errorf("missing: %v", missing)
			}
		})
	}
}

func TestAMissingCatalogIsAnErrorThatNamesItsFolderAndIsListed(t *testing.T) {
	input := NewCatalogs(inputWithCatalogs())
	id := func(kind, namespace, name string) catalog.ID {
		return catalog.ID{Kind: kind, Namespace: namespace, Name: name}
	}
	want := []MissingCatalog{ // sorted
		{id("CatalogSource", "a", "z"), "content/catalogs/CatalogSource/a/z", []string{"notes"}},
		{id("CatalogSource", "b", "a"), "content/catalogs/CatalogSource/b/a", nil},
		{id("ClusterCatalog", "", "absent"), "content/catalogs/ClusterCatalog/absent", []string{"diary", "memo"}},
	}
	for _, each := range slices.Backward(want) {
		got, err := input.Read(t.Context(), catalogs.Request{Catalog: each.ID, Names: each.Packages})
		if err == nil || !strings.Contains(err.Error(), each.Folder) || got.Packages != nil || got.Providers != nil {
			t.Errorf("%s: got %v, %v, want an error that names %s", each.ID, got, err, each.Folder)
		}
	}
	if _, err := input.Read(t.Context(), catalogs.Request{Catalog: mainCatalog, Names: []string{"memo"}}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, input.Missing()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := input.Err(); err != nil {
		t.Errorf("a missing catalog counts as damaged: %v", err)
	}
}

func TestADamagedCatalogIsAnErrorThatNamesItsFolderAndFile(t *testing.T) {
	input := NewCatalogs(inputWithCatalogs())
	for name, parts := range map[string][]string{"broken": {"content/catalogs/ClusterCatalog/broken", "memo.json"}, "file": {"content/catalogs/ClusterCatalog/file"}} {
		request := catalogs.Request{Catalog: catalog.ID{Kind: catalog.KindClusterCatalog, Name: name}, Names: []string{"memo"}}
		got, err := input.Read(t.Context(), request)
		if !errors.Is(err, catalogsource.ErrNotRead) || got.Packages != nil || got.Providers != nil {
			t.Fatalf("%s: got %v, %v, want an error that leaves the catalog unread", name, got, err)
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) || !strings.Contains(input.Err().Error(), part) {
				t.Errorf("the errors do not name %s: %v; %v", part, err, input.Err())
			}
		}
	}
	if missing := input.Missing(); missing != nil {
		t.Errorf("a damaged catalog is not missing: %v", missing)
	}
}

func TestAReadWhoseContextHasEndedFails(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, onlyProviders := range []bool{false, true} {
		request := catalogs.Request{Catalog: mainCatalog, Names: []string{"memo"}, OnlyProviders: onlyProviders}
		if _, err := NewCatalogs(inputWithCatalogs()).Read(ctx, request); !errors.Is(err, context.Canceled) {
			t.Errorf("with OnlyProviders %v: got %v", onlyProviders, err)
		}
	}
}
