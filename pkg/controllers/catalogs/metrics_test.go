package catalogs

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/testutil"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
)

const (
	ageHelp = `# HELP platform_operators_catalog_age_seconds [ALPHA] How long ago a catalog was last read, or found not to have changed. One whose content is known by a digest is not read again before that changes.
# TYPE platform_operators_catalog_age_seconds gauge
`
	unreadableHelp = `# HELP platform_operators_catalog_unreadable_seconds [ALPHA] For how long a catalog could not be read; 0 while it can, and while its admin has taken it out of service. There is none of a catalog that was not tried yet.
# TYPE platform_operators_catalog_unreadable_seconds gauge
`
)

func TestAgesOfCatalogs(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	snapshots, registry := catalogsource.NewSnapshots(), metrics.NewKubeRegistry()
	if err := registerAges(Config{Clock: clock, Snapshots: snapshots, Register: registry.CustomRegister}); err != nil {
		t.Fatal(err)
	}
	info := func(name string) catalogsource.Info {
		return catalogsource.Info{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: name}, At: clock.Now(), Wanted: map[string]bool{"a": true}}
	}
	compare := func(when, want string) {
		t.Helper()
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want)); err != nil {
			t.Errorf("%s: %v", when, err)
		}
		problems, err := testutil.NewPromLinter(strings.NewReader(want)).Lint()
		if err != nil || len(problems) > 0 {
			t.Errorf("the linter of metrics says %v, %v", problems, err)
		}
	}
	for _, name := range []string{"down", "fine", "off"} {
		snapshots.Set(info(name), nil)
	}
	snapshots.SetError(info("never"), errors.New("connection refused"))
	clock.SetTime(clock.Now().Add(time.Minute))
	snapshots.SetError(info("down"), errors.New("connection refused"))
	snapshots.Disable(info("off"), errors.New("its spec.availabilityMode is Unavailable"))
	snapshots.UpdateInfo(info("known"))
	clock.SetTime(clock.Now().Add(time.Minute))
	snapshots.SetError(info("down"), errors.New("connection refused, once more"))
	compare("two minutes after it was read", ageHelp+`platform_operators_catalog_age_seconds{catalog="ClusterCatalog/down"} 120
platform_operators_catalog_age_seconds{catalog="ClusterCatalog/fine"} 120
platform_operators_catalog_age_seconds{catalog="ClusterCatalog/off"} 120
`+unreadableHelp+`platform_operators_catalog_unreadable_seconds{catalog="ClusterCatalog/down"} 60
platform_operators_catalog_unreadable_seconds{catalog="ClusterCatalog/fine"} 0
platform_operators_catalog_unreadable_seconds{catalog="ClusterCatalog/never"} 120
platform_operators_catalog_unreadable_seconds{catalog="ClusterCatalog/off"} 0
`)
	for _, gone := range []string{"off", "known", "never"} {
		snapshots.Delete(info(gone).ID, nil)
	}
	snapshots.SetUnchanged(info("fine"))
	snapshots.Set(info("down"), nil)
	compare("read again", ageHelp+`platform_operators_catalog_age_seconds{catalog="ClusterCatalog/down"} 0
platform_operators_catalog_age_seconds{catalog="ClusterCatalog/fine"} 0
`+unreadableHelp+`platform_operators_catalog_unreadable_seconds{catalog="ClusterCatalog/down"} 0
platform_operators_catalog_unreadable_seconds{catalog="ClusterCatalog/fine"} 0
`)
}

func TestSeriesAreLimited(t *testing.T) {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	snapshots, registry := catalogsource.NewSnapshots(), metrics.NewKubeRegistry()
	if err := registerAges(Config{Clock: clock, Snapshots: snapshots, Register: registry.CustomRegister}); err != nil {
		t.Fatal(err)
	}
	for i := range maxSeries + 50 {
		snapshots.Set(catalogsource.Info{ID: catalog.ID{Kind: catalog.KindClusterCatalog, Name: fmt.Sprint("c", i)}, At: clock.Now()}, nil)
	}
	families, err := registry.Gather()
	if err != nil || len(families) != 2 {
		t.Fatalf("got %d metrics, %v", len(families), err)
	}
	for _, family := range families {
		if len(family.GetMetric()) != maxSeries {
			t.Errorf("%s has %d series, want %d", family.GetName(), len(family.GetMetric()), maxSeries)
		}
	}
}
