package ownership

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// BelongsTo says whether a BundleDeployment is a PlatformOperator's. One that has a PlatformOperator's name and is not its own is
// not carried out: the name, with the field manager, the labels and the package that hang on it, is the PlatformOperator's.
func BelongsTo(deployment, operator metav1.Object) bool {
	controller := metav1.GetControllerOf(deployment)
	return controller != nil && controller.UID == operator.GetUID()
}
