package catalogs

import (
	"fmt"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalogsource"
)

var (
	catalogAge = metrics.NewDesc(platformv1alpha1.MetricCatalogAge,
		"How long ago a catalog was last read, or found not to have changed. One whose content is known by a digest is not read again before that changes.",
		[]string{platformv1alpha1.MetricLabelCatalog}, nil, metrics.ALPHA, "")
	catalogUnreadable = metrics.NewDesc(platformv1alpha1.MetricCatalogUnreadable,
		"For how long a catalog could not be read; 0 while it can, and while its admin has taken it out of service. There is none of a catalog that was not tried yet.",
		[]string{platformv1alpha1.MetricLabelCatalog}, nil, metrics.ALPHA, "")
)

// maxSeries is the maximum number of catalogs that the metrics cover. If there are more, those whose names sort last have no series. A
// cluster has only a few catalogs.
const maxSeries = 100

// ageCollector collects the ages of catalogs. It computes them when metrics are scraped, because they grow without a sync.
type ageCollector struct {
	metrics.BaseStableCollector
	clock     clock.PassiveClock
	snapshots *catalogsource.Snapshots
}

func registerAges(config Config) error {
	if err := config.Register(&ageCollector{clock: config.Clock, snapshots: config.Snapshots}); err != nil {
		return fmt.Errorf("registering metrics %q and %q: %w", platformv1alpha1.MetricCatalogAge, platformv1alpha1.MetricCatalogUnreadable, err)
	}
	return nil
}

// DescribeWithStability implements metrics.StableCollector.
func (a *ageCollector) DescribeWithStability(descriptions chan<- *metrics.Desc) {
	descriptions <- catalogAge
	descriptions <- catalogUnreadable
}

// CollectWithStability implements metrics.StableCollector.
func (a *ageCollector) CollectWithStability(samples chan<- metrics.Metric) {
	now, all := a.clock.Now(), a.snapshots.All()
	for _, snapshot := range all[:min(len(all), maxSeries)] {
		name := snapshot.ID.String()
		if snapshot.WasRead {
			samples <- metrics.NewLazyConstMetric(catalogAge, metrics.GaugeValue, seconds(now.Sub(snapshot.At)), name)
		}
		if !snapshot.WasRead && snapshot.Err == nil {
			continue // an alert must not resolve because another process has not read the catalog yet
		}
		var unreadable time.Duration
		if snapshot.Err != nil && !snapshot.Disabled {
			unreadable = now.Sub(snapshot.Failing)
		}
		samples <- metrics.NewLazyConstMetric(catalogUnreadable, metrics.GaugeValue, seconds(unreadable), name)
	}
}

func seconds(d time.Duration) float64 { return max(0, d.Seconds()) }
