package bundledeployment

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
)

func (s *state) reportUnpacked() {
	unpacked, valid := corev1alpha2.ConditionUnpacked, corev1alpha2.ConditionHasValidBundle
	notYet := "The content of the source is not known yet."
	newest := s.newest()
	switch {
	case s.unknownClass != "":
		s.set(unpacked, metav1.ConditionUnknown, corev1alpha2.ReasonProvisionerNotFound, fmt.Sprintf(
			"%s: nothing new is unpacked until there is one. Create it, or set spec.provisionerClassName to %q for registry+v1 bundles, to %q for plain+v0 bundles.",
			s.unknownClass, corev1alpha2.ProvisionerClassRegistry, corev1alpha2.ProvisionerClassPlain))
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonProvisionerNotFound, notYet)
	case newest != nil:
		s.set(unpacked, metav1.ConditionTrue, corev1alpha2.ReasonUnpackSuccessful, fmt.Sprintf("The content is that of %s.", newest.Resolved))
		rendered := "The bundle"
		if newest.Bundle.Name != "" { // a plain bundle may have none
			rendered = "Bundle " + newest.Bundle.Name
		}
		message := rendered + " can be rendered."
		if newest.set != nil {
			message = fmt.Sprintf("%s renders to %s.", rendered, objects(newest))
		}
		s.set(valid, metav1.ConditionTrue, corev1alpha2.ReasonBundleLoadSuccessful, message)
	case s.answer.result != nil && s.answer.result.invalid != nil:
		s.set(unpacked, metav1.ConditionTrue, corev1alpha2.ReasonUnpackSuccessful, fmt.Sprintf("The content is that of %s.", s.answer.result.resolved))
		s.set(valid, metav1.ConditionFalse, corev1alpha2.ReasonBundleLoadFailed, s.answer.result.advice())
	case s.answer.err != nil:
		s.set(unpacked, metav1.ConditionFalse, corev1alpha2.ReasonUnpackFailed, fmt.Sprintf("%v.", s.answer.err))
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonUnpackFailed, notYet)
	case s.deployment.Spec.Paused:
		s.set(unpacked, metav1.ConditionUnknown, corev1alpha2.ReasonUnpackPending, "Nothing is fetched while spec.paused is set.")
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonUnpackPending, notYet)
	case s.sought.missing != "":
		s.set(unpacked, metav1.ConditionUnknown, corev1alpha2.ReasonUnpackPending, s.sought.missing+".")
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonUnpackPending, notYet)
	default:
		s.set(unpacked, metav1.ConditionUnknown, corev1alpha2.ReasonUnpacking, fmt.Sprintf("Fetching and unpacking %s.", s.sought.source))
		s.set(valid, metav1.ConditionUnknown, corev1alpha2.ReasonUnpacking, notYet)
	}
}

func objects(of *revision) string {
	if count := of.set.Len(); count != 1 {
		return fmt.Sprintf("%d objects", count)
	}
	return "1 object"
}

// reportInstalled keeps Installed True once everything of some revision was applied, whatever becomes of a later one.
func (s *state) reportInstalled() {
	installed := meta.IsStatusConditionTrue(s.before.Status.Conditions, corev1alpha2.ConditionInstalled) || s.active != nil
	rollingOut := s.rollingOut()
	if rollingOut && s.report.Complete {
		installed = true
	}
	condition := corev1alpha2.ConditionInstalled
	switch {
	case s.refusal != nil && !installed:
		s.set(condition, metav1.ConditionFalse, corev1alpha2.ReasonInstallFailed, s.refusal.Error()+".")
	case !installed:
		s.set(condition, metav1.ConditionFalse, corev1alpha2.ReasonInstallPending, s.pendingMessage())
	case s.refusal != nil && rollingOut:
		s.set(condition, metav1.ConditionTrue, corev1alpha2.ReasonUpgradeFailed, fmt.Sprintf("%s is not applied: %v.", name(s.wanted), s.refusal))
	case s.refusal != nil:
		s.set(condition, metav1.ConditionTrue, corev1alpha2.ReasonReconcileFailed, s.refusal.Error()+".")
	case s.active != nil:
		s.set(condition, metav1.ConditionTrue, corev1alpha2.ReasonInstallationSucceeded, name(s.active)+" is applied.")
	case rollingOut && s.report.Complete:
		s.set(condition, metav1.ConditionTrue, corev1alpha2.ReasonInstallationSucceeded, name(s.wanted)+" is applied.")
	default:
		s.set(condition, metav1.ConditionTrue, corev1alpha2.ReasonInstallationSucceeded, "A revision was applied completely before; the Healthy condition tells of the newest one.")
	}
}

func (s *state) pendingMessage() string {
	switch {
	case s.wanted == nil:
		return "Nothing is applied yet; the Unpacked and HasValidBundle conditions say why."
	case s.deployment.Spec.Paused:
		return "Nothing is applied while spec.paused is set."
	}
	return sentence(name(s.wanted)+" is being applied", s.obstacle())
}

// reportHealthy tells of the newest revision that is worked on. While that is refused, or not begun, it tells of the active one:
// what cannot be moved to is no harm to what is there.
func (s *state) reportHealthy() {
	if s.untouched() {
		s.set(corev1alpha2.ConditionHealthy, metav1.ConditionUnknown, corev1alpha2.ReasonInstallPending, s.unlooked())
		return
	}
	if s.live != nil {
		s.reportLive()
		return
	}
	if s.complete() {
		message := "All %d objects are applied and ready."
		if s.deployment.Spec.Paused { // only that they are there was looked at
			message = "All %d objects are there and ready; whether they are as declared is not seen to while spec.paused is set."
		}
		s.set(corev1alpha2.ConditionHealthy, metav1.ConditionTrue, corev1alpha2.ReasonHealthy, fmt.Sprintf(message, s.report.Total))
		return
	}
	s.set(corev1alpha2.ConditionHealthy, metav1.ConditionFalse, corev1alpha2.ReasonUnhealthy, unhealthy(s.report, s.obstacle()))
}

// reportLive tells of the active revision's objects as they are.
func (s *state) reportLive() {
	condition, live := corev1alpha2.ConditionHealthy, *s.live
	if len(live.Unready) == 0 {
		s.set(condition, metav1.ConditionTrue, corev1alpha2.ReasonHealthy, fmt.Sprintf(
			"All %d objects of %s are ready; the Progressing condition says why %s is not applied.", live.Total, lower(name(s.active)), lower(name(s.wanted))))
		return
	}
	s.set(condition, metav1.ConditionFalse, corev1alpha2.ReasonUnhealthy, unhealthy(live, live.Unready[0]))
}

// unhealthy says what is wrong first of all, how much more is, and where there is more to read about it.
func unhealthy(report apply.Report, obstacle string) string {
	message := obstacle
	if more := len(report.Unready) - 1; more > 0 {
		message = fmt.Sprintf("%s (and %d more)", message, more)
	}
	switch first := len(report.Unready) > 0 && obstacle == report.Unready[0]; {
	case message == "":
		message = "Not everything is applied yet"
	case first && report.Look != "":
		message = fmt.Sprintf("%s. See %q", message, report.Look)
	}
	return message + "."
}

// untouched says that there is nothing to look at: no revision, or a first one that was not begun.
func (s *state) untouched() bool {
	if s.active != nil {
		return false
	}
	return s.wanted == nil || s.unbegun != nil && !meta.IsStatusConditionTrue(s.before.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// unlooked says why nothing is looked at.
func (s *state) unlooked() string {
	if meta.IsStatusConditionTrue(s.before.Status.Conditions, corev1alpha2.ConditionInstalled) {
		return "What was applied for an earlier source never became healthy; it stays, and is not looked at before the content of the new one is known."
	}
	return "Nothing is applied yet."
}

func (s *state) reportProgressing() {
	condition, no, yes := corev1alpha2.ConditionProgressing, metav1.ConditionFalse, metav1.ConditionTrue
	switch {
	case s.deployment.Spec.Paused:
		s.set(condition, no, corev1alpha2.ReasonPaused, "Nothing is changed while spec.paused is set.")
	case s.unknownClass != "":
		s.set(condition, no, corev1alpha2.ReasonBlocked, "The provisioner class is not known; the Unpacked condition says more.")
	case s.failed != nil:
		s.reportRollback()
	case s.answer.result != nil && s.answer.result.invalid != nil:
		s.set(condition, no, corev1alpha2.ReasonBlocked, "The bundle cannot be installed; the HasValidBundle condition says why.")
	case s.wanted == nil && s.answer.err != nil:
		s.set(condition, no, corev1alpha2.ReasonBlocked, "The source cannot be unpacked; it is tried again, and the Unpacked condition says why.")
	case s.wanted == nil && s.sought.missing != "":
		s.set(condition, no, corev1alpha2.ReasonBlocked, "The source is waited for; the Unpacked condition says what is missing.")
	case s.wanted == nil:
		s.set(condition, yes, corev1alpha2.ReasonRollingOut, "The source is being unpacked.")
	case s.overdue:
		s.set(condition, no, corev1alpha2.ReasonDeadlineExceeded, s.failure()+". "+s.heldMessage())
	case s.refusal != nil && s.wanted == s.active:
		s.set(condition, no, corev1alpha2.ReasonBlocked, fmt.Sprintf("%s is not kept as it was declared: %v.", name(s.active), s.refusal))
	case s.refusal != nil:
		s.set(condition, no, corev1alpha2.ReasonBlocked, fmt.Sprintf("%s is not applied: %v.", name(s.wanted), s.refusal))
	case s.rollingOut():
		s.set(condition, yes, corev1alpha2.ReasonRollingOut, sentence(name(s.wanted)+" is rolling out", s.obstacle()))
	case s.goingBack():
		s.set(condition, yes, corev1alpha2.ReasonRollingOut, sentence(name(s.active)+" is being put back", s.obstacle()))
	case s.pruningBlocked:
		s.set(condition, no, corev1alpha2.ReasonBlocked, "What only earlier revisions had is not removed: "+s.pruning+".")
	case s.pruning != "":
		s.set(condition, yes, corev1alpha2.ReasonRollingOut, "Removing what only earlier revisions had: "+s.pruning+".")
	default:
		s.set(condition, no, corev1alpha2.ReasonAsExpected, name(s.active)+" is active.")
	}
}

// goingBack says that the spec went back to the active revision while another one was rolling out, and that not everything is
// as it was before. A repair is never told so.
func (s *state) goingBack() bool {
	before := meta.FindStatusCondition(s.before.Status.Conditions, corev1alpha2.ConditionProgressing)
	return !s.report.Complete && (s.begunBefore() || before != nil && before.Reason == corev1alpha2.ReasonRollingOut)
}

// heldMessage says what becomes of a revision that missed its deadline and stays.
func (s *state) heldMessage() string {
	switch {
	case s.deployment.Spec.OnFailure == corev1alpha2.OnFailureRollback && s.active == nil:
		return "There is no earlier revision to roll back to, so it is held; it goes on by itself when what is in its way is gone."
	case s.active == nil:
		return "It is held, and goes on by itself when what is in its way is gone."
	}
	return fmt.Sprintf("It is held, and goes on by itself when what is in its way is gone; what only revision %d had stays until then.", s.active.Number)
}

// failureText returns why the revision missed its deadline. A manager without the field failureMessage did not record it.
func (r *revision) failureText() string {
	if r.failureMessage == "" {
		return name(r) + " missed its deadline"
	}
	return r.failureMessage
}

// reportRollback tells of a revision that missed its deadline and is not tried again, and of the one that is put back.
func (s *state) reportRollback() {
	why := s.failed.failureText()
	recordedAs := recorded(s.before.Status.Revisions, s.failed.Number)
	if s.restored() || recordedAs == failedState && s.complete() && (s.pruning == "" || s.pruningBlocked) {
		message := fmt.Sprintf("%s. Rolled back: %s is active again. This is not tried again before the spec changes.", why, lower(name(s.active)))
		if before := s.rolledBackBefore(); before != nil && s.failed.failureMessage == "" && !s.pruningBlocked {
			message = before.Message // the only record of the reason that a manager without failureMessage left
		}
		if s.pruningBlocked {
			message += fmt.Sprintf(" What only %s had is not removed: %s.", lower(name(s.failed)), s.pruning)
		}
		s.set(corev1alpha2.ConditionProgressing, metav1.ConditionFalse, corev1alpha2.ReasonDeadlineExceeded, message)
		return
	}
	waiting := s.pruning
	if recordedAs == failedState && waiting == "" { // before that the report is of the failed revision
		waiting = s.obstacle()
	}
	s.set(corev1alpha2.ConditionProgressing, metav1.ConditionTrue, corev1alpha2.ReasonRollingBack,
		why+". Rolled back: "+sentence(lower(name(s.active))+" is being put back", waiting))
}

// rolledBackBefore returns the stored condition if it says that a revision missed its deadline for the current spec, and nil otherwise.
func (s *state) rolledBackBefore() *metav1.Condition {
	before := meta.FindStatusCondition(s.before.Status.Conditions, corev1alpha2.ConditionProgressing)
	if before == nil || before.Reason != corev1alpha2.ReasonDeadlineExceeded || before.ObservedGeneration != s.deployment.Generation {
		return nil
	}
	return before
}

// maxObstacle limits, in bytes, what a failure message says of the obstacle, so that the condition's message has space for the rollback.
const maxObstacle = 600

// maxFailureMessage keeps failureMessage, in bytes, within the MaxLength of its schema.
const maxFailureMessage = 1024

// failure says what the revision that missed its deadline waits for.
func (s *state) failure() string {
	text := fmt.Sprintf("%s is not complete and healthy after its deadline of %s", name(s.wanted), s.deadline())
	if obstacle := s.obstacle(); obstacle != "" {
		text += ": " + cut(obstacle, maxObstacle)
	}
	return strings.TrimRight(text, ". ")
}

// obstacle is the first thing that keeps the newest revision from being complete.
func (s *state) obstacle() string {
	switch {
	case s.refusal != nil:
		return s.refusal.Error()
	case s.report.Waiting != "":
		return s.report.Waiting
	case len(s.report.Unready) > 0:
		return s.report.Unready[0]
	case s.fault != nil:
		return s.fault.Error()
	}
	return ""
}
