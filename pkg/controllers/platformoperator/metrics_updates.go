package platformoperator

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/operatorstatus"
)

var (
	behindDesc = metrics.NewDesc(platformv1alpha1.MetricBehind,
		"For how long there has been a version above the installed one that may be installed or only waits, by its bundle's createdAt.",
		[]string{platformv1alpha1.MetricLabelOperator}, nil, metrics.ALPHA, "")
	blockedUpdatesDesc = metrics.NewDesc(platformv1alpha1.MetricBlockedUpdates,
		"Versions above the installed one that are not installed now, by the reason that blocks them.",
		[]string{platformv1alpha1.MetricLabelOperator, platformv1alpha1.MetricLabelReason}, nil, metrics.ALPHA, "")
)

// updateMetrics collects the metrics of available updates. It computes them at each scrape, because their values grow even without a sync.
// It is safe for concurrent use.
type updateMetrics struct {
	metrics.BaseStableCollector
	clock clock.PassiveClock

	lock       sync.Mutex
	byOperator map[string]operatorstatus.UpdateSummary
}

func newUpdateMetrics(clock clock.PassiveClock) *updateMetrics {
	return &updateMetrics{clock: clock, byOperator: map[string]operatorstatus.UpdateSummary{}}
}

func (m *updateMetrics) register(register func(metrics.StableCollector) error) error {
	if err := register(m); err != nil {
		return fmt.Errorf("registering metrics %q and %q: %w", platformv1alpha1.MetricBehind, platformv1alpha1.MetricBlockedUpdates, err)
	}
	return nil
}

// DescribeWithStability implements metrics.StableCollector.
func (m *updateMetrics) DescribeWithStability(descriptions chan<- *metrics.Desc) {
	descriptions <- behindDesc
	descriptions <- blockedUpdatesDesc
}

// CollectWithStability implements metrics.StableCollector.
func (m *updateMetrics) CollectWithStability(samples chan<- metrics.Metric) {
	m.lock.Lock()
	defer m.lock.Unlock()
	for _, name := range slices.Sorted(maps.Keys(m.byOperator)) {
		summary, seconds := m.byOperator[name], 0.0
		if !summary.Since.IsZero() {
			seconds = max(0, m.clock.Since(summary.Since).Seconds())
		}
		samples <- metrics.NewLazyConstMetric(behindDesc, metrics.GaugeValue, seconds, name)
		for _, reason := range slices.Sorted(maps.Keys(summary.Blocked)) {
			samples <- metrics.NewLazyConstMetric(blockedUpdatesDesc, metrics.GaugeValue, float64(summary.Blocked[reason]), name, string(reason))
		}
	}
}

func (m *updateMetrics) set(name string, summary operatorstatus.UpdateSummary) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.byOperator[name] = summary
}

func (m *updateMetrics) forget(name string) {
	m.lock.Lock()
	defer m.lock.Unlock()
	delete(m.byOperator, name)
}
