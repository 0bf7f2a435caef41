package operators

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
)

// Deployments groups BundleDeployments by the PlatformOperator that owns them, in the same way as the upgrade gate.
type Deployments struct {
	// Unowned are the BundleDeployments that no PlatformOperator owns. One may still have the name of a PlatformOperator.
	Unowned []*corev1alpha2.BundleDeployment

	owned map[types.UID]*corev1alpha2.BundleDeployment
}

// Assign groups BundleDeployments by owner. The owner of a BundleDeployment is the PlatformOperator with its name whose UID is in its
// controller reference. A PlatformOperator that only has the same name is not the owner.
func Assign(all []platformv1alpha1.PlatformOperator, deployments []corev1alpha2.BundleDeployment) Deployments {
	names := make(map[types.UID]string, len(all))
	for i := range all {
		names[all[i].UID] = all[i].Name
	}
	assigned := Deployments{owned: make(map[types.UID]*corev1alpha2.BundleDeployment, len(deployments))}
	for i := range deployments {
		owner := metav1.GetControllerOf(&deployments[i])
		if owner != nil && owner.Kind == compat.KindPlatformOperator && names[owner.UID] == deployments[i].Name {
			assigned.owned[owner.UID] = &deployments[i]
			continue
		}
		assigned.Unowned = append(assigned.Unowned, &deployments[i])
	}
	return assigned
}

// Of returns the BundleDeployment of a PlatformOperator; nil if it has none.
func (d Deployments) Of(operator *platformv1alpha1.PlatformOperator) *corev1alpha2.BundleDeployment {
	return d.owned[operator.UID]
}
