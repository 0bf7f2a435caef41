package catalogsource_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/resolve"
)

var (
	second    = catalog.ID{Kind: catalog.KindClusterCatalog, Name: "second"}
	breadKind = catalog.GVK{Group: "g", Version: "v1", Kind: "Bread"}
	cakeKind  = catalog.GVK{Group: "g", Version: "v1", Kind: "Cake"}
)

// providingPackage returns a package with two versions, of which the second provides these kinds.
func providingPackage(name string, kinds ...catalog.GVK) catalog.Package {
	return catalog.Package{Name: name, Bundles: []catalog.Bundle{{Name: name + ".v1.0.0"}, {Name: name + ".v1.1.0", ProvidedGVKs: kinds}}}
}

// requiringPackage returns a package with one version that requires gvk and provides the other kinds.
func requiringPackage(name string, gvk catalog.GVK, provides ...catalog.GVK) catalog.Package {
	return catalog.Package{Name: name, Bundles: []catalog.Bundle{{Name: name + ".v1.0.0", ProvidedGVKs: provides,
		Requirements: []catalog.Requirement{{All: []catalog.Requirement{{GVK: &gvk}}}}}}}
}

// providersOf returns Providers in which these packages provide breadKind.
func providersOf(packages ...string) *catalog.Providers {
	var builder catalog.ProvidersBuilder
	for _, pkg := range packages {
		builder.Add(pkg, breadKind)
	}
	return builder.Build()
}

func TestProvidersIncludeUnwantedPackages(t *testing.T) {
	info := catalogsource.Info{ID: first, Labels: map[string]string{"tier": "one"}, Wanted: map[string]bool{"baker": true, "smith": true}}
	kept := []catalog.Package{providingPackage("baker", breadKind), providingPackage("smith")}
	says := func(partial bool, packages ...string) []resolve.ProviderHint {
		return []resolve.ProviderHint{{Catalog: first, Labels: info.Labels, Packages: packages, Partial: partial}}
	}
	all := func(s *catalogsource.Snapshots) {
		s.Set(info, kept)
		s.SetProviders(first, providersOf("baker", "grocer"))
	}
	for name, test := range map[string]struct {
		write func(*catalogsource.Snapshots)
		want  []resolve.ProviderHint
	}{
		"no catalog":                         {func(*catalogsource.Snapshots) {}, nil},
		"a catalog that was not read":        {func(s *catalogsource.Snapshots) { s.UpdateInfo(info) }, says(true)},
		"only the wanted packages were read": {func(s *catalogsource.Snapshots) { s.Set(info, kept) }, says(true, "baker")},
		"all were gone through":              {all, says(false, "baker", "grocer")},
		"all are wanted":                     {func(s *catalogsource.Snapshots) { i := info; i.Wanted = nil; s.Set(i, kept) }, says(false, "baker")},
		"no package provides it":             {func(s *catalogsource.Snapshots) { s.Set(info, kept[1:]); s.SetProviders(first, providersOf()) }, nil},
		"of what is wanted the packages know best": {func(s *catalogsource.Snapshots) {
			all(s)
			s.Set(info, []catalog.Package{providingPackage("smith", breadKind)})
		},
			says(false, "grocer", "smith")},
		"the catalog is down":                      {func(s *catalogsource.Snapshots) { all(s); s.SetError(info, errors.New("refused")) }, says(false, "baker", "grocer")},
		"a package is wanted no more":              {func(s *catalogsource.Snapshots) { all(s); s.Prune(first, map[string]bool{"smith": true}) }, says(false, "baker", "grocer")},
		"nothing has changed":                      {func(s *catalogsource.Snapshots) { all(s); s.SetUnchanged(info) }, says(false, "baker", "grocer")},
		"the catalog goes":                         {func(s *catalogsource.Snapshots) { all(s); s.Delete(first, nil) }, nil},
		"it is gone when it has been gone through": {func(s *catalogsource.Snapshots) { s.SetProviders(first, providersOf("grocer")) }, nil},
		"it comes again":                           {func(s *catalogsource.Snapshots) { all(s); s.Delete(first, nil); s.Set(info, kept) }, says(true, "baker")},
	} {
		t.Run(name, func(t *testing.T) {
			s := catalogsource.NewSnapshots()
			test.write(s)
			if diff := cmp.Diff(test.want, s.Providers(breadKind)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProvidersOfSeveralCatalogsAreSortedByCatalog(t *testing.T) {
	s := catalogsource.NewSnapshots()
	for _, id := range []catalog.ID{second, first} {
		s.Set(catalogsource.Info{ID: id, Wanted: map[string]bool{}}, nil)
		s.SetProviders(id, providersOf("grocer"))
	}
	want := []resolve.ProviderHint{{Catalog: first, Packages: []string{"grocer"}}, {Catalog: second, Packages: []string{"grocer"}}}
	if first.Compare(second) > 0 {
		want[0], want[1] = want[1], want[0]
	}
	if diff := cmp.Diff(want, s.Providers(breadKind)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSetProvidersReportsChanges(t *testing.T) {
	s := catalogsource.NewSnapshots()
	s.Set(catalogsource.Info{ID: first, Wanted: map[string]bool{}}, nil)
	for _, step := range []struct {
		packages []string
		want     bool
	}{{[]string{"baker"}, true}, {[]string{"baker"}, false}, {nil, true}, {nil, false}} {
		if got := s.SetProviders(first, providersOf(step.packages...)); got != step.want {
			t.Errorf("%q: news: %t", step.packages, got)
		}
	}
}

func TestNeedsProviders(t *testing.T) {
	info := func(id catalog.ID) catalogsource.Info {
		return catalogsource.Info{ID: id, Wanted: map[string]bool{"baker": true, "hungry": true}}
	}
	for name, test := range map[string]struct {
		here, elsewhere []catalog.Package
		missing         []catalog.GVK
		want            bool
	}{
		"nothing is required":                              {[]catalog.Package{providingPackage("baker", breadKind)}, nil, nil, false},
		"a package that is kept provides it":               {[]catalog.Package{providingPackage("baker", breadKind), requiringPackage("hungry", breadKind)}, nil, nil, false},
		"none does":                                        {[]catalog.Package{providingPackage("baker", cakeKind), requiringPackage("hungry", breadKind)}, nil, nil, true},
		"who requires it is in another catalog":            {nil, []catalog.Package{requiringPackage("hungry", breadKind)}, nil, true},
		"the provider is in another catalog":               {[]catalog.Package{requiringPackage("hungry", breadKind)}, []catalog.Package{providingPackage("baker", breadKind)}, nil, true},
		"the bundle that requires it provides it, too":     {[]catalog.Package{requiringPackage("hungry", breadKind, breadKind)}, nil, nil, false},
		"the bundle that requires it provides another one": {[]catalog.Package{requiringPackage("hungry", breadKind, cakeKind)}, nil, nil, true},
		"a missing kind is not required by any bundle":     {[]catalog.Package{providingPackage("baker", cakeKind)}, nil, []catalog.GVK{breadKind}, true},
		"a package that is kept provides a missing kind":   {[]catalog.Package{providingPackage("baker", breadKind)}, nil, []catalog.GVK{breadKind}, false},
		"it provides only one of two missing kinds":        {[]catalog.Package{providingPackage("baker", breadKind)}, nil, []catalog.GVK{breadKind, cakeKind}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := catalogsource.NewSnapshots()
			if s.NeedsProviders(first, test.missing) {
				t.Error("sought in a catalog that is not there")
			}
			s.UpdateInfo(info(first))
			s.Set(info(second), test.elsewhere)
			if s.NeedsProviders(first, test.missing) {
				t.Error("sought before the wanted packages were read")
			}
			s.Set(info(first), test.here)
			if got := s.NeedsProviders(first, test.missing); got != test.want {
				t.Errorf("sought: %t", got)
			}
		})
	}
}
