package platformoperator

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// besides is oneCatalog together with the catalogs in snapshots.
type besides struct {
	oneCatalog
	snapshots *catalogsource.Snapshots
}

func (besides) Unlisted() []string { return nil }

func (b besides) For(pkg string) []resolve.Catalog {
	return append(b.oneCatalog.For(pkg), b.snapshots.For(pkg)...)
}

func TestInstalledOperatorWarnsOfAnUnreadableCatalogAndWritesNothingElse(t *testing.T) {
	catalogs := besides{oneCatalog{"1.0.0"}, catalogsource.NewSnapshots()}
	info := catalogsource.Info{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "other"}, Wanted: map[string]bool{"op": true}}
	c := running("1.0.0", "1.0.0")
	c.deployment.Status.Warnings = []string{"ConfigMap a/b: unknown field"}
	settle := func() {
		t.Helper()
		for range 3 {
			c.sync(t, catalogs)
		}
	}
	const warning = "catalog ClusterCatalog/other is left out, because it cannot be read: look at its status, and at the manager's log"
	expect := func(when string, changes bool, warnings ...string) {
		t.Helper()
		before := c.operator.DeepCopy()
		c.sync(t, catalogs)
		if wrote := slices.Contains(c.writes, "update platformoperators/status"); wrote != changes {
			t.Errorf("%s: written: %t (-before +after):\n%s", when, wrote, cmp.Diff(before.Status, c.operator.Status))
		}
		if diff := cmp.Diff(append(warnings, "ConfigMap a/b: unknown field"), c.operator.Status.Warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", when, diff)
		}
	}
	settle()
	expect("all is well", false)
	catalogs.snapshots.SetError(info, errors.New("connection refused"))
	expect("it has just gone", false)
	info.At = info.At.Add(catalogsource.GracePeriod)
	catalogs.snapshots.UpdateInfo(info)
	expect("it could not be read for some time", true, warning)
	for i := range 3 {
		catalogs.snapshots.SetError(info, fmt.Errorf("attempt %d failed", i))
		expect("it was tried again, and fails with another message", false, warning)
	}
	catalogs.snapshots.Set(info, nil)
	expect("it is back and has no such package", true)
	catalogs.snapshots.SetError(info, errors.New("connection refused"))
	info.At = info.At.Add(catalogsource.GracePeriod)
	catalogs.snapshots.Disable(info, errors.New("its spec.availabilityMode is Unavailable"))
	expect("its admin has taken it out of service", false)
	if got := c.installed(); got != "1.0.0" {
		t.Errorf("%q is installed", got)
	}
}

func TestNotInstalledOperatorIsNotWrittenForEachAttempt(t *testing.T) {
	snapshots := catalogsource.NewSnapshots()
	info := catalogsource.Info{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: "only"}, Wanted: map[string]bool{"op": true}}
	c := running("1.0.0", "")
	c.deployment = nil
	for i := range 5 {
		snapshots.SetError(info, fmt.Errorf("read tcp 10.0.0.7:%d->10.0.0.1:443: connection reset by peer", 40000+i))
		c.sync(t, snapshots)
		if wrote := len(c.writes) > 0; wrote != (i == 0) {
			t.Errorf("at attempt %d: %q", i, c.writes)
		}
	}
}
