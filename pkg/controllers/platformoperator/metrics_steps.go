package platformoperator

import (
	"fmt"

	"k8s.io/component-base/metrics"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// hopBuckets reach from a few ConfigMaps to the hour after which a roll-out that nobody gave a deadline is long overdue.
var hopBuckets = []float64{5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600}

// hops measure how long moves took. Their one label has the few values of status.history's trigger.
type hops struct{ duration *metrics.HistogramVec }

func newHops() hops {
	return hops{metrics.NewHistogramVec(&metrics.HistogramOpts{
		Name:           platformv1alpha1.MetricHopDuration,
		Help:           "How long moves took from when they began until their version was complete and healthy, by what started them.",
		Buckets:        hopBuckets,
		StabilityLevel: metrics.ALPHA,
	}, []string{platformv1alpha1.MetricLabelTrigger})}
}

func (h hops) register(register func(metrics.Registerable) error) error {
	if err := register(h.duration); err != nil {
		return fmt.Errorf("registering metric %q: %w", platformv1alpha1.MetricHopDuration, err)
	}
	return nil
}

// ready measures a move whose version is complete and healthy now.
func (h hops) ready(entry *platformv1alpha1.HistoryEntry) {
	h.duration.WithLabelValues(string(entry.Trigger)).Observe(max(0, entry.ReadyTime.Sub(entry.StartedTime.Time).Seconds()))
}
