package bundledeployment

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/metrics"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// meters are the metrics of this controller. Their only labels are the names of BundleDeployments, which go with those, and
// fixed words.
type meters struct {
	repairs  *metrics.CounterVec
	rollouts *metrics.CounterVec
	duration *metrics.GaugeVec
	drifted  *metrics.GaugeVec
}

func newMeters(register func(metrics.Registerable) error) (*meters, error) {
	m := &meters{
		repairs: metrics.NewCounterVec(&metrics.CounterOpts{
			Name:           corev1alpha2.MetricDriftRepairs,
			Help:           "Objects that were put back as declared after somebody else had changed or deleted them.",
			StabilityLevel: metrics.ALPHA,
		}, []string{corev1alpha2.MetricLabelDeployment}),
		rollouts: metrics.NewCounterVec(&metrics.CounterOpts{
			Name:           corev1alpha2.MetricRollouts,
			Help:           "Revisions that became active (succeeded) or missed their deadline (deadline_exceeded).",
			StabilityLevel: metrics.ALPHA,
		}, []string{corev1alpha2.MetricLabelDeployment, corev1alpha2.MetricLabelOutcome}),
		duration: metrics.NewGaugeVec(&metrics.GaugeOpts{
			Name:           corev1alpha2.MetricLastRolloutDuration,
			Help:           "How long the last revision that became active took from its start until it was healthy.",
			StabilityLevel: metrics.ALPHA,
		}, []string{corev1alpha2.MetricLabelDeployment}),
		drifted: metrics.NewGaugeVec(&metrics.GaugeOpts{
			Name:           corev1alpha2.MetricDrifted,
			Help:           "BundleDeployments of which something is left as others changed it, by why it is left.",
			StabilityLevel: metrics.ALPHA,
		}, []string{corev1alpha2.MetricLabelDeployment, corev1alpha2.MetricLabelReason}),
	}
	for _, each := range []metrics.Registerable{m.repairs, m.rollouts, m.duration, m.drifted} {
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
	m.rollouts.WithLabelValues(deployment, corev1alpha2.MetricOutcomeSucceeded).Inc()
	if started != nil {
		m.duration.WithLabelValues(deployment).Set(now.Sub(started.Time).Seconds())
	}
}

func (m *meters) failed(deployment string) {
	m.rollouts.WithLabelValues(deployment, corev1alpha2.MetricOutcomeOverdue).Inc()
}

// leftAs says why something is left as others changed it; empty when nothing is.
func (m *meters) leftAs(deployment, reason string) {
	for _, each := range driftReasons {
		if each == reason {
			m.drifted.WithLabelValues(deployment, each).Set(1)
		} else {
			m.drifted.Delete(map[string]string{corev1alpha2.MetricLabelDeployment: deployment, corev1alpha2.MetricLabelReason: each})
		}
	}
}

// count updates the metrics by the status, after that was written.
func (s *reconciliation) count() {
	meters, name, status := s.c.meters, s.deployment.Name, s.deployment.Status
	meters.leftAs(name, drifted(status))
	if s.machine.HasMissedDeadline(status) {
		meters.failed(name)
	}
	if s.machine.IsActivated(status) {
		meters.succeeded(name, s.machine.Active().Started, s.c.clock.Now())
	}
}

// driftReasons are those of a True Drifted condition.
var driftReasons = []string{corev1alpha2.ReasonDriftReported, corev1alpha2.ReasonDriftContested}

// drifted is the reason of a True Drifted condition; empty without one.
func drifted(status corev1alpha2.BundleDeploymentStatus) string {
	if found := meta.FindStatusCondition(status.Conditions, corev1alpha2.ConditionDrifted); found != nil && found.Status == metav1.ConditionTrue {
		return found.Reason
	}
	return ""
}

// forget ends the series of a BundleDeployment that is gone.
func (m *meters) forget(deployment string) {
	m.repairs.Delete(map[string]string{corev1alpha2.MetricLabelDeployment: deployment})
	m.duration.Delete(map[string]string{corev1alpha2.MetricLabelDeployment: deployment})
	m.leftAs(deployment, "")
	for _, outcome := range []string{corev1alpha2.MetricOutcomeSucceeded, corev1alpha2.MetricOutcomeOverdue} {
		m.rollouts.Delete(map[string]string{corev1alpha2.MetricLabelDeployment: deployment, corev1alpha2.MetricLabelOutcome: outcome})
	}
}
