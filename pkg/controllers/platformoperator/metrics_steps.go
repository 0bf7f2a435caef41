package platformoperator

import (
	"fmt"

	"k8s.io/component-base/metrics"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// stepBuckets are the buckets for the duration of a step, in seconds. They range from a step that applies a few ConfigMaps to a step that
// takes one hour.
var stepBuckets = []float64{5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600}

// stepMetrics measures how long upgrade steps take. Its only label is the trigger in status.history, which has few values.
type stepMetrics struct{ duration *metrics.HistogramVec }

func newStepMetrics() stepMetrics {
	return stepMetrics{metrics.NewHistogramVec(&metrics.HistogramOpts{
		Name:           platformv1alpha1.MetricStepDuration,
		Help:           "Durations of upgrade steps, from the start until the version was complete and healthy, in seconds, by trigger.",
		Buckets:        stepBuckets,
		StabilityLevel: metrics.ALPHA,
	}, []string{platformv1alpha1.MetricLabelTrigger})}
}

func (m stepMetrics) register(register func(metrics.Registerable) error) error {
	if err := register(m.duration); err != nil {
		return fmt.Errorf("registering metric %q: %w", platformv1alpha1.MetricStepDuration, err)
	}
	return nil
}

// observe records the duration of a step whose version is now complete and healthy. The entry must have a ReadyTime.
func (m stepMetrics) observe(entry *platformv1alpha1.HistoryEntry) {
	m.duration.WithLabelValues(string(entry.Trigger)).Observe(max(0, entry.ReadyTime.Sub(entry.StartedTime.Time).Seconds()))
}
