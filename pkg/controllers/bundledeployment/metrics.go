package bundledeployment

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/metrics"
)

// meters are the metrics of this controller. Their only labels are the names of BundleDeployments, which go with those, and
// fixed words.
type meters struct {
	repairs  *metrics.CounterVec
	rollouts *metrics.CounterVec
	duration *metrics.GaugeVec
}

const (
	labelDeployment, labelOutcome    = "bundledeployment", "outcome"
	outcomeSucceeded, outcomeOverdue = "succeeded", "deadline_exceeded"
)

func newMeters(register func(metrics.Registerable) error) (*meters, error) {
	m := &meters{
		repairs: metrics.NewCounterVec(&metrics.CounterOpts{
			Name:           "platform_operators_drift_repairs_total",
			Help:           "Objects that were put back as declared after somebody else had changed or deleted them.",
			StabilityLevel: metrics.ALPHA,
		}, []string{labelDeployment}),
		rollouts: metrics.NewCounterVec(&metrics.CounterOpts{
			Name:           "platform_operators_rollouts_total",
			Help:           "Revisions that became active (succeeded) or missed their deadline (deadline_exceeded).",
			StabilityLevel: metrics.ALPHA,
		}, []string{labelDeployment, labelOutcome}),
		duration: metrics.NewGaugeVec(&metrics.GaugeOpts{
			Name:           "platform_operators_last_rollout_duration_seconds",
			Help:           "How long the last revision that became active took from its start until it was healthy.",
			StabilityLevel: metrics.ALPHA,
		}, []string{labelDeployment}),
	}
	for _, each := range []metrics.Registerable{m.repairs, m.rollouts, m.duration} {
		if err := register(each); err != nil {
			return nil, fmt.Errorf("registering metric %q: %w", each.FQName(), err)
		}
	}
	return m, nil
}

func (m *meters) repaired(deployment string, objects int) {
	if objects > 0 {
		m.repairs.WithLabelValues(deployment).Add(float64(objects))
	}
}

func (m *meters) succeeded(deployment string, started *metav1.Time, now time.Time) {
	m.rollouts.WithLabelValues(deployment, outcomeSucceeded).Inc()
	if started != nil {
		m.duration.WithLabelValues(deployment).Set(now.Sub(started.Time).Seconds())
	}
}

func (m *meters) failed(deployment string) {
	m.rollouts.WithLabelValues(deployment, outcomeOverdue).Inc()
}

// forget ends the series of a BundleDeployment that is gone.
func (m *meters) forget(deployment string) {
	m.repairs.Delete(map[string]string{labelDeployment: deployment})
	m.duration.Delete(map[string]string{labelDeployment: deployment})
	for _, outcome := range []string{outcomeSucceeded, outcomeOverdue} {
		m.rollouts.Delete(map[string]string{labelDeployment: deployment, labelOutcome: outcome})
	}
}
