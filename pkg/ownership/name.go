package ownership

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// IsOfPlatformOperator reports whether the controller of a BundleDeployment is a PlatformOperator, which may no longer exist.
func IsOfPlatformOperator(deployment metav1.Object) bool {
	controller := metav1.GetControllerOf(deployment)
	return controller != nil && controller.Kind == "PlatformOperator"
}

// BelongsTo reports whether a BundleDeployment belongs to a PlatformOperator. If a BundleDeployment has the PlatformOperator's name but
// does not belong to it, the manager does not reconcile the BundleDeployment: the name, and the field manager, labels and package derived
// from it, are reserved for the PlatformOperator.
func BelongsTo(deployment, operator metav1.Object) bool {
	controller := metav1.GetControllerOf(deployment)
	return controller != nil && controller.UID == operator.GetUID()
}
