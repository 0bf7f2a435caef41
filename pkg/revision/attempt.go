package revision

import (
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/attempt"
)

// limitOf returns the progress deadline of a spec.
func limitOf(spec corev1alpha2.BundleDeploymentSpec) time.Duration {
	if seconds := spec.ProgressDeadlineSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return defaultDeadline
}

// hasFailed reports whether a revision failed in the current attempt, so that it must not be tried again. Managers that recorded no attempt
// recorded the generation of the spec.
func (m *Machine) hasFailed(r *Revision) bool {
	if r.Stored != corev1alpha2.RevisionFailed || r.FailedGeneration == 0 && r.FailedAttempt == "" {
		return false
	}
	if r.FailedAttempt == "" {
		return r.FailedGeneration == m.in.Deployment.Generation
	}
	return r.FailedAttempt == m.attempt()
}

// recordFailure records that a revision missed its deadline in the current attempt.
func (m *Machine) recordFailure(r *Revision) {
	r.FailedAttempt, r.FailureMessage = m.attempt(), truncated(m.missedDeadline(), maxFailureMessage)
	r.FailedFor, r.KindsMissing = m.lacks()
}

// confirmFailure records that a revision that failed is not tried again for this generation of the spec either.
func (m *Machine) confirmFailure(r *Revision) {
	r.FailedAttempt, r.FailedGeneration = m.attempt(), m.in.Deployment.Generation
}

// forgetFailure is called when another attempt begins, and when a held revision becomes healthy.
func (r *Revision) forgetFailure() {
	r.FailedGeneration, r.FailedAttempt, r.FailedFor, r.KindsMissing, r.FailureMessage = 0, "", "", nil, ""
}

func (m *Machine) attempt() string { return attempt.Of(m.in.Deployment) }
