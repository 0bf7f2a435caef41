package operatorstatus

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// isInstallationSucceeded reports whether the BundleDeployment is installed and Installed reports no problem.
func isInstallationSucceeded(deployment *corev1alpha2.BundleDeployment) bool {
	installed := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
	return installed != nil && installed.Reason == corev1alpha2.ReasonInstallationSucceeded
}

// driftedCondition returns the Drifted condition, with the drift that the BundleDeployment reports. It is Unknown if nothing is installed.
func driftedCondition(r *report) metav1.Condition {
	deployment := r.in.Current.Deployment
	if deployment == nil || r.operator.Status.Installed == nil && upgradestep.TargetBundle(r.operator.Status.Target) == nil {
		return isUnknown(platformv1alpha1.ReasonUnknown, "Nothing is installed.")
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionDrifted)
	if condition == nil {
		return isUnknown(platformv1alpha1.ReasonUnknown, "The operator's objects have not been compared with their declaration yet.")
	}
	message := withFullStop(upgradestep.ConditionText(condition, condition.Reason))
	switch condition.Reason {
	case corev1alpha2.ReasonAsExpected:
		return isFalse(platformv1alpha1.ReasonAsExpected, message)
	case corev1alpha2.ReasonDriftIgnored:
		return isFalse(platformv1alpha1.ReasonDriftIgnored, message)
	case corev1alpha2.ReasonDriftReported:
		return isTrue(platformv1alpha1.ReasonDriftReported, message)
	case corev1alpha2.ReasonDriftContested:
		return isTrue(platformv1alpha1.ReasonDriftContested, message)
	case corev1alpha2.ReasonReconcileFailed:
		if !isInstallationSucceeded(deployment) { // the Installed condition of the PlatformOperator may have another cause
			message = fmt.Sprintf("Some objects cannot be read or repaired; the conditions of BundleDeployment %q give the cause.", deployment.Name)
		}
	}
	return isUnknown(platformv1alpha1.ReasonUnknown, message)
}
