package revision

import (
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

// reportDrift reports what others changed, and what was done about it.
func (m *Machine) reportDrift(status *status) {
	c := condition{corev1alpha2.ConditionDrifted, isTrue, corev1alpha2.ReasonDriftReported, ""}
	if m.isUntouched() {
		status.Drift = nil
		c.status, c.reason, c.message = isUnknown, corev1alpha2.ReasonInstallPending, m.untouchedMessage()
		m.set(status, c)
		return
	}
	status.Drift = drift.Merge(m.in.Deployment.Status.Drift, m.drift.Unwritten, m.drift.Standing)
	contested := firstOf(m.drift.Standing, corev1alpha2.DriftContested)
	switch {
	case m.in.DriftPolicy == corev1alpha2.DriftIgnoreAll:
		c.status, c.reason, c.message = isFalse, corev1alpha2.ReasonDriftIgnored, "Changes by others are not looked for, as spec.drift.policy says."
	case m.drift.Left && contested != "":
		c.reason = corev1alpha2.ReasonDriftContested
		c.message = fmt.Sprintf("%s, each time that it is put back; have whoever does that stop, or leave the field to them by spec.drift.ignore.", contested)
	case m.drift.Left:
		c.message = sentence("Changes by others are left, as "+m.whyLeft(), firstOf(m.drift.Standing, corev1alpha2.DriftReported))
	case m.refusal != nil && m.desired == m.active:
		c.status, c.reason = isUnknown, corev1alpha2.ReasonReconcileFailed
		c.message = "Not everything can be looked at, or put back; the Installed condition says why."
	default:
		c.status, c.reason, c.message = isFalse, corev1alpha2.ReasonAsExpected, "Nothing that was declared is left as others changed it."
	}
	m.set(status, c)
}

// whyLeft returns why drift is left, as a clause.
func (m *Machine) whyLeft() string {
	own := m.in.Deployment.Spec.Drift
	switch {
	case m.in.Deployment.Spec.Paused:
		return "nothing is changed while spec.paused is set"
	case m.in.UnknownClass != "" && (own == nil || own.Policy == ""):
		return "the provisioner class, which may say so, is not known"
	}
	return "spec.drift.policy says"
}

// firstOf describes the first standing change with an outcome, and counts the others; empty if there is none. Additions are not
// drift of what is declared.
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
