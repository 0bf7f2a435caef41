// Package deploymentmetrics contains the metrics for BundleDeployments. The bundledeployment controller sets their values.
package deploymentmetrics

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-base/metrics"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Metrics are the metrics for all BundleDeployments. The series of a BundleDeployment exist until Forget is called.
type Metrics struct {
	repairs  *metrics.CounterVec
	rollouts *metrics.CounterVec
	duration *metrics.GaugeVec
	drifted  *metrics.GaugeVec
}

// New creates the metrics and registers them. It returns the first error of register.
func New(register func(metrics.Registerable) error) (*Metrics, error) {
	m := &Metrics{
		repairs: metrics.NewCounterVec(&metrics.CounterOpts{
			Name:           corev1alpha2.MetricDriftRepairs,
			Help:           "Objects that the manager restored after others had changed or deleted them.",
			StabilityLevel: metrics.ALPHA,
		}, []string{corev1alpha2.MetricLabelDeployment}),
		rollouts: metrics.NewCounterVec(&metrics.CounterOpts{
			Name:           corev1alpha2.MetricRollouts,
			Help:           "Revisions that became active (succeeded) or missed their deadline (deadline_exceeded).",
			StabilityLevel: metrics.ALPHA,
		}, []string{corev1alpha2.MetricLabelDeployment, corev1alpha2.MetricLabelOutcome}),
		duration: metrics.NewGaugeVec(&metrics.GaugeOpts{
			Name:           corev1alpha2.MetricLastRolloutDuration,
			Help:           "Duration of the rollout of the last revision that became active, in seconds.",
			StabilityLevel: metrics.ALPHA,
		}, []string{corev1alpha2.MetricLabelDeployment}),
		drifted: metrics.NewGaugeVec(&metrics.GaugeOpts{
			Name:           corev1alpha2.MetricDrifted,
			Help:           "BundleDeployments with drift that the manager does not revert, by the reason of the Drifted condition.",
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

// Repaired adds to the number of objects whose drift was reverted. It does nothing if objects is 0.
func (m *Metrics) Repaired(deployment string, objects int) {
	if objects > 0 {
		m.repairs.WithLabelValues(deployment).Add(float64(objects))
	}
}

// Succeeded counts a revision that became active, and sets the duration of its rollout. If started is nil, the duration does not change.
func (m *Metrics) Succeeded(deployment string, started *metav1.Time, now time.Time) {
	m.rollouts.WithLabelValues(deployment, corev1alpha2.MetricOutcomeSucceeded).Inc()
	if started != nil {
		m.duration.WithLabelValues(deployment).Set(now.Sub(started.Time).Seconds())
	}
}

// Failed counts a revision that missed its deadline.
func (m *Metrics) Failed(deployment string) {
	m.rollouts.WithLabelValues(deployment, corev1alpha2.MetricOutcomeDeadlineExceeded).Inc()
}

// SetDrift sets the drift metric from the Drifted condition of a status.
func (m *Metrics) SetDrift(deployment string, status corev1alpha2.BundleDeploymentStatus) {
	m.setDrift(deployment, drifted(status))
}

// setDrift sets the series for a reason, which must be one of driftReasons, to 1, and deletes the series for the other reasons. If reason
// is empty, it deletes all of them.
func (m *Metrics) setDrift(deployment, reason string) {
	for _, each := range driftReasons {
		if each == reason {
			m.drifted.WithLabelValues(deployment, each).Set(1)
		} else {
			m.drifted.Delete(map[string]string{corev1alpha2.MetricLabelDeployment: deployment, corev1alpha2.MetricLabelReason: each})
		}
	}
}

// driftReasons are the reasons that a Drifted condition with status True can have.
var driftReasons = []string{corev1alpha2.ReasonDriftReported, corev1alpha2.ReasonDriftContested}

// drifted returns the reason of the Drifted condition if the condition is True; empty otherwise.
func drifted(status corev1alpha2.BundleDeploymentStatus) string {
	if found := meta.FindStatusCondition(status.Conditions, corev1alpha2.ConditionDrifted); found != nil && found.Status == metav1.ConditionTrue {
		return found.Reason
	}
	return ""
}

// Forget deletes the series of a deleted BundleDeployment.
func (m *Metrics) Forget(deployment string) {
	m.repairs.Delete(map[string]string{corev1alpha2.MetricLabelDeployment: deployment})
	m.duration.Delete(map[string]string{corev1alpha2.MetricLabelDeployment: deployment})
	m.setDrift(deployment, "")
	for _, outcome := range []string{corev1alpha2.MetricOutcomeSucceeded, corev1alpha2.MetricOutcomeDeadlineExceeded} {
		m.rollouts.Delete(map[string]string{corev1alpha2.MetricLabelDeployment: deployment, corev1alpha2.MetricLabelOutcome: outcome})
	}
}
