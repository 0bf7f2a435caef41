package operatorstatus

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ocplatform"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// progressingCondition returns the Progressing condition. It is True while a first installation, an upgrade step or a rollback is under way
// and nothing blocks it.
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
		if decision := r.decision(); decision.Chosen == nil && decision.Message != "" && !waitsForCatalog(decision) { // the message about the current spec comes first
			condition.Message = withFullStop(decision.Message) + " Until then: " + condition.Message
		}
		return condition
	}
	target := upgradestep.TargetBundle(r.operator.Status.Target)
	if rollout := upgradestep.RolloutOf(r.in.Current.Deployment); rollout.State == upgradestep.RolloutAwaitingApproval {
		return isFalse(platformv1alpha1.ReasonAwaitingApproval, sentence(planStep(r.operator.Status.Installed, target), rollout.Detail))
	}
	if target == nil {
		return settledCondition(r)
	}
	return movingCondition(r, target)
}

// deadlineCondition returns the Progressing condition for a version that missed its deadline and is held, being rolled back, or rolled
// back. missed is false if there is no such version. A first version may miss its deadline after status shows it as installed, because it
// may not be healthy by then.
func deadlineCondition(r *report) (condition metav1.Condition, missed bool) {
	deployment := r.in.Current.Deployment
	if deployment == nil || upgradestep.IsStale(deployment) {
		return metav1.Condition{}, false
	}
	progressing := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if progressing == nil {
		return metav1.Condition{}, false
	}
	tried, installed := upgradestep.TargetBundle(r.operator.Status.Target), r.operator.Status.Installed
	if tried == nil || upgradestep.IsRolledBack(deployment) {
		tried = r.in.Current.Recorded
	}
	message := upgradestep.ConditionText(progressing, progressing.Reason) + "."
	switch text := settingsStep(r, tried); {
	case tried != nil && progressing.Reason == corev1alpha2.ReasonDeadlineExceeded && upgradestep.IsRolledBack(deployment):
		message = r.failedStep(tried, text != "") + ". " + message
	case text != "":
		message = text + ": " + message
	case tried != nil && (installed == nil || !upgradestep.SameBundle(*installed, *tried)):
		message = stepTo(installed, tried) + ": " + message
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

// settledCondition returns the Progressing condition while status.target is nil.
func settledCondition(r *report) metav1.Condition {
	installed, deployment := r.operator.Status.Installed, r.in.Current.Deployment
	if installed != nil {
		if rollout := upgradestep.RolloutOf(deployment); rollout.State == upgradestep.RolloutFailed {
			return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("Version %s cannot be repaired: %s.", installed.Version, rollout.Detail))
		}
		if failure, failed := specFailure(deployment); failed {
			return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf(failure.format, installed.Version, failure.why))
		}
		if text := settingsStep(r, installed); text != "" && upgradestep.RolloutOf(deployment).HoldsNextStep() {
			return isTrue(platformv1alpha1.ReasonUpgrading, sentence(text, upgradestep.RolloutOf(deployment).Detail))
		}
		if rollout := firstRollout(deployment); rollout.HoldsNextStep() {
			return isTrue(platformv1alpha1.ReasonInstalling, sentence(fmt.Sprintf("Installing version %s", installed.Version), rollout.Detail))
		}
	}
	return r.withBlockedDeployment(decisionCondition(r))
}

// withBlockedDeployment adds what blocks the BundleDeployment of the installed version, such as a lost stored copy or a finalizer on an
// object of an earlier version. If the reason of the condition is AsExpected, it becomes Blocked. Any other reason stays, and only the
// message changes.
func (r *report) withBlockedDeployment(progressing metav1.Condition) metav1.Condition {
	installed := r.operator.Status.Installed
	why, isBlocked := failureOf(r.in.Current.Deployment, corev1alpha2.ConditionProgressing, corev1alpha2.ReasonBlocked)
	if installed == nil || !isBlocked {
		return progressing
	}
	blocked := fmt.Sprintf("Version %s: %s.", installed.Version, why)
	if progressing.Reason == platformv1alpha1.ReasonAsExpected {
		return isFalse(platformv1alpha1.ReasonBlocked, blocked)
	}
	progressing.Message = withFullStop(progressing.Message) + " " + blocked
	return progressing
}

// decisionCondition returns the Progressing condition that follows from the resolver's decision.
func decisionCondition(r *report) metav1.Condition {
	installed, decision := r.operator.Status.Installed, r.decision()
	switch {
	case r.isFirstReading():
		return isTrue(platformv1alpha1.ReasonInstalling, r.firstReadingMessage())
	case decision.Awaiting != nil:
		return isFalse(platformv1alpha1.ReasonAwaitingApproval, approvalMessage(decision))
	case installed == nil:
		return isFalse(platformv1alpha1.ReasonBlocked, "Nothing can be installed yet; the Installed condition says why.")
	case r.in.Step.Reason == upgradestep.ReasonStatusBehind:
		return isFalse(platformv1alpha1.ReasonAsExpected, fmt.Sprintf("Version %s is reached, and version %s is next.", installed.Version, r.in.Step.Next.Version))
	case decision.Chosen == nil && decision.Message != "":
		stays, why := fmt.Sprintf("Version %s stays installed", installed.Version), capitalized(decision.Message)
		if waitsForCatalog(decision) { // the spec is not the cause of an unreadable catalog
			return isFalse(platformv1alpha1.ReasonAsExpected, stays+"; newer versions are not known until a catalog is read. "+why)
		}
		return isFalse(platformv1alpha1.ReasonBlocked, r.withUpdates(stays+". "+why)) // the spec asks for a version that is not available
	}
	return newestCondition(installed, decision)
}

// withUpdates returns a message about a version that is not installed. If there are newer versions, it adds where to find what blocks each
// of them.
func (r *report) withUpdates(message string) string {
	if len(r.decision().Updates) == 0 {
		return message
	}
	return fmt.Sprintf("%s To see what blocks each newer version, read status.availableUpdates or, %s.", withFullStop(message),
		ocplatform.Updates(r.operator.Name).WithPlugin())
}

// firstRollout returns the rollout of a first version that is completely applied, and therefore installed, but has never been ready. Its
// state is RolloutNone if there is no such version, or if nothing is in progress.
func firstRollout(deployment *corev1alpha2.BundleDeployment) upgradestep.Rollout {
	if deployment == nil || deployment.Status.ActiveRevision > 0 ||
		!upgradestep.IsStale(deployment) && !meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionProgressing) {
		return upgradestep.Rollout{State: upgradestep.RolloutNone}
	}
	return upgradestep.RolloutOf(deployment)
}

// movingCondition returns the Progressing condition of an operator whose upgrade step to the target bundle is under way.
func movingCondition(r *report, target *platformv1alpha1.InstalledBundle) metav1.Condition {
	deployment, installed := r.in.Current.Deployment, r.operator.Status.Installed
	if installation := upgradestep.InstallationOf(deployment); installation.NeedsAction() && !upgradestep.IsStale(deployment) {
		return isFalse(platformv1alpha1.ReasonBlocked, blockedStep(installed, target)+": "+installation.Message+r.publisher(installation.Reason)+r.providerAdvice())
	}
	if why, refused := failureOf(deployment, corev1alpha2.ConditionInstalled, corev1alpha2.ReasonUpgradeFailed); refused {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("%s: %s.%s", blockedStep(installed, target), why, r.providerAdvice()))
	}
	reason := platformv1alpha1.ReasonUpgrading
	if installed == nil || upgradestep.SameBundle(*installed, *target) {
		reason = platformv1alpha1.ReasonInstalling
	}
	return isTrue(reason, sentence(stepTo(installed, target), upgradestep.RolloutOf(deployment).Detail))
}

// planStep returns the step whose plan waits for an approval. target is nil if the installed version is to be installed in another way.
func planStep(installed, target *platformv1alpha1.InstalledBundle) string {
	if target == nil {
		return fmt.Sprintf("The present spec.install of version %s", VersionOf(installed))
	}
	return blockedStep(installed, target)
}

// withFullStop returns a sentence with a full stop at its end, which it adds if it is missing.
func withFullStop(sentence string) string { return strings.TrimSuffix(sentence, ".") + "." }

func sentence(action, detail string) string {
	if detail == "" {
		return action + "."
	}
	return action + ": " + detail + "."
}

// failure describes a part of the spec that is not carried out. format is a message for fmt.Sprintf, whose arguments are the installed
// version and why.
type failure struct{ format, why string }

// specFailure returns the part of the spec that is not carried out although its version is installed. It returns false if there is none.
func specFailure(deployment *corev1alpha2.BundleDeployment) (failure, bool) {
	for _, each := range []struct{ condition, reason, format string }{
		{corev1alpha2.ConditionInstalled, corev1alpha2.ReasonUpgradeFailed, "The present spec.install of version %s is not applied: %s."},
		{corev1alpha2.ConditionHasValidBundle, corev1alpha2.ReasonBundleLoadFailed, "The present spec.install of version %s cannot be applied: %s."},
		{corev1alpha2.ConditionInstalled, corev1alpha2.ReasonReconcileFailed, "Version %s cannot be repaired: %s."},
	} {
		if why, failed := failureOf(deployment, each.condition, each.reason); failed {
			return failure{each.format, why}, true
		}
	}
	return failure{}, false
}

// failureOf returns the message of a condition of a BundleDeployment if the condition has this reason. It returns false if the
// BundleDeployment is nil or its status is about an earlier spec or attempt.
func failureOf(deployment *corev1alpha2.BundleDeployment, conditionType, reason string) (why string, failed bool) {
	if deployment == nil || upgradestep.IsStale(deployment) {
		return "", false
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, conditionType)
	if condition == nil || condition.Reason != reason {
		return "", false
	}
	return upgradestep.ConditionText(condition, condition.Reason), true
}

// waitsForCatalog reports whether an unreadable catalog may be the only reason why nothing was chosen. It returns false if the other
// catalogs were read and all their versions were refused; otherwise a catalog that stays unreadable would hide what is wrong with the spec.
func waitsForCatalog(decision resolve.Decision) bool {
	return decision.UnreadCatalogs != "" && (len(decision.Available) > 0 || len(decision.Refused) == 0)
}

// approvalMessage returns a sentence that names the version that awaits approval and the field that approves it. If the approval in the
// spec is wrong, a second sentence says why.
func approvalMessage(decision resolve.Decision) string {
	version := decision.Awaiting.Version.String()
	text := fmt.Sprintf("Version %s is available and waits for approval: set spec.upgrades.approvedVersion to %q.", version, version)
	if decision.ApprovalProblem != "" {
		text += " " + capitalized(upgradestep.TrimStop(decision.ApprovalProblem)) + "."
	}
	return text
}

// needsAction lists the reasons for blocked updates that an admin or a catalog author can remove. It does not contain reasons that result
// from the cluster, the catalog or the spec as it is. newestCondition also treats BlockedRange in this way if the range permits the update
// and excludes only versions on the path to it.
var needsAction = map[platformv1alpha1.BlockedReason]bool{
	platformv1alpha1.BlockedRulesInvalid: true,
	platformv1alpha1.BlockedStep:         true,
	platformv1alpha1.BlockedRequirement:  true,
	platformv1alpha1.BlockedConflict:     true,
	platformv1alpha1.BlockedAmbiguous:    true,
	platformv1alpha1.BlockedSearchLimit:  true,
}

// newestCondition returns the Progressing condition while the installed version is the newest that may be installed. Its message also says
// what blocks one update: the newest with a reason in needsAction, or else the newest that the spec requests.
func newestCondition(installed *platformv1alpha1.InstalledBundle, decision resolve.Decision) metav1.Condition {
	text := fmt.Sprintf("The installed version %s is the newest that may be installed.", installed.Version)
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
		case update.NotRequested: // the spec does not ask for it
		case update.Reason != "":
			return isFalse(platformv1alpha1.ReasonAsExpected, text+fmt.Sprintf(" Version %s %s.", update.Version, upgradestep.TrimStop(update.Why())))
		case update.Bundle.Deprecated != "":
			return isFalse(platformv1alpha1.ReasonAsExpected, text+fmt.Sprintf(" Version %s is deprecated, and is not installed unless spec.package.version leaves nothing else.", update.Version))
		}
	}
	return isFalse(platformv1alpha1.ReasonAsExpected, text)
}
