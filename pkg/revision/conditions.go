package revision

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

type status = corev1alpha2.BundleDeploymentStatus

const (
	isTrue    = metav1.ConditionTrue
	isFalse   = metav1.ConditionFalse
	isUnknown = metav1.ConditionUnknown
)

// reportUnpacked reports the content of the source: Unpacked and HasValidBundle.
func (m *Machine) reportUnpacked(status *status) {
	const notYet = "The content of the source is not known yet."
	unpacked := condition{kind: corev1alpha2.ConditionUnpacked}
	valid := condition{corev1alpha2.ConditionHasValidBundle, isUnknown, "", notYet}
	newest := m.Newest()
	switch {
	case m.in.UnknownClass != "":
		unpacked.status, unpacked.reason, valid.reason = isUnknown, corev1alpha2.ReasonProvisionerNotFound, corev1alpha2.ReasonProvisionerNotFound
		unpacked.message = fmt.Sprintf(
			"%s: nothing new is unpacked until there is one. Create it, or set spec.provisionerClassName to %q for registry+v1 bundles, to %q for plain+v0 bundles.",
			m.in.UnknownClass, corev1alpha2.ProvisionerClassRegistry, corev1alpha2.ProvisionerClassPlain)
	case newest != nil:
		unpacked.status, unpacked.reason = isTrue, corev1alpha2.ReasonUnpackSuccessful
		unpacked.message = fmt.Sprintf("The content is that of %s.", newest.Resolved)
		valid.status, valid.reason, valid.message = isTrue, corev1alpha2.ReasonBundleLoadSuccessful, rendersTo(newest)
	case m.content.Invalid != "":
		unpacked.status, unpacked.reason = isTrue, corev1alpha2.ReasonUnpackSuccessful
		unpacked.message = fmt.Sprintf("The content is that of %s.", m.content.Resolved)
		valid.status, valid.reason, valid.message = isFalse, corev1alpha2.ReasonBundleLoadFailed, m.content.Invalid
	case m.content.Err != nil:
		unpacked.status, unpacked.reason, valid.reason = isFalse, corev1alpha2.ReasonUnpackFailed, corev1alpha2.ReasonUnpackFailed
		unpacked.message = fmt.Sprintf("%v.", m.content.Err)
	case m.in.Deployment.Spec.Paused:
		unpacked.status, unpacked.reason, valid.reason = isUnknown, corev1alpha2.ReasonUnpackPending, corev1alpha2.ReasonUnpackPending
		unpacked.message = "Nothing is fetched while spec.paused is set."
	case m.in.Desired.Missing != "":
		unpacked.status, unpacked.reason, valid.reason = isUnknown, corev1alpha2.ReasonUnpackPending, corev1alpha2.ReasonUnpackPending
		unpacked.message = m.in.Desired.Missing + "."
	default:
		unpacked.status, unpacked.reason, valid.reason = isUnknown, corev1alpha2.ReasonUnpacking, corev1alpha2.ReasonUnpacking
		unpacked.message = fmt.Sprintf("Fetching and unpacking %s.", m.in.Desired.Source)
	}
	m.set(status, unpacked)
	m.set(status, valid)
}

// rendersTo returns what a revision's bundle is rendered to. A plain bundle may have no name.
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

// reportInstalled keeps Installed True after everything of some revision was applied, whatever becomes of a later one.
func (m *Machine) reportInstalled(status *status) {
	rollingOut := m.IsRollingOut()
	installed := m.wasInstalled() || m.active != nil || rollingOut && m.report.Complete
	c := condition{corev1alpha2.ConditionInstalled, isTrue, corev1alpha2.ReasonInstallationSucceeded, ""}
	switch {
	case m.refusal != nil && !installed:
		c.status, c.reason, c.message = isFalse, corev1alpha2.ReasonInstallFailed, m.refusal.Error()+"."
	case !installed:
		c.status, c.reason, c.message = isFalse, corev1alpha2.ReasonInstallPending, m.pendingMessage()
	case m.refusal != nil && rollingOut:
		c.reason, c.message = corev1alpha2.ReasonUpgradeFailed, fmt.Sprintf("%s is not applied: %v.", m.desired.title(), m.refusal)
	case m.refusal != nil:
		c.reason, c.message = corev1alpha2.ReasonReconcileFailed, m.refusal.Error()+"."
	case m.active != nil:
		c.message = m.active.title() + " is applied."
	case rollingOut && m.report.Complete:
		c.message = m.desired.title() + " is applied."
	default:
		c.message = "A revision was applied completely before; the Healthy condition tells of the newest one."
	}
	m.set(status, c)
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

// reportHealthy reports the health of the target. While that is refused, or not started, it reports the health of the active
// revision: what cannot be applied does no harm to what is there.
func (m *Machine) reportHealthy(status *status) {
	c := condition{kind: corev1alpha2.ConditionHealthy}
	switch {
	case m.isUntouched():
		c.status, c.reason, c.message = isUnknown, corev1alpha2.ReasonInstallPending, m.untouchedMessage()
	case m.observed != nil && len(m.observed.Unready) == 0:
		c.status, c.reason = isTrue, corev1alpha2.ReasonHealthy
		c.message = fmt.Sprintf("All %d objects of %s are ready; the Progressing condition says why %s is not applied.", m.observed.Total, m.active, m.desired)
	case m.observed != nil:
		c.status, c.reason, c.message = isFalse, corev1alpha2.ReasonUnhealthy, unhealthyMessage(*m.observed, m.observed.Unready[0])
	case m.isComplete():
		c.status, c.reason, c.message = isTrue, corev1alpha2.ReasonHealthy, fmt.Sprintf("All %d objects are applied and ready.", m.report.Total)
		if m.in.Deployment.Spec.Paused { // only that they exist was looked at
			c.message = fmt.Sprintf("All %d objects are there and ready; whether they are as declared is not seen to while spec.paused is set.", m.report.Total)
		}
	default:
		c.status, c.reason, c.message = isFalse, corev1alpha2.ReasonUnhealthy, unhealthyMessage(m.report, m.obstacle())
	}
	m.set(status, c)
}

// unhealthyMessage returns the first problem, the number of others, and the command that tells more of it.
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

// isUntouched reports whether there is nothing to look at: no revision, or a first one that has not started.
func (m *Machine) isUntouched() bool {
	if m.active != nil {
		return false
	}
	return m.desired == nil || m.check.Problem.Err != nil && !m.wasInstalled()
}

func (m *Machine) untouchedMessage() string {
	if m.wasInstalled() {
		return "What was applied for an earlier source never became healthy; it stays, and is not looked at before the content of the new one is known."
	}
	return "Nothing is applied yet."
}
