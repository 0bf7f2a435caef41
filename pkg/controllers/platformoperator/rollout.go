package platformoperator

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// rolloutProblem says why the version that the deployment points at cannot be left yet; empty when it can.
func rolloutProblem(deployment *corev1alpha2.BundleDeployment) string {
	if deployment == nil {
		return ""
	}
	if outdated(deployment) {
		return "its installation has just begun"
	}
	if rolledBack(deployment) {
		return "" // it does not run any more
	}
	conditions := deployment.Status.Conditions
	for _, condition := range []string{corev1alpha2.ConditionUnpacked, corev1alpha2.ConditionHasValidBundle} {
		if meta.IsStatusConditionFalse(conditions, condition) {
			return ""
		}
	}
	if !meta.IsStatusConditionTrue(conditions, corev1alpha2.ConditionHasValidBundle) {
		return "its bundle is being unpacked"
	}
	if installed := meta.FindStatusCondition(conditions, corev1alpha2.ConditionInstalled); installed == nil || installed.Status != metav1.ConditionTrue {
		return describe(installed, "its installation has not finished")
	} else if installed.Reason == corev1alpha2.ReasonUpgradeFailed {
		return describe(installed, "it is refused")
	}
	if healthy := meta.FindStatusCondition(conditions, corev1alpha2.ConditionHealthy); healthy == nil || healthy.Status != metav1.ConditionTrue {
		return describe(healthy, "its health is not known yet")
	}
	if progressing := meta.FindStatusCondition(conditions, corev1alpha2.ConditionProgressing); progressing != nil && progressing.Status == metav1.ConditionTrue {
		return describe(progressing, "it is still rolling out")
	}
	return ""
}

// rolledBack says whether the engine gave up the version that the deployment points at and put the one before it back.
func rolledBack(deployment *corev1alpha2.BundleDeployment) bool {
	if deployment.Status.ObservedGeneration < deployment.Generation {
		return false
	}
	return slices.ContainsFunc(deployment.Status.Revisions, func(revision corev1alpha2.Revision) bool {
		return revision.State == corev1alpha2.RevisionFailed && revision.FailedGeneration == deployment.Generation
	})
}

// describe gives a condition's message without its final full stop, or the fallback.
func describe(condition *metav1.Condition, fallback string) string {
	if condition == nil || condition.Message == "" {
		return fallback
	}
	return fieldsHere.Replace(trimStop(condition.Message))
}

// fieldsHere turns the fields that a BundleDeployment's message tells users to set into those of the PlatformOperator, which hands
// them on.
var fieldsHere = strings.NewReplacer(
	"spec.adoption", "spec.install.adoption", "spec.config", "spec.install.config", "spec.drift", "spec.install.drift",
	"spec.installNamespace", "spec.install.namespace", "spec.onFailure", "spec.install.onFailure", "spec.progressDeadlineSeconds", "spec.install.progressDeadlineSeconds",
)

// outdated says whether a deployment's status is of an earlier spec. That it is being deleted is no other spec.
func outdated(deployment *corev1alpha2.BundleDeployment) bool {
	generation := deployment.Generation
	if deployment.DeletionTimestamp != nil {
		generation-- // as the API server counts
	}
	return deployment.Status.ObservedGeneration < generation
}

// applied says whether some version is in place, be it another than the one that is being moved to.
func applied(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.Status.ActiveRevision > 0 || meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// hopDone says whether what the BundleDeployment points at is installed: applied, and for a later hop also healthy, so
// that the revision before it is no longer needed. While it is paused no later hop is done: what is there is not compared with
// what should be there, so that objects of the version before, or of one that was rolled back to, pass for the new ones.
func hopDone(deployment *corev1alpha2.BundleDeployment, first bool) bool {
	if outdated(deployment) || rolledBack(deployment) || deployment.Spec.Paused && !first {
		return false
	}
	if !meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionInstalled) {
		return false
	}
	return first || rolloutProblem(deployment) == "" &&
		meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionHasValidBundle)
}
