package revision

import (
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

// reportDrift fills in status.drift. It clears status.drift if there are no objects to check.
func (m *Machine) reportDrift(status *corev1alpha2.BundleDeploymentStatus) {
	status.Drift = nil
	if !m.isUntouched() {
		status.Drift = drift.Merge(m.in.Deployment.Status.Drift, m.drift.Unwritten, m.drift.Standing)
	}
}

// maxUnmatched is the maximum number of entries and pointers of spec.drift.ignore that the Drifted condition names.
const maxUnmatched = 3

// drifted returns the Drifted condition. It is True if other clients changed declared fields or objects, and the manager does not revert
// these changes. While the manager looks for changes, the message also names the entries of spec.drift.ignore that select nothing.
func (m *Machine) drifted() condition {
	condition := m.driftState()
	if condition.status == isUnknown || condition.reason == corev1alpha2.ReasonDriftIgnored {
		return condition
	}
	for i, each := range m.drift.UnmatchedIgnores {
		if i == maxUnmatched {
			condition.message += fmt.Sprintf(" The same holds for %d more pointers or targets of spec.drift.ignore.", len(m.drift.UnmatchedIgnores)-i)
			break
		}
		condition.message += " " + each.String()
	}
	return condition
}

func (m *Machine) driftState() condition {
	const kind = corev1alpha2.ConditionDrifted
	contested := firstOf(m.drift.Standing, corev1alpha2.DriftContested)
	switch {
	case m.isUntouched():
		return condition{kind, isUnknown, corev1alpha2.ReasonInstallPending, m.untouchedMessage()}
	case m.in.DriftPolicy == corev1alpha2.DriftIgnoreAll:
		return condition{kind, isFalse, corev1alpha2.ReasonDriftIgnored, "The manager does not look for changes by others, because the drift policy is Ignore."}
	case m.drift.Left && contested != "":
		return condition{kind, isTrue, corev1alpha2.ReasonDriftContested, fmt.Sprintf(
			"%s, again after each repair: stop the client that makes the change, or exclude the field by spec.drift.ignore.", contested)}
	case m.drift.Left:
		return condition{kind, isTrue, corev1alpha2.ReasonDriftReported,
			sentence("Changes by others are not reverted, because "+m.whyLeft(), firstOf(m.drift.Standing, corev1alpha2.DriftReported))}
	case m.refusal != nil && (m.desired == m.active || m.check.Problem.Err == nil):
		return condition{kind, isUnknown, corev1alpha2.ReasonReconcileFailed, "Some objects cannot be read or repaired; the Installed condition gives the cause."}
	case m.report.Unread || m.observed != nil && m.observed.Unread:
		return condition{kind, isUnknown, corev1alpha2.ReasonReconcileFailed, "Some objects cannot be read; the Healthy condition gives the cause."}
	case m.remainingReport.Unread: // Healthy describes the newest revision, so it does not give the cause
		return condition{kind, isUnknown, corev1alpha2.ReasonReconcileFailed,
			sentence("Some objects of "+m.active.String()+" cannot be read", m.remainingReport.Waiting)}
	case m.isFaulty():
		return condition{kind, isUnknown, corev1alpha2.ReasonReconcileFailed, "Some objects cannot be read or repaired; the Healthy condition gives the cause."}
	}
	return condition{kind, isFalse, corev1alpha2.ReasonAsExpected, "No declared object or field differs from its declaration."}
}

// isFaulty reports whether a fault that lasts prevented the comparison or the repair of objects. A new revision whose requirements cannot
// be checked does not count, because the objects of the active revision are still compared.
func (m *Machine) isFaulty() bool {
	return m.fault != nil && (m.desired == m.active || m.check.Problem.Err == nil || m.remainingErr != nil)
}

// whyLeft returns a clause that says why drift is not reverted.
func (m *Machine) whyLeft() string {
	own := m.in.Deployment.Spec.Drift
	switch {
	case m.in.Deployment.Spec.Paused:
		return "spec.paused is set"
	case m.in.UnknownClass != "" && (own == nil || own.Policy == ""):
		return "the ProvisionerClass, which has the drift policy, is not known"
	}
	if own == nil || own.Policy == "" {
		return "the drift policy of the ProvisionerClass is Report"
	}
	return "spec.drift.policy is Report"
}

// firstOf returns a text with the first standing change that has the given outcome, and the number of the others; empty if there is none.
// It skips additions, which do not count as differences from the declared objects.
func firstOf(standing []corev1alpha2.DriftRecord, outcome corev1alpha2.DriftOutcome) string {
	text, more := "", 0
	for _, each := range standing {
		switch {
		case each.Outcome != outcome || each.Change == corev1alpha2.DriftAdded:
		case text == "":
			text = drift.Describe(each)
		default:
			more++
		}
	}
	if more > 0 {
		text = fmt.Sprintf("%s (and %d more)", text, more)
	}
	return text
}
