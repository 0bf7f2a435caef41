package operatorstatus

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// progressingCondition is True during an upgrade step that nothing blocks.
func progressingCondition(r *report) metav1.Condition {
	switch {
	case r.operator.Spec.Paused:
		return isFalse(platformv1alpha1.ReasonPaused, "Nothing is changed while spec.paused is set.")
	case r.in.Refusal != nil:
		return isFalse(platformv1alpha1.ReasonBlocked, r.in.Refusal.Message)
	case r.in.Step.Action == upgradestep.Hold:
		return isFalse(platformv1alpha1.ReasonBlocked, upgradestep.Message(r.in.Decided, r.in.Step))
	}
	if condition, missed := deadlineCondition(r); missed {
		if decision := r.decision(); decision.Chosen == nil && decision.Message != "" && !waitsForCatalog(decision) { // what the spec asks for now comes first
			condition.Message = withFullStop(decision.Message) + " Until then: " + condition.Message
		}
		return condition
	}
	target := upgradestep.TargetBundle(r.operator.Status.Target)
	if target == nil {
		return settledCondition(r)
	}
	return movingCondition(r, target)
}

// deadlineCondition reports a version that missed its deadline: one that is held, being rolled back, or rolled back. A first version counts
// as installed before it is healthy, and may miss its deadline then.
func deadlineCondition(r *report) (condition metav1.Condition, missed bool) {
	deployment := r.in.Current.Deployment
	if deployment == nil || deployment.Status.ObservedGeneration < deployment.Generation {
		return metav1.Condition{}, false
	}
	progressing := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if progressing == nil {
		return metav1.Condition{}, false
	}
	tried, installed := upgradestep.TargetBundle(r.operator.Status.Target), r.operator.Status.Installed
	if upgradestep.IsRolledBack(deployment) {
		tried = r.in.Current.Recorded
	}
	message := upgradestep.ConditionText(progressing, progressing.Reason) + "."
	switch {
	case tried != nil:
		message = fmt.Sprintf("Moving to version %s: %s", tried.Version, message)
	case installed != nil:
		message = fmt.Sprintf("Version %s: %s", installed.Version, message)
	}
	switch progressing.Reason {
	case corev1alpha2.ReasonRollingBack:
		return isTrue(platformv1alpha1.ReasonRollingBack, message), true
	case corev1alpha2.ReasonDeadlineExceeded:
		return isFalse(platformv1alpha1.ReasonDeadlineExceeded, message), true
	}
	return metav1.Condition{}, false
}

// settledCondition is Progressing while no step is under way.
func settledCondition(r *report) metav1.Condition {
	installed, decision, deployment := r.operator.Status.Installed, r.decision(), r.in.Current.Deployment
	if installed != nil {
		if failure, failed := specFailure(deployment); failed {
			return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf(failure.format, installed.Version, failure.why))
		}
		if rollout := firstRollout(deployment); rollout.HoldsNextStep() {
			return isTrue(platformv1alpha1.ReasonInstalling, sentence(fmt.Sprintf("Installing version %s", installed.Version), rollout.Detail))
		}
	}
	switch {
	case decision.Awaiting != nil:
		return isFalse(platformv1alpha1.ReasonAwaitingApproval, approvalMessage(decision))
	case installed == nil:
		return isFalse(platformv1alpha1.ReasonBlocked, "Nothing can be installed yet; the Installed condition says why.")
	case r.in.Step.Reason == upgradestep.ReasonStatusBehind:
		return isFalse(platformv1alpha1.ReasonAsExpected, fmt.Sprintf("Version %s is reached, and version %s is next.", installed.Version, r.in.Step.Next.Version))
	case decision.Chosen == nil && decision.Message != "":
		reason := platformv1alpha1.ReasonBlocked // the spec asks for what is not available
		if waitsForCatalog(decision) {
			reason = platformv1alpha1.ReasonAsExpected // an unreadable catalog is no fault of the spec
		}
		return isFalse(reason, fmt.Sprintf("Version %s stays: %s", installed.Version, decision.Message))
	}
	return newestCondition(installed, decision)
}

// firstRollout returns the rollout of a first version that counts as installed, because all of it is applied, and has never been ready; its
// state is RolloutNone if there is no such version, or nothing goes on.
func firstRollout(deployment *corev1alpha2.BundleDeployment) upgradestep.Rollout {
	if deployment == nil || deployment.Status.ActiveRevision > 0 ||
		!upgradestep.IsStale(deployment) && !meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionProgressing) {
		return upgradestep.Rollout{State: upgradestep.RolloutNone}
	}
	return upgradestep.RolloutOf(deployment)
}

// movingCondition is Progressing while the step to a bundle is under way.
func movingCondition(r *report, target *platformv1alpha1.InstalledBundle) metav1.Condition {
	deployment, installed := r.in.Current.Deployment, r.operator.Status.Installed
	if installation := upgradestep.InstallationOf(deployment); installation.NeedsAction() && deployment.Status.ObservedGeneration == deployment.Generation {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("Moving to version %s: %s", target.Version, installation.Message))
	}
	if why, refused := failureOf(deployment, corev1alpha2.ConditionInstalled, corev1alpha2.ReasonUpgradeFailed); refused {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("Moving to version %s: %s.", target.Version, why))
	}
	detail := upgradestep.RolloutOf(deployment).Detail
	switch {
	case installed == nil:
		return isTrue(platformv1alpha1.ReasonInstalling, sentence(fmt.Sprintf("Installing version %s", target.Version), detail))
	case upgradestep.SameBundle(*installed, *target):
		return isTrue(platformv1alpha1.ReasonInstalling, sentence(fmt.Sprintf("Installing version %s again, because its BundleDeployment was deleted", target.Version), detail))
	case installed.Bundle == target.Bundle:
		return isTrue(platformv1alpha1.ReasonUpgrading, sentence(fmt.Sprintf("Moving to another image of version %s", target.Version), detail))
	}
	return isTrue(platformv1alpha1.ReasonUpgrading, sentence(fmt.Sprintf("Moving from version %s to version %s", installed.Version, target.Version), detail))
}

// withFullStop ends a sentence that may have a full stop already.
func withFullStop(sentence string) string { return strings.TrimSuffix(sentence, ".") + "." }

func sentence(action, detail string) string {
	if detail == "" {
		return action + "."
	}
	return action + ": " + detail + "."
}

// failure is what is not carried out of a spec; format takes the installed version and why.
type failure struct{ format, why string }

// specFailure returns what of the spec is not carried out though its version is installed.
func specFailure(deployment *corev1alpha2.BundleDeployment) (failure, bool) {
	for _, each := range []struct{ condition, reason, format string }{
		{corev1alpha2.ConditionInstalled, corev1alpha2.ReasonUpgradeFailed, "What the spec says now of version %s is not applied: %s."},
		{corev1alpha2.ConditionHasValidBundle, corev1alpha2.ReasonBundleLoadFailed, "What the spec says now of version %s cannot be carried out: %s."},
		{corev1alpha2.ConditionInstalled, corev1alpha2.ReasonReconcileFailed, "Version %s is not kept as it was declared: %s."},
	} {
		if why, failed := failureOf(deployment, each.condition, each.reason); failed {
			return failure{each.format, why}, true
		}
	}
	return failure{}, false
}

// failureOf returns the message of a condition of a BundleDeployment that has this reason and is about its present spec. The BundleDeployment
// may be nil.
func failureOf(deployment *corev1alpha2.BundleDeployment, conditionType, reason string) (why string, failed bool) {
	if deployment == nil || deployment.Status.ObservedGeneration < deployment.Generation {
		return "", false
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, conditionType)
	if condition == nil || condition.Reason != reason {
		return "", false
	}
	return upgradestep.ConditionText(condition, condition.Reason), true
}

// waitsForCatalog reports whether nothing may have been chosen only because a catalog cannot be read. It reports false if others were read
// and have nothing that fits: a catalog that never comes back must not hide what is wrong with the spec.
func waitsForCatalog(decision resolve.Decision) bool {
	return decision.UnreadCatalogs != "" && (len(decision.Available) > 0 || len(decision.Refused) == 0)
}

// approvalMessage names the version that awaits approval, and the command that approves it.
func approvalMessage(decision resolve.Decision) string {
	version := decision.Awaiting.Version.String()
	text := fmt.Sprintf("Version %s is available and waits for approval: set spec.upgrades.approvedVersion to %q.", version, version)
	if decision.ApprovalProblem != "" {
		text += " " + capitalized(upgradestep.TrimStop(decision.ApprovalProblem)) + "."
	}
	return text
}

// needsAction are the reasons for blocked updates that somebody can remove: they lie neither in the nature of the cluster or the catalog nor
// in what the spec asks for. So does BlockedRange if the range only cuts off the path to a version that is in it.
var needsAction = map[platformv1alpha1.BlockedReason]bool{
	platformv1alpha1.BlockedRulesInvalid: true,
	platformv1alpha1.BlockedStep:         true,
	platformv1alpha1.BlockedRequirement:  true,
	platformv1alpha1.BlockedConflict:     true,
	platformv1alpha1.BlockedAmbiguous:    true,
	platformv1alpha1.BlockedSearchLimit:  true,
}

// newestCondition reports that no version above the installed one is moved to, and what blocks the newest, unless the spec does.
func newestCondition(installed *platformv1alpha1.InstalledBundle, decision resolve.Decision) metav1.Condition {
	text := fmt.Sprintf("Version %s is the newest that may be installed.", installed.Version)
	if decision.ApprovalProblem != "" {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("%s %s.", text, capitalized(upgradestep.TrimStop(decision.ApprovalProblem))))
	}
	for _, update := range decision.Updates {
		if needsAction[update.Reason] || update.Reason == platformv1alpha1.BlockedRange && !update.NotRequested {
			return isFalse(platformv1alpha1.ReasonBlocked, text+fmt.Sprintf(" Version %s %s.", update.Version, upgradestep.TrimStop(update.Why())))
		}
	}
	for _, update := range decision.Updates {
		switch {
		case update.NotRequested: // as the spec has it
		case update.Reason != "":
			return isFalse(platformv1alpha1.ReasonAsExpected, text+fmt.Sprintf(" Version %s %s.", update.Version, upgradestep.TrimStop(update.Why())))
		case update.Bundle.Deprecated != "":
			return isFalse(platformv1alpha1.ReasonAsExpected, text+fmt.Sprintf(" Version %s is deprecated, and is not moved to unless spec.package.version leaves nothing else.", update.Version))
		}
	}
	return isFalse(platformv1alpha1.ReasonAsExpected, text)
}
