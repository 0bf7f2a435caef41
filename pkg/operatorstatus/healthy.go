package operatorstatus

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// healthyCondition returns the Healthy condition, with the health that the BundleDeployment reports. It is Unknown if nothing is installed.
func healthyCondition(r *report) metav1.Condition {
	deployment := r.in.Current.Deployment
	if deployment == nil || r.operator.Status.Installed == nil && upgradestep.TargetBundle(r.operator.Status.Target) == nil {
		return isUnknown(platformv1alpha1.ReasonUnknown, "Nothing is installed.")
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionHealthy)
	if condition == nil {
		return isUnknown(platformv1alpha1.ReasonUnknown, "The operator's health is not known yet.")
	}
	message := withFullStop(upgradestep.ConditionText(condition, condition.Reason))
	switch condition.Status {
	case metav1.ConditionTrue:
		return isTrue(platformv1alpha1.ReasonAsExpected, message)
	case metav1.ConditionFalse:
		return isFalse(platformv1alpha1.ReasonUnhealthy, message)
	}
	return isUnknown(platformv1alpha1.ReasonUnknown, message)
}
