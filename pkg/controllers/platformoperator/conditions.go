package platformoperator

import (
	"cmp"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// installedCondition stays True once something is installed, whatever becomes of a later hop.
func installedCondition(s *state) metav1.Condition {
	if s.deployment != nil && s.deployment.DeletionTimestamp != nil {
		return isFalse(platformv1alpha1.ReasonInstallPending, fmt.Sprintf(
			"BundleDeployment %q is being deleted, and the operator with it; it is installed again when that is done.", s.deployment.Name))
	}
	installed := s.operator.Status.Installed
	if installed != nil && s.deployment != nil && applied(s.deployment) {
		return isTrue(platformv1alpha1.ReasonInstallSuccessful, fmt.Sprintf("%s is installed in namespace %q.",
			installed.Bundle, s.deployment.Spec.InstallNamespace))
	}
	if s.refusal != nil {
		return isFalse(s.refusal.reason, s.refusal.message)
	}
	if s.deployment == nil {
		if installed != nil {
			return isFalse(platformv1alpha1.ReasonInstallPending, fmt.Sprintf(
				"The BundleDeployment that carried %s was deleted, and the operator with it; it is put back when spec.paused is not set any more.", installed.Bundle))
		}
		if s.decision.Chosen != nil { // paused before anything was installed
			return isFalse(platformv1alpha1.ReasonInstallPending, fmt.Sprintf("Version %s is not installed while spec.paused is set.", s.decision.Chosen.Bundle.Version))
		}
		return isFalse(s.decision.Reason, s.decision.Message)
	}
	reason, message := deploymentFault(s.deployment)
	return isFalse(reason, message)
}

// deploymentFault says how far a BundleDeployment came that has not installed anything yet.
func deploymentFault(deployment *corev1alpha2.BundleDeployment) (reason, message string) {
	if deployment.Status.ObservedGeneration < deployment.Generation {
		return platformv1alpha1.ReasonUnpackPending, "The bundle has not been looked at yet."
	}
	for _, step := range []struct {
		condition     string
		pending, fail string
		waiting       string
		pendingReason map[string]bool
	}{
		{corev1alpha2.ConditionUnpacked, platformv1alpha1.ReasonUnpackPending, platformv1alpha1.ReasonUnpackFailed,
			"The bundle is being unpacked.", map[string]bool{corev1alpha2.ReasonUnpackPending: true, corev1alpha2.ReasonUnpacking: true}},
		{corev1alpha2.ConditionHasValidBundle, platformv1alpha1.ReasonUnpackPending, platformv1alpha1.ReasonValidationFailed,
			"The bundle is being read.", nil},
		{corev1alpha2.ConditionInstalled, platformv1alpha1.ReasonInstallPending, platformv1alpha1.ReasonInstallFailed,
			"The bundle is being applied.", map[string]bool{corev1alpha2.ReasonInstallPending: true}},
	} {
		condition := meta.FindStatusCondition(deployment.Status.Conditions, step.condition)
		switch {
		case condition == nil || condition.Status == metav1.ConditionUnknown && condition.Reason != corev1alpha2.ReasonProvisionerNotFound:
			return step.pending, step.waiting
		case condition.Status == metav1.ConditionTrue:
			continue
		case step.pendingReason[condition.Reason]:
			return step.pending, describe(condition, step.waiting) + "."
		default:
			return step.fail, describe(condition, condition.Reason) + "."
		}
	}
	return platformv1alpha1.ReasonInstallPending, "The bundle is being applied."
}

// faults are the Installed reasons that need somebody to act: nothing progresses by waiting.
var faults = map[string]bool{
	platformv1alpha1.ReasonUnpackFailed:     true,
	platformv1alpha1.ReasonValidationFailed: true,
	platformv1alpha1.ReasonInstallFailed:    true,
}

// progressingCondition is True while a hop is under way and nothing stands in its way.
func progressingCondition(s *state) metav1.Condition {
	installed, target := s.operator.Status.Installed, underWay(s.operator.Status.Target)
	switch {
	case s.operator.Spec.Paused:
		return isFalse(platformv1alpha1.ReasonPaused, "Nothing is changed while spec.paused is set.")
	case s.refusal != nil:
		return isFalse(platformv1alpha1.ReasonBlocked, s.refusal.message)
	case s.hop.blocked != "":
		return isFalse(platformv1alpha1.ReasonBlocked, s.hop.blocked)
	}
	tried := target
	if s.deployment != nil && rolledBack(s.deployment) {
		tried = s.record
	}
	if condition, ok := missedDeadline(s.deployment, tried, installed); ok {
		if s.decision.Chosen == nil && s.decision.Message != "" && !waitsForCatalog(s.decision) { // what the spec asks for now comes first
			condition.Message = s.decision.Message + " Until then: " + condition.Message
		}
		return condition
	}
	if unmet := unmetNow(s.deployment); unmet != "" && target == nil && installed != nil {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf(unmet, installed.Version))
	}
	switch {
	case target == nil && installed != nil && firstRollout(s.deployment) != "":
		return isTrue(platformv1alpha1.ReasonInstalling, sentence(fmt.Sprintf("Installing version %s", installed.Version), firstRollout(s.deployment)))
	case target == nil && s.decision.Awaiting != nil:
		return isFalse(platformv1alpha1.ReasonAwaitingApproval, awaiting(s.decision))
	case target == nil && installed == nil:
		return isFalse(platformv1alpha1.ReasonBlocked, "Nothing can be installed yet; the Installed condition says why.")
	case target == nil && s.hop.next != "":
		return isFalse(platformv1alpha1.ReasonAsExpected, fmt.Sprintf("Version %s is reached, and version %s is next.", installed.Version, s.hop.next))
	case target == nil:
		if s.decision.Chosen == nil && s.decision.Message != "" {
			reason := platformv1alpha1.ReasonBlocked // the spec asks for what cannot be had
			if waitsForCatalog(s.decision) {
				reason = platformv1alpha1.ReasonAsExpected // a catalog that is away for a while is nobody's wish
			}
			return isFalse(reason, fmt.Sprintf("Version %s stays: %s", installed.Version, s.decision.Message))
		}
		return newest(installed, s.decision)
	}
	if reason, message := deploymentFault(s.deployment); faults[reason] && s.deployment.Status.ObservedGeneration == s.deployment.Generation {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("Moving to version %s: %s", target.Version, message))
	}
	if refused := upgradeRefused(s.deployment); refused != "" {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("Moving to version %s: %s.", target.Version, refused))
	}
	problem := rolloutProblem(s.deployment)
	switch {
	case installed == nil:
		return isTrue(platformv1alpha1.ReasonInstalling, sentence(fmt.Sprintf("Installing version %s", target.Version), problem))
	case sameBundle(*installed, *target):
		return isTrue(platformv1alpha1.ReasonInstalling, sentence(fmt.Sprintf("Installing version %s again, because its BundleDeployment was deleted", target.Version), problem))
	case installed.Bundle == target.Bundle:
		return isTrue(platformv1alpha1.ReasonUpgrading, sentence(fmt.Sprintf("Moving to another image of version %s", target.Version), problem))
	}
	return isTrue(platformv1alpha1.ReasonUpgrading, sentence(fmt.Sprintf("Moving from version %s to version %s", installed.Version, target.Version), problem))
}

// unmetNow says, with a place for the installed version, what the spec says of that and is not so; empty where nothing is amiss.
func unmetNow(deployment *corev1alpha2.BundleDeployment) string {
	for _, each := range []struct{ says, why string }{
		{"What the spec says now of version %s is not applied: ", upgradeRefused(deployment)},
		{"What the spec says now of version %s cannot be carried out: ", invalidNow(deployment)},
		{"Version %s is not kept as it was declared: ", repairRefused(deployment)},
	} {
		if each.why != "" {
			return each.says + strings.ReplaceAll(each.why, "%", "%%") + "."
		}
	}
	return ""
}

// firstRollout says how far a first version is that counts as installed, because all of it is applied, and has never been ready;
// empty when there is none, or nothing is going on.
func firstRollout(deployment *corev1alpha2.BundleDeployment) string {
	if deployment == nil || deployment.Status.ActiveRevision > 0 ||
		!outdated(deployment) && !meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionProgressing) {
		return ""
	}
	return rolloutProblem(deployment)
}

// waitsForCatalog says whether it may be only for a catalog that is away that nothing was chosen. Where others were read and have
// nothing that will do, it is not: a catalog that never comes back must not hide what is wrong with the spec.
func waitsForCatalog(decision resolve.Decision) bool {
	return decision.Unread != "" && (len(decision.Available) > 0 || len(decision.Refused) == 0)
}

// awaiting says which version waits for somebody's word, and how it is given.
func awaiting(decision resolve.Decision) string {
	version := decision.Awaiting.Version.String()
	text := fmt.Sprintf("Version %s is available and waits for approval: set spec.upgrades.approvedVersion to %q.", version, version)
	if decision.AwaitingWhy != "" {
		text += " " + capital(trimStop(decision.AwaitingWhy)) + "."
	}
	return text
}

// obstacles are what somebody has to do something about: there is a newer version, and what is in its way does not lie in the
// nature of the cluster or the catalog, nor is it what the spec asks for. So is a range that cuts off the way to what is in it.
var obstacles = map[platformv1alpha1.BlockedReason]bool{
	platformv1alpha1.BlockedRulesInvalid: true,
	platformv1alpha1.BlockedStep:         true,
	platformv1alpha1.BlockedRequirement:  true,
	platformv1alpha1.BlockedConflict:     true,
	platformv1alpha1.BlockedAmbiguous:    true,
	platformv1alpha1.BlockedSearchLimit:  true,
}

// newest says that nothing is moved to, and what keeps the newest version above from that, if anything but the spec does.
func newest(installed *platformv1alpha1.InstalledBundle, decision resolve.Decision) metav1.Condition {
	text := fmt.Sprintf("Version %s is the newest that may be installed.", installed.Version)
	if decision.AwaitingWhy != "" {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("%s %s.", text, capital(trimStop(decision.AwaitingWhy))))
	}
	for _, update := range decision.Updates {
		if obstacles[update.Reason] || update.Reason == platformv1alpha1.BlockedRange && !update.Unasked {
			return isFalse(platformv1alpha1.ReasonBlocked, text+fmt.Sprintf(" Version %s %s.", update.Version, trimStop(update.Why)))
		}
	}
	for _, update := range decision.Updates {
		switch {
		case update.Unasked: // as the spec has it
		case update.Reason != "":
			return isFalse(platformv1alpha1.ReasonAsExpected, text+fmt.Sprintf(" Version %s %s.", update.Version, trimStop(update.Why)))
		case update.Bundle.Deprecated != "":
			return isFalse(platformv1alpha1.ReasonAsExpected, text+fmt.Sprintf(" Version %s is deprecated, and is not moved to unless spec.package.version leaves nothing else.", update.Version))
		}
	}
	return isFalse(platformv1alpha1.ReasonAsExpected, text)
}

func capital(sentence string) string {
	if sentence == "" {
		return ""
	}
	return strings.ToUpper(sentence[:1]) + sentence[1:]
}

// missedDeadline tells of a version that took too long: held, being rolled back, or rolled back. A first version counts as
// installed before it is healthy, and can miss its deadline then.
func missedDeadline(deployment *corev1alpha2.BundleDeployment, target, installed *platformv1alpha1.InstalledBundle) (metav1.Condition, bool) {
	if deployment == nil || deployment.Status.ObservedGeneration < deployment.Generation {
		return metav1.Condition{}, false
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if condition == nil {
		return metav1.Condition{}, false
	}
	message := describe(condition, condition.Reason) + "."
	switch {
	case target != nil:
		message = fmt.Sprintf("Moving to version %s: %s", target.Version, message)
	case installed != nil:
		message = fmt.Sprintf("Version %s: %s", installed.Version, message)
	}
	switch condition.Reason {
	case corev1alpha2.ReasonRollingBack:
		return isTrue(platformv1alpha1.ReasonRollingBack, message), true
	case corev1alpha2.ReasonDeadlineExceeded:
		return isFalse(platformv1alpha1.ReasonDeadlineExceeded, message), true
	}
	return metav1.Condition{}, false
}

// repairRefused says what the API server refuses of what is installed already; empty when nothing.
func repairRefused(deployment *corev1alpha2.BundleDeployment) string {
	return refusedBy(deployment, corev1alpha2.ReasonReconcileFailed)
}

// upgradeRefused says what the API server refuses of a later version; Installed stays True then. Empty when nothing.
func upgradeRefused(deployment *corev1alpha2.BundleDeployment) string {
	return refusedBy(deployment, corev1alpha2.ReasonUpgradeFailed)
}

func refusedBy(deployment *corev1alpha2.BundleDeployment, reason string) string {
	if deployment == nil {
		return ""
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
	if condition == nil || condition.Reason != reason || deployment.Status.ObservedGeneration < deployment.Generation {
		return ""
	}
	return describe(condition, condition.Reason)
}

// invalidNow says why the bundle cannot be rendered as the spec says now; empty when it can.
func invalidNow(deployment *corev1alpha2.BundleDeployment) string {
	if deployment == nil || deployment.Status.ObservedGeneration < deployment.Generation {
		return ""
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionHasValidBundle)
	if condition == nil || condition.Reason != corev1alpha2.ReasonBundleLoadFailed {
		return ""
	}
	return describe(condition, condition.Reason)
}

func healthyCondition(s *state) metav1.Condition {
	if s.deployment == nil || s.operator.Status.Installed == nil && underWay(s.operator.Status.Target) == nil {
		return isUnknown(platformv1alpha1.ReasonUnknown, "Nothing is installed.")
	}
	condition := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionHealthy)
	if condition == nil {
		return isUnknown(platformv1alpha1.ReasonUnknown, "The operator's health is not known yet.")
	}
	switch condition.Status {
	case metav1.ConditionTrue:
		return isTrue(platformv1alpha1.ReasonAsExpected, condition.Message)
	case metav1.ConditionFalse:
		return isFalse(platformv1alpha1.ReasonUnhealthy, condition.Message)
	}
	return isUnknown(platformv1alpha1.ReasonUnknown, condition.Message)
}

// upgradeableCondition says whether the bundles that count permit the cluster's next minor version: the first one that does not is
// told of.
func upgradeableCondition(bundles []compat.Counted, clusterVersion string) metav1.Condition {
	if len(bundles) == 0 {
		return isTrue(platformv1alpha1.ReasonAsExpected, "Nothing is installed, so nothing is in the way of a cluster upgrade.")
	}
	for _, bundle := range bundles {
		if condition := permits(bundle, clusterVersion); condition.Status != metav1.ConditionTrue {
			return condition
		}
	}
	return permits(bundles[0], clusterVersion)
}

// permits says whether a bundle permits the cluster's next minor version.
func permits(bundle compat.Counted, clusterVersion string) metav1.Condition {
	name := cmp.Or(bundle.Bundle, bundle.Version, "The bundle") // metadata is what plain+v0 need not have
	cluster, err := compat.ParseClusterVersion(clusterVersion)
	if err != nil {
		return isUnknown(platformv1alpha1.ReasonUnknown, fmt.Sprintf("The cluster's version cannot be read: %v.", err))
	}
	max, err := compat.ReadMax(bundle.Max)
	if err != nil {
		return isFalse(platformv1alpha1.ReasonCompatibilityUnreadable, fmt.Sprintf(
			"The olm.maxOpenShiftVersion of %s cannot be read, so cluster upgrades are blocked: %v. Move to a version whose declaration is readable, have it corrected in the catalog, acknowledge the risk in spec.compatibilityOverrides, or remove the operator.", name, err))
	}
	if max == nil {
		return isTrue(platformv1alpha1.ReasonAsExpected, fmt.Sprintf("%s declares no olm.maxOpenShiftVersion.", name))
	}
	next := cluster.Next()
	if !max.Permits(next) {
		return isFalse(platformv1alpha1.ReasonIncompatibleOperator, fmt.Sprintf(
			"%s runs on OpenShift %s at most, and the cluster's next minor version is %s.", name, max.Names(), next.Names()))
	}
	return isTrue(platformv1alpha1.ReasonAsExpected, fmt.Sprintf("%s runs on OpenShift up to %s.", name, max.Names()))
}

func sentence(action, problem string) string {
	if problem == "" {
		return action + "."
	}
	return action + ": " + problem + "."
}

func isTrue(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

func isFalse(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionFalse, Reason: reason, Message: message}
}

func isUnknown(reason, message string) metav1.Condition {
	return metav1.Condition{Status: metav1.ConditionUnknown, Reason: reason, Message: message}
}
