package revision

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	isTrue    = metav1.ConditionTrue
	isFalse   = metav1.ConditionFalse
	isUnknown = metav1.ConditionUnknown
)

// notYet is the message of HasValidBundle before the content is known.
const notYet = "The content of the source is not known yet."

// unpacked returns the Unpacked condition, which shows whether the content of the source was fetched.
func (m *Machine) unpacked() condition {
	const kind = corev1alpha2.ConditionUnpacked
	newest := m.Newest()
	switch {
	case m.in.UnknownClass != "":
		return condition{kind, isUnknown, corev1alpha2.ReasonProvisionerNotFound, m.in.UnknownClass}
	case newest != nil:
		return condition{kind, isTrue, corev1alpha2.ReasonUnpackSuccessful, fmt.Sprintf("The content was read from %s.", cmp.Or(newest.Mirror, newest.Resolved))}
	case m.content.Invalid != "":
		return condition{kind, isTrue, corev1alpha2.ReasonUnpackSuccessful, fmt.Sprintf("The content was read from %s.", m.content.Resolved)}
	case m.content.NotAllowed != "" && m.content.Resolved == "":
		return condition{kind, isFalse, corev1alpha2.ReasonNotAllowed, m.content.NotAllowed}
	case m.content.NotAllowed != "":
		return condition{kind, isTrue, corev1alpha2.ReasonUnpackSuccessful, fmt.Sprintf("The content was read from %s.", m.content.Resolved)}
	case m.content.Err != nil:
		return condition{kind, isFalse, corev1alpha2.ReasonUnpackFailed, fmt.Sprintf("%v.", m.content.Err)}
	case m.in.Deployment.Spec.Paused:
		return condition{kind, isUnknown, corev1alpha2.ReasonUnpackPending, "Nothing is fetched while spec.paused is set."}
	case m.in.Desired.Missing != "":
		return condition{kind, isUnknown, corev1alpha2.ReasonUnpackPending, m.in.Desired.Missing + "."}
	}
	return condition{kind, isUnknown, corev1alpha2.ReasonUnpacking, fmt.Sprintf("Fetching and unpacking %s.", m.in.Desired.Source)}
}

// hasValidBundle returns the HasValidBundle condition, which shows whether the bundle can be rendered.
func (m *Machine) hasValidBundle() condition {
	const kind = corev1alpha2.ConditionHasValidBundle
	newest := m.Newest()
	switch {
	case m.in.UnknownClass != "":
		return condition{kind, isUnknown, corev1alpha2.ReasonProvisionerNotFound, notYet}
	case newest != nil:
		return condition{kind, isTrue, corev1alpha2.ReasonBundleLoadSuccessful, rendersTo(newest)}
	case m.content.Invalid != "":
		return condition{kind, isFalse, corev1alpha2.ReasonBundleLoadFailed, m.content.Invalid}
	case m.content.NotAllowed != "" && m.content.Resolved == "":
		return condition{kind, isUnknown, corev1alpha2.ReasonNotAllowed, "The bundle is not validated, because the provisioner class does not allow it; the Unpacked condition says why."}
	case m.content.NotAllowed != "":
		return condition{kind, isFalse, corev1alpha2.ReasonNotAllowed, m.content.NotAllowed}
	case m.content.Err != nil:
		return condition{kind, isUnknown, corev1alpha2.ReasonUnpackFailed, "The bundle is not validated, because its content could not be unpacked; the Unpacked condition says why."}
	case m.in.Deployment.Spec.Paused || m.in.Desired.Missing != "":
		return condition{kind, isUnknown, corev1alpha2.ReasonUnpackPending, notYet}
	}
	return condition{kind, isUnknown, corev1alpha2.ReasonUnpacking, notYet}
}

// rendersTo returns a sentence about the rendered objects of a revision. A plain bundle may have no name.
func rendersTo(r *Revision) string {
	rendered := "The bundle"
	if r.Bundle.Name != "" {
		rendered = "Bundle " + r.Bundle.Name
	}
	if !r.Loaded {
		return rendered + " can be rendered."
	}
	return fmt.Sprintf("%s renders to %s.", rendered, countObjects(r))
}

// installed returns the Installed condition, which shows whether all objects of some revision were applied. It stays True during later
// rollouts.
func (m *Machine) installed() condition {
	const kind = corev1alpha2.ConditionInstalled
	rollingOut := m.IsRollingOut()
	installed := m.wasInstalled() || m.active != nil || rollingOut && m.report.Complete
	switch {
	case m.notRetried != nil && !installed:
		return condition{kind, isFalse, corev1alpha2.ReasonInstallFailed, m.notRetried.title() + " is not tried again; the Progressing condition says why."}
	case len(m.KindsMissing()) > 0 && !installed:
		return condition{kind, isFalse, corev1alpha2.ReasonInstallFailed, fmt.Sprintf("%s is not applied: %v.", m.target().title(), m.refusal)}
	case m.isUnapproved() && !installed:
		return condition{kind, isFalse, corev1alpha2.ReasonInstallPending, fmt.Sprintf("%s waits for an approval; the Approved condition says more.", m.desired.title())}
	case m.refusal != nil && !installed:
		return condition{kind, isFalse, corev1alpha2.ReasonInstallFailed, m.refusal.Error() + "."}
	case m.content.Invalid != "" && !installed:
		return condition{kind, isFalse, corev1alpha2.ReasonInstallFailed, "The bundle cannot be installed; the HasValidBundle condition says why."}
	case m.content.NotAllowed != "" && !installed:
		return condition{kind, isFalse, corev1alpha2.ReasonInstallFailed, m.content.NotAllowed}
	case !installed:
		return condition{kind, isFalse, corev1alpha2.ReasonInstallPending, m.pendingMessage()}
	case m.refusal != nil && rollingOut && !m.isUnapproved():
		return condition{kind, isTrue, corev1alpha2.ReasonUpgradeFailed, fmt.Sprintf("%s is not applied: %v.", m.desired.title(), m.refusal)}
	case m.refusal != nil && !rollingOut:
		return condition{kind, isTrue, corev1alpha2.ReasonReconcileFailed, m.refusal.Error() + "."}
	case m.content.NotAllowed != "":
		return condition{kind, isTrue, corev1alpha2.ReasonUpgradeFailed, m.content.NotAllowed}
	case m.active != nil:
		return condition{kind, isTrue, corev1alpha2.ReasonInstallationSucceeded, m.active.title() + " is applied."}
	case rollingOut && m.report.Complete:
		return condition{kind, isTrue, corev1alpha2.ReasonInstallationSucceeded, m.desired.title() + " is applied."}
	}
	return condition{kind, isTrue, corev1alpha2.ReasonInstallationSucceeded, "A revision was applied completely before; the Healthy condition tells of the newest one."}
}

func (m *Machine) pendingMessage() string {
	switch {
	case m.desired == nil:
		return "Nothing is applied yet; the Unpacked and HasValidBundle conditions say why."
	case m.in.Deployment.Spec.Paused:
		return "Nothing is applied while spec.paused is set."
	}
	return sentence(m.desired.title()+" is being applied", m.obstacle())
}

// healthy returns the Healthy condition of the target. If the target was refused or has not started, the condition is about the active
// revision, whose objects are unchanged.
func (m *Machine) healthy() condition {
	const kind = corev1alpha2.ConditionHealthy
	switch {
	case m.isUntouched():
		return condition{kind, isUnknown, corev1alpha2.ReasonInstallPending, m.untouchedMessage()}
	case m.observed != nil && len(m.observed.Unready) == 0:
		return condition{kind, isTrue, corev1alpha2.ReasonHealthy, fmt.Sprintf(
			"%s ready; the Progressing condition says why %s is not applied.", allObjects(m.observed.Total, " of "+m.active.String()), m.desired)}
	case m.observed != nil:
		return condition{kind, isFalse, corev1alpha2.ReasonUnhealthy, unhealthyMessage(*m.observed, m.observed.Unready[0])}
	case !m.isComplete():
		return condition{kind, isFalse, corev1alpha2.ReasonUnhealthy, unhealthyMessage(m.report, m.obstacle())}
	case m.in.Deployment.Spec.Paused: // the manager only checked that they exist and are ready
		exist, are := fmt.Sprintf("All %d objects exist", m.report.Total), "are"
		if m.report.Total == 1 {
			exist, are = "1 object exists", "is"
		}
		return condition{kind, isTrue, corev1alpha2.ReasonHealthy, fmt.Sprintf(
			"%s and %s ready; changes are not reverted while spec.paused is set.", exist, are)}
	}
	return condition{kind, isTrue, corev1alpha2.ReasonHealthy, allObjects(m.report.Total, "") + " applied and ready."}
}

// unhealthyMessage returns a message with the obstacle, the number of other unready objects, and the command that shows more about the
// first one. The obstacle may be empty.
func unhealthyMessage(report Report, obstacle string) string {
	message := obstacle
	if more := len(report.Unready) - 1; more > 0 {
		message = fmt.Sprintf("%s (and %d more)", message, more)
	}
	switch first := len(report.Unready) > 0 && obstacle == report.Unready[0]; {
	case message == "":
		message = "Not everything is applied yet"
	case first && report.Command != "":
		message = fmt.Sprintf("%s. See %q", message, report.Command)
	}
	return message + "."
}

// isUntouched reports whether there are no objects to check: there is no revision, or the first one has not started.
func (m *Machine) isUntouched() bool {
	if m.active != nil {
		return false
	}
	return m.desired == nil || (m.check.Problem.Err != nil || m.check.Waiting != "") && !m.wasInstalled()
}

func (m *Machine) untouchedMessage() string {
	if m.notRetried != nil {
		return "Objects that were applied before stay, and the manager does not check them; the Progressing condition says why."
	}
	if m.wasInstalled() {
		return "The objects of an earlier source never became healthy. They stay, and the manager does not check them before it has the content of the new source."
	}
	return "Nothing is applied yet."
}
