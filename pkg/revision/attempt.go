package revision

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// AttemptOf identifies an attempt to install a revision: it is a digest of the settings of a BundleDeployment that decide how any revision
// is installed, and of annotation platform.openshift.io/retry. A revision that missed its deadline is tried again when the digest changes.
// Source and configuration are not in it: another source or another configuration is another revision.
func AttemptOf(deployment *corev1alpha2.BundleDeployment) string {
	spec := deployment.Spec
	text, err := json.Marshal([]any{
		cmp.Or(spec.Adoption, corev1alpha2.AdoptionSamePackage), limitOf(spec).Seconds(), deployment.Annotations[platformv1alpha1.AnnotationRetry],
	})
	if err != nil {
		return "" // not reached: these are strings and a number
	}
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:8])
}

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
	r.FailedAttempt, r.FailedFor, r.FailureMessage = m.attempt(), m.lacks(), truncated(m.missedDeadline(), maxFailureMessage)
}

// confirmFailure records that a revision that failed is not tried again for this generation of the spec either.
func (m *Machine) confirmFailure(r *Revision) {
	r.FailedAttempt, r.FailedGeneration = m.attempt(), m.in.Deployment.Generation
}

// forgetFailure is called when another attempt begins, and when a held revision becomes healthy.
func (r *Revision) forgetFailure() {
	r.FailedGeneration, r.FailedAttempt, r.FailedFor, r.FailureMessage = 0, "", "", ""
}

func (m *Machine) attempt() string { return AttemptOf(m.in.Deployment) }
