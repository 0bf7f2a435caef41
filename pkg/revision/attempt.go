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

// hasFailed reports whether a revision failed in the current attempt, so that it must not be tried again.
func (m *Machine) hasFailed(r *Revision) bool {
	return r.Stored == corev1alpha2.RevisionFailed && m.isCurrentFailure(r.FailedGeneration, r.FailedAttempt)
}

// isCurrentFailure reports whether a failure belongs to the current attempt. The arguments are the fields of status.revisions with these
// names. If failedAttempt is empty, a manager that recorded only the generation of the spec wrote them.
func (m *Machine) isCurrentFailure(failedGeneration int64, failedAttempt string) bool {
	if failedAttempt == "" {
		return failedGeneration != 0 && failedGeneration == m.in.Deployment.Generation
	}
	return failedAttempt == m.attempt()
}

// wasTried reports whether a revision failed in the current attempt and is not tried again, because another revision is active or was
// active when this one failed.
func (m *Machine) wasTried(r *Revision) bool {
	return m.hasFailed(r) && (m.active != nil || r.FailedGeneration != 0)
}

// setFailed makes a failed revision the one that Newest returns. The active revision becomes the desired one. If the active revision is
// lost, there is no desired revision.
func (m *Machine) setFailed(r *Revision) {
	m.confirmFailure(r)
	if m.active == nil {
		m.notRetried, m.desired = r, nil
		return
	}
	m.failed, m.desired = r, m.active
}

// takeLostFailure marks a newly stored revision as failed if a lost revision with the same objects was rolled back in the current attempt.
// So the deletion of a failed revision's Secrets does not cause another attempt.
func (m *Machine) takeLostFailure(r *Revision) {
	for _, lost := range m.in.History.Lost {
		isSame := lost.State == corev1alpha2.RevisionFailed && lost.Digest == r.Digest && !r.isTouched()
		if isSame && lost.FailedGeneration != 0 && m.isCurrentFailure(lost.FailedGeneration, lost.FailedAttempt) {
			r.Stored, r.FailedAttempt, r.FailedGeneration = corev1alpha2.RevisionFailed, lost.FailedAttempt, lost.FailedGeneration
			r.FailedFor, r.KindsMissing, r.FailureMessage = lost.FailedFor, lost.KindsMissing, lost.FailureMessage
		}
	}
}

// recordFailure records that a revision missed its deadline in the current attempt.
func (m *Machine) recordFailure(r *Revision) {
	r.FailedAttempt, r.FailureMessage = m.attempt(), truncated(m.missedDeadline(), maxFailureMessage)
	r.FailedFor, r.KindsMissing = m.lacks()
}

// confirmFailure extends the record of a failure to the current generation of the spec, so that the revision is not retried for that
// generation either.
func (m *Machine) confirmFailure(r *Revision) {
	r.FailedAttempt, r.FailedGeneration = m.attempt(), m.in.Deployment.Generation
}

// forgetFailures deletes the recorded failures of a revision, and of all stored and lost revisions with the same objects. It is called when
// another attempt with these objects begins or has succeeded.
func (m *Machine) forgetFailures(r *Revision) {
	for _, each := range m.in.History.Stored {
		if each == r || each.Digest == r.Digest {
			each.forgetFailure()
		}
	}
	for i := range m.in.History.Lost {
		if lost := &m.in.History.Lost[i]; lost.Digest == r.Digest {
			lost.FailedGeneration, lost.FailedAttempt, lost.FailedFor, lost.KindsMissing, lost.FailureMessage = 0, "", "", nil, ""
		}
	}
}

func (r *Revision) forgetFailure() {
	r.FailedGeneration, r.FailedAttempt, r.FailedFor, r.KindsMissing, r.FailureMessage = 0, "", "", nil, ""
}

func (m *Machine) attempt() string { return attempt.Of(m.in.Deployment) }
