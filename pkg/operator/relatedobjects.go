package operator

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/openshift/library-go/pkg/operator/status"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
)

// maxRelatedNamespaces is the maximum number of install namespaces among the related objects. must-gather collects each of them.
const maxRelatedNamespaces = 50

// staticRelatedObjects returns the related objects that the manifest of the ClusterOperator also lists, so that must-gather works even if
// the manager never starts. A reference without a name means all objects of the resource, in all namespaces.
func staticRelatedObjects(namespace string) []configv1.ObjectReference {
	return []configv1.ObjectReference{
		{Resource: "namespaces", Name: namespace},
		{Group: operatorv1alpha1.GroupName, Resource: "platformoperatormanagers", Name: operatorv1alpha1.PlatformOperatorManagerName},
		{Group: platformv1alpha1.GroupName, Resource: "platformoperators"},
		{Group: corev1alpha2.GroupName, Resource: "bundledeployments"},
		{Group: corev1alpha2.GroupName, Resource: "bundles"},
		{Group: corev1alpha2.GroupName, Resource: "provisionerclasses"},
		// must-gather reports an error for a kind that the cluster does not serve, and continues.
		{Group: catalogs.ClusterCatalogs.Group, Resource: catalogs.ClusterCatalogs.Resource},
		{Group: catalogs.CatalogSources.Group, Resource: catalogs.CatalogSources.Resource},
	}
}

// installNamespaces returns a function that returns the install namespaces of all BundleDeployments, sorted, at most maxRelatedNamespaces.
// That function returns false until the cache has synced, and library-go then keeps the namespaces that the ClusterOperator has.
// library-go's controller does not wait for this cache.
func installNamespaces(synced cache.InformerSynced, deployments corelisters.BundleDeploymentLister) status.RelatedObjectsFunc {
	return func() (bool, []configv1.ObjectReference) {
		if !synced() {
			return false, nil
		}
		all, err := deployments.List(labels.Everything())
		if err != nil {
			return false, nil
		}
		var names []string
		for _, deployment := range all {
			if name := deployment.Spec.InstallNamespace; name != "" { // a reference without a name means all namespaces
				names = append(names, name)
			}
		}
		slices.Sort(names)
		names = slices.Compact(names)
		names = names[:min(len(names), maxRelatedNamespaces)]
		var references []configv1.ObjectReference
		for _, name := range names {
			references = append(references, configv1.ObjectReference{Resource: "namespaces", Name: name})
		}
		return true, references
	}
}
