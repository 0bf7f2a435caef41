package operator

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// staticRelatedObjects returns the related objects that the manifest of the ClusterOperator also has, so that must-gather works even if the
// manager never starts. A reference without a name means all objects of the resource.
func staticRelatedObjects(namespace string) []configv1.ObjectReference {
	return []configv1.ObjectReference{
		{Resource: "namespaces", Name: namespace},
		{Group: operatorv1alpha1.GroupName, Resource: "platformoperatormanagers", Name: operatorv1alpha1.PlatformOperatorManagerName},
		{Group: platformv1alpha1.GroupName, Resource: "platformoperators"},
		{Group: corev1alpha2.GroupName, Resource: "bundledeployments"},
		{Group: corev1alpha2.GroupName, Resource: "bundles"},
		{Group: corev1alpha2.GroupName, Resource: "provisionerclasses"},
	}
}

// dynamicRelatedObjects returns a function that returns the trusted catalogs, and the namespaces of all operators. It returns false until
// the caches have synced; library-go then keeps the ClusterOperator's related objects. library-go's controller does not wait for these caches.
func (b *builder) dynamicRelatedObjects() status.RelatedObjectsFunc {
	deployments := b.input.PlatformInformers.Core().V1alpha2().BundleDeployments()
	managers := b.input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers()
	namespaces := installNamespaces(deployments.Informer().HasSynced, deployments.Lister())
	hasSyncedManagers := managers.Informer().HasSynced
	return func() (bool, []configv1.ObjectReference) {
		isKnown, references := namespaces()
		if !isKnown || !b.inventory.kinds.HasSynced() || !hasSyncedManagers() {
			return false, nil
		}
		manager, err := managers.Lister().Get(operatorv1alpha1.PlatformOperatorManagerName)
		if err != nil {
			manager = nil
		}
		return true, append(references, catalogReferences(catalogs.TrustedNamespaces(manager), b.inventory.kinds.Serves)...)
	}
}

// catalogReferences returns references to the trusted catalogs. Kinds that the cluster does not serve are omitted, because must-gather
// reports an error for each.
func catalogReferences(namespaces []string, isServed func(schema.GroupVersionResource) bool) (references []configv1.ObjectReference) {
	if isServed(catalogs.ClusterCatalogs) {
		references = append(references, configv1.ObjectReference{Group: catalogs.ClusterCatalogs.Group, Resource: catalogs.ClusterCatalogs.Resource})
	}
	if isServed(catalogs.CatalogSources) {
		for _, namespace := range slices.Sorted(slices.Values(namespaces)) {
			references = append(references, configv1.ObjectReference{Group: catalogs.CatalogSources.Group, Resource: catalogs.CatalogSources.Resource, Namespace: namespace})
		}
	}
	return references
}

// installNamespaces returns a function that returns the namespaces of all operators, sorted, at most maxRelatedNamespaces. It returns false
// until the cache has synced.
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
