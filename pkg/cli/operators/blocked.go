package operators

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// blockingProgress holds the reasons of a PlatformOperator's Progressing condition that require somebody to act.
var blockingProgress = map[string]bool{
	platformv1alpha1.ReasonBlocked:          true,
	platformv1alpha1.ReasonDeadlineExceeded: true,
}

// blockingDeployment holds the reasons of a BundleDeployment's conditions that require somebody to act.
var blockingDeployment = map[string]bool{
	corev1alpha2.ReasonBlocked:             true,
	corev1alpha2.ReasonBundleLoadFailed:    true,
	corev1alpha2.ReasonDeadlineExceeded:    true,
	corev1alpha2.ReasonInstallFailed:       true,
	corev1alpha2.ReasonNotAllowed:          true,
	corev1alpha2.ReasonPoliciesNotInForce:  true,
	corev1alpha2.ReasonProvisionerNotFound: true,
	corev1alpha2.ReasonUnpackFailed:        true,
	corev1alpha2.ReasonUpgradeFailed:       true,
}

// isBlocked reports whether somebody has to act before a PlatformOperator is installed, upgraded or removed. All commands and the alert
// PlatformOperatorsBlocked use this definition. An operator that only waits for an approval or for the end of a pause is not blocked,
// because an admin selected that. A reason that this version does not know, because a newer manager wrote it, counts only if nothing is
// installed.
func isBlocked(operator *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment) bool {
	conditions := operator.Status.Conditions
	if blockingProgress[conditionOf(conditions, platformv1alpha1.ConditionProgressing).Reason] {
		return true
	}
	installed := conditionOf(conditions, platformv1alpha1.ConditionInstalled)
	isRemoved := operator.DeletionTimestamp != nil
	if !isRemoved && installed.Status == metav1.ConditionFalse && !stillInstalling[installed.Reason] {
		return true
	}
	return deployment != nil && IsDeploymentBlocked(deployment.Status.Conditions)
}

// IsDeploymentBlocked reports whether a condition of a BundleDeployment blocks its rollout or removal.
func IsDeploymentBlocked(conditions []metav1.Condition) bool {
	for _, condition := range conditions {
		if blockingDeployment[condition.Reason] {
			return true
		}
	}
	return false
}
