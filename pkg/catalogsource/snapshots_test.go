package catalogsource_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/resolve"
)

var (
	first   = catalog.ID{Kind: catalog.KindCatalogSource, Namespace: "openshift-marketplace", Name: "first"}
	errDown = errors.New("connection refused")
)

func pkg(name string, versions ...string) catalog.Package {
	p := catalog.Package{Name: name, DefaultChannel: "stable"}
	for _, version := range versions {
		p.Bundles = append(p.Bundles, catalog.Bundle{Name: name + ".v" + version, Version: version, InstallModes: map[string]bool{"AllNamespaces": true}})
	}
	return p
}

func wanted(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, name := range names {
		set[name] = true
	}
	return set
}

func TestWritesReturnTheChangedPackages(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	info := catalogsource.Info{ID: first, Wanted: wanted("a", "b", "absent"), At: at}
	relabelled := info
	relabelled.Labels = map[string]string{"tier": "one"}
	reordered := info
	reordered.Priority = 5
	wider := info
	wider.Wanted = wanted("a", "b", "absent", "c")
	later := info
	later.At = at.Add(time.Hour)
	later.Identity = "another"
	content := []catalog.Package{pkg("a", "1.0.0"), pkg("b", "1.0.0")}

	soon, lasting := info, info
	soon.At, lasting.At = at.Add(catalogsource.GracePeriod-1), at.Add(catalogsource.GracePeriod)
	reset := func(port int) error {
		return fmt.Errorf("read tcp 10.0.0.7:%d->10.0.0.1:50051: connection reset by peer", port)
	}

	read := func(s *catalogsource.Snapshots) { s.Set(info, content) }
	down := func(s *catalogsource.Snapshots) { s.Set(info, content); s.SetError(info, errDown) }
	away := func(s *catalogsource.Snapshots) { down(s); s.SetError(lasting, errDown) }
	withheld := func(s *catalogsource.Snapshots) { read(s); s.Disable(info, errDown) }
	for sentence, test := range map[string]struct {
		before func(*catalogsource.Snapshots)
		write  func(*catalogsource.Snapshots) []string
		want   []string
	}{
		"the first reading concerns all that was asked for": {nil,
			func(s *catalogsource.Snapshots) []string { return s.Set(info, content) }, []string{"a", "absent", "b"}},
		"equal content concerns nobody, whatever its identity": {read,
			func(s *catalogsource.Snapshots) []string {
				return s.Set(later, []catalog.Package{pkg("a", "1.0.0"), pkg("b", "1.0.0")})
			}, nil},
		"a new version concerns its package": {read,
			func(s *catalogsource.Snapshots) []string {
				return s.Set(info, []catalog.Package{pkg("a", "1.0.0"), pkg("b", "1.0.0", "1.1.0")})
			}, []string{"b"}},
		"a package that goes and one that comes": {read,
			func(s *catalogsource.Snapshots) []string {
				return s.Set(info, []catalog.Package{pkg("a", "1.0.0"), pkg("absent", "1.0.0")})
			}, []string{"absent", "b"}},
		"one package more is asked for and not there": {read,
			func(s *catalogsource.Snapshots) []string { return s.Set(wider, content) }, []string{"c"}},
		"unchanged content": {read,
			func(s *catalogsource.Snapshots) []string { return s.SetUnchanged(later) }, nil},
		"a catalog that goes down concerns only who may miss something": {read,
			func(s *catalogsource.Snapshots) []string { return s.SetError(info, errDown) }, []string{"absent"}},
		"a catalog that is down for the same reason": {down,
			func(s *catalogsource.Snapshots) []string { return s.SetError(soon, errors.New(errDown.Error())) }, nil},
		"a catalog that comes back unchanged": {down,
			func(s *catalogsource.Snapshots) []string { return s.SetUnchanged(later) }, []string{"absent"}},
		"a catalog that was down for a moment": {down,
			func(s *catalogsource.Snapshots) []string { return s.SetError(soon, errDown) }, nil},
		"a catalog that has been down for some time concerns all": {down,
			func(s *catalogsource.Snapshots) []string { return s.SetError(lasting, errDown) }, []string{"a", "absent", "b"}},
		"time goes by while it waits to be tried again": {down,
			func(s *catalogsource.Snapshots) []string { return s.UpdateInfo(lasting) }, []string{"a", "absent", "b"}},
		"one that was never read has been down for some time": {func(s *catalogsource.Snapshots) { s.SetError(info, errDown) },
			func(s *catalogsource.Snapshots) []string { return s.SetError(lasting, errDown) }, []string{"a", "absent", "b"}},
		"it is down for longer still": {away,
			func(s *catalogsource.Snapshots) []string { return s.SetError(later, errDown) }, nil},
		"it comes back after some time": {away,
			func(s *catalogsource.Snapshots) []string { return s.SetUnchanged(later) }, []string{"a", "absent", "b"}},
		"an attempt fails like the one before but for its numbers": {func(s *catalogsource.Snapshots) { read(s); s.SetError(info, reset(40123)) },
			func(s *catalogsource.Snapshots) []string { return s.SetError(soon, reset(40999)) }, nil},
		"an attempt fails otherwise, and concerns who may miss something": {down,
			func(s *catalogsource.Snapshots) []string { return s.SetError(soon, reset(40123)) }, []string{"absent"}},
		"its admin takes it out of service": {read,
			func(s *catalogsource.Snapshots) []string { return s.Disable(info, errDown) }, []string{"a", "absent", "b"}},
		"it stays out of service": {withheld,
			func(s *catalogsource.Snapshots) []string { return s.Disable(later, errDown) }, nil},
		"it is in service again and about to be read": {withheld,
			func(s *catalogsource.Snapshots) []string { return s.SetPending(lasting) }, []string{"a", "b"}},
		"a catalog that was never read is down": {nil,
			func(s *catalogsource.Snapshots) []string { return s.SetError(info, errDown) }, []string{"a", "absent", "b"}},
		"unchanged is said of what was never read": {nil,
			func(s *catalogsource.Snapshots) []string { return s.SetUnchanged(info) }, nil},
		"labels concern all": {read,
			func(s *catalogsource.Snapshots) []string { return s.UpdateInfo(relabelled) }, []string{"a", "absent", "b"}},
		"the priority concerns all": {read,
			func(s *catalogsource.Snapshots) []string { return s.UpdateInfo(reordered) }, []string{"a", "absent", "b"}},
		"the same description concerns nobody": {read,
			func(s *catalogsource.Snapshots) []string { return s.UpdateInfo(later) }, nil},
		"a catalog that goes concerns all": {read,
			func(s *catalogsource.Snapshots) []string { return s.Delete(first, nil) }, []string{"a", "absent", "b"}},
		"a catalog that was never read goes, and concerns who was told so": {func(s *catalogsource.Snapshots) { s.SetError(info, errDown) },
			func(s *catalogsource.Snapshots) []string { return s.Delete(first, info.Wanted) }, []string{"a", "absent", "b"}},
		"a catalog that was not there goes": {nil,
			func(s *catalogsource.Snapshots) []string { return s.Delete(first, info.Wanted) }, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			snapshots := catalogsource.NewSnapshots()
			if test.before != nil {
				test.before(snapshots)
			}
			if diff := cmp.Diff(test.want, test.write(snapshots)); diff != "" {
				t.Errorf("packages (-want +got):\n%s", diff)
			}
		})
	}
}

// describeViews returns a text for each view: the catalog, whether it has the package, and the error.
func describeViews(views []resolve.Catalog) []string {
	var words []string
	for _, view := range views {
		has := "has it not"
		if view.Package != nil {
			has = fmt.Sprintf("has %d versions", len(view.Package.Bundles))
		}
		if view.Err != nil {
			has += ": " + view.Err.Error()
		}
		if view.Pending {
			has += ", pending"
		}
		if view.Unavailable {
			has += ", away"
		}
		words = append(words, fmt.Sprintf("%s (%d, %v) %s", view.ID, view.Priority, view.Labels, has))
	}
	return words
}

func TestFor(t *testing.T) {
	second := catalog.ID{Kind: catalog.KindClusterCatalog, Name: "second"}
	snapshots := catalogsource.NewSnapshots()
	snapshots.Set(catalogsource.Info{ID: second, Priority: -1, Labels: map[string]string{"tier": "one"}}, []catalog.Package{pkg("a", "1.0.0")})
	snapshots.Set(catalogsource.Info{ID: first, Wanted: wanted("a", "b")}, []catalog.Package{pkg("a", "1.0.0", "1.1.0")})
	expect := func(what, name string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, describeViews(snapshots.For(name))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	expect("both have it", "a",
		"CatalogSource/openshift-marketplace/first (0, map[]) has 2 versions", "ClusterCatalog/second (-1, map[tier:one]) has 1 versions")
	expect("both were asked and have it not", "b",
		"CatalogSource/openshift-marketplace/first (0, map[]) has it not", "ClusterCatalog/second (-1, map[tier:one]) has it not")
	expect("one was not asked", "c",
		`CatalogSource/openshift-marketplace/first (0, map[]) has it not: package "c": not read yet, pending`, "ClusterCatalog/second (-1, map[tier:one]) has it not")

	snapshots.SetError(catalogsource.Info{ID: first}, errDown)
	snapshots.Delete(second, nil)
	expect("what was known stays while the catalog is down", "a", "CatalogSource/openshift-marketplace/first (0, map[]) has 2 versions")
	expect("what was not there may be there now", "b", "CatalogSource/openshift-marketplace/first (0, map[]) has it not: connection refused")

	snapshots.SetError(catalogsource.Info{ID: first, At: time.Time{}.Add(catalogsource.GracePeriod)}, errDown)
	expect("it has been down for some time", "a", "CatalogSource/openshift-marketplace/first (0, map[]) has 2 versions, away")
	expect("and who may miss something", "b", "CatalogSource/openshift-marketplace/first (0, map[]) has it not: connection refused, away")

	snapshots.Disable(catalogsource.Info{ID: first}, errors.New("Unavailable"))
	expect("what its admin has taken out of service does not count", "a", "CatalogSource/openshift-marketplace/first (0, map[]) has it not: Unavailable")
	snapshots.SetPending(catalogsource.Info{ID: first})
	expect("back in service it has what it had until it is read", "a", "CatalogSource/openshift-marketplace/first (0, map[]) has 2 versions")
}

func TestGet(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	info := func(minutes int) catalogsource.Info {
		return catalogsource.Info{ID: first, Identity: "one", At: at.Add(time.Duration(minutes) * time.Minute)}
	}
	snapshots := catalogsource.NewSnapshots()
	snapshots.Set(info(0), []catalog.Package{pkg("a", "1.0.0")})
	snapshots.SetError(info(1), errDown)
	snapshots.SetError(info(2), errDown)
	got, ok := snapshots.Get(first)
	if !ok || !got.WasRead || got.Identity != "one" || !got.At.Equal(info(0).At) || !got.Failing.Equal(info(1).At) || !errors.Is(got.Err, errDown) || len(got.Packages) != 1 {
		t.Errorf("while it is down: %+v", got)
	}
	snapshots.SetUnchanged(info(3))
	if got, _ := snapshots.Get(first); got.Err != nil || !got.Failing.IsZero() || !got.At.Equal(info(3).At) {
		t.Errorf("when it is back: %+v", got)
	}
	snapshots.Delete(first, nil)
	if _, ok := snapshots.Get(first); ok {
		t.Error("a deleted catalog is still there")
	}
}

func TestSnapshotsAreSafeForConcurrentUse(t *testing.T) {
	snapshots := catalogsource.NewSnapshots()
	var running sync.WaitGroup
	for i := range 4 {
		id := catalog.ID{Kind: catalog.KindClusterCatalog, Name: fmt.Sprint(i)}
		running.Go(func() {
			for n := range 200 {
				snapshots.Set(catalogsource.Info{ID: id, Priority: n}, []catalog.Package{pkg("a", fmt.Sprint(n))})
				snapshots.SetError(catalogsource.Info{ID: id}, errDown)
			}
		})
		running.Go(func() {
			for range 200 {
				snapshots.For("a")
				snapshots.Get(id)
			}
		})
	}
	running.Wait()
	if got := len(snapshots.For("a")); got != 4 {
		t.Errorf("%d catalogs, want 4", got)
	}
}

func ExampleSnapshots() {
	snapshots := catalogsource.NewSnapshots()
	info := catalogsource.Info{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "example"}, Wanted: map[string]bool{"quay": true}}

	fmt.Println(snapshots.SetError(info, errors.New("connection refused")), snapshots.For("quay")[0].Err)
	fmt.Println(snapshots.Set(info, []catalog.Package{{Name: "quay"}}), snapshots.For("quay")[0].Package.Name)
	fmt.Println(snapshots.SetError(info, errors.New("connection refused")), snapshots.For("quay")[0].Package.Name)
	// Output:
	// [quay] connection refused
	// [quay] quay
	// [] quay
}
