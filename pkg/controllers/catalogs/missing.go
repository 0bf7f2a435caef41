package catalogs

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// lacksKinds reports whether an object is a BundleDeployment that belongs to a PlatformOperator and has objects of kinds that the cluster
// does not serve. The status of the PlatformOperator names the packages that provide these kinds. For any other BundleDeployment, no status
// names such packages.
func lacksKinds(object any) bool {
	deployment, ok := object.(*corev1alpha2.BundleDeployment)
	return ok && deployment.Status.Plan != nil && len(deployment.Status.Plan.KindsMissing) > 0 && ownership.IsOfPlatformOperator(deployment)
}

// missingKinds returns the kinds that BundleDeployments of PlatformOperators need and the cluster does not serve, in no particular order
// and possibly more than once. Bundles need not declare these kinds, so they are not among the requirements in the catalogs.
func (c *controller) missingKinds() ([]catalog.GVK, error) {
	deployments, err := c.deployments.List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("listing BundleDeployments: %w", err)
	}
	var missing []catalog.GVK
	for _, deployment := range deployments {
		if !lacksKinds(deployment) {
			continue
		}
		for _, kind := range deployment.Status.Plan.KindsMissing {
			missing = append(missing, catalog.GVK(kind))
		}
	}
	return missing, nil
}
