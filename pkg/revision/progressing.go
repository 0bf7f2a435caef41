package revision

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/attempt"
)

// progressing returns the Progressing condition: what is in progress, or what prevents progress. It also reports lost revisions.
func (m *Machine) progressing() condition { return m.withUnstored(m.progress()) }

func (m *Machine) progress() condition {
	const kind = corev1alpha2.ConditionProgressing
	switch {
	case m.in.Deployment.Spec.Paused:
		return condition{kind, isFalse, corev1alpha2.ReasonPaused, "Nothing is changed while spec.paused is set."}
	case m.in.UnknownClass != "":
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, "The provisioner class is not known; the Unpacked condition says more."}
	case m.failed != nil:
		return m.progressingRollback()
	case m.notRetried != nil:
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, fmt.Sprintf("%s is not tried again: %s. "+
			"The revision that was active before is lost, so nothing is applied or repaired. To try %s again, set annotation %s to a new value; or install another bundle.",
			m.notRetried.title(), m.notRetried.failure(), m.notRetried, platformv1alpha1.AnnotationRetry)}
	case m.desired == nil:
		return m.progressingContent()
	case m.State(m.desired) == Held:
		return condition{kind, isFalse, corev1alpha2.ReasonDeadlineExceeded, m.missedDeadline() + ". " + m.heldMessage()}
	case m.refusal != nil && m.desired == m.active:
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, fmt.Sprintf("%s cannot be repaired: %v.", m.active.title(), m.refusal)}
	case m.isUnapproved():
		return condition{kind, isFalse, corev1alpha2.ReasonAwaitingApproval, fmt.Sprintf("%s is not applied: %v.", m.desired.title(), m.refusal)}
	case m.refusal != nil:
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, fmt.Sprintf("%s is not applied: %v.", m.desired.title(), m.refusal)}
	case m.IsRollingOut():
		return condition{kind, isTrue, corev1alpha2.ReasonRollingOut, sentence(m.desired.title()+" is rolling out", m.obstacle())}
	case m.isGoingBack():
		return condition{kind, isTrue, corev1alpha2.ReasonRollingOut, sentence(m.active.title()+" is being restored", m.obstacle())}
	case m.pruneBlocked:
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, "Objects that only earlier revisions have are not removed: " + m.pruneWaiting + "."}
	case m.pruneWaiting != "":
		return condition{kind, isTrue, corev1alpha2.ReasonRollingOut, "Removing objects that only earlier revisions have: " + m.pruneWaiting + "."}
	}
	return condition{kind, isFalse, corev1alpha2.ReasonAsExpected, m.active.title() + " is active."}
}

// progressingContent returns the Progressing condition while no revision of the desired content is stored.
func (m *Machine) progressingContent() condition {
	const kind = corev1alpha2.ConditionProgressing
	switch {
	case m.content.Invalid != "":
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, "The bundle cannot be installed; the HasValidBundle condition says why."}
	case m.content.NotAllowed != "":
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, m.content.NotAllowed}
	case m.content.Err != nil:
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, "The source cannot be unpacked; it is tried again, and the Unpacked condition says why."}
	case m.in.Desired.Missing != "":
		return condition{kind, isFalse, corev1alpha2.ReasonBlocked, "The manager waits for the source; the Unpacked condition says what is missing."}
	}
	return condition{kind, isTrue, corev1alpha2.ReasonRollingOut, "The source is being unpacked."}
}

// isGoingBack reports whether the spec returned to the active revision while a different revision was rolling out, and not all objects are
// restored yet. It returns false for repairs of drift.
func (m *Machine) isGoingBack() bool {
	before := m.lastProgressing()
	return !m.report.Complete && (m.wasStarted() || before != nil && before.Reason == corev1alpha2.ReasonRollingOut)
}

// heldMessage returns what happens to a revision that missed its deadline and is not rolled back.
func (m *Machine) heldMessage() string {
	switch {
	case m.in.Deployment.Spec.OnFailure == corev1alpha2.OnFailureRollback && m.active == nil:
		return "There is no earlier revision to roll back to, so the revision is held: it stays in place, and its rollout continues when the cause is removed."
	case m.active == nil:
		return "The revision is held: it stays in place, and its rollout continues when the cause is removed."
	}
	return fmt.Sprintf("The revision is held: it stays in place, and its rollout continues when the cause is removed. Objects that only revision %d has are kept until the rollout is complete.", m.active.Number)
}

// progressingRollback returns the Progressing condition during and after a rollback.
func (m *Machine) progressingRollback() condition {
	why := m.failed.failure()
	isRecorded := m.stateInStatus(m.failed.Number) == corev1alpha2.RevisionFailed
	if m.wasRolledBack() || isRecorded && m.isComplete() && (m.pruneWaiting == "" || m.pruneBlocked) {
		message := fmt.Sprintf("%s. Rolled back: %s is active again. %s is not tried again until its bundle, spec.config, spec.adoption or "+
			"spec.progressDeadlineSeconds changes%s, or annotation %s is set to a new value.", why, m.active, m.failed.title(),
			attempt.RepeatedWhen(m.failed.FailedFor, m.failed.KindsMissing), platformv1alpha1.AnnotationRetry)
		if m.failed.FailureMessage == "" && m.isUnstored() {
			m.failed.FailureMessage = why // the message in status is about to change, and must not be kept
		}
		if before := m.earlierRollback(); before != nil && m.failed.FailureMessage == "" && !m.pruneBlocked {
			message = before.Message // the only record of the reason if an older manager wrote no failureMessage
		}
		if m.pruneBlocked {
			message += fmt.Sprintf(" Objects that only %s has are not removed: %s.", m.failed, m.pruneWaiting)
		}
		return condition{corev1alpha2.ConditionProgressing, isFalse, corev1alpha2.ReasonDeadlineExceeded, message}
	}
	waiting := m.pruneWaiting
	if isRecorded && waiting == "" { // before, the report is about the failed revision
		waiting = m.obstacle()
	}
	return condition{corev1alpha2.ConditionProgressing, isTrue, corev1alpha2.ReasonRollingBack,
		why + ". Rolled back: " + sentence(m.active.String()+" is being restored", waiting)}
}

// earlierRollback returns the Progressing condition in the last written status if it reports a rollback for this spec; else nil.
func (m *Machine) earlierRollback() *metav1.Condition {
	before := m.lastProgressing()
	if before == nil || before.Reason != corev1alpha2.ReasonDeadlineExceeded || before.ObservedGeneration != m.in.Deployment.Generation {
		return nil
	}
	return before
}
