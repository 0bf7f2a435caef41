package operator

import (
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/controllers/watches"
	"github.com/openshift/platform-operators/pkg/inventory"
)

// watchErrorSetters maps the plural name of each resource to a function that sets its informer's handler for failed lists and watches.
type watchErrorSetters map[string]func(cache.WatchErrorHandlerWithContext) error

func (l watchErrorSetters) add(resource string, listen func(cache.WatchErrorHandlerWithContext) error) {
	l[resource] = listen
}

// sharedInformers returns the informers that several controllers use, keyed by the plural names of their resources.
func (input *Input) sharedInformers(kinds *inventory.Kinds) map[string]cache.SharedInformer {
	return map[string]cache.SharedInformer{
		"platformoperators":        input.PlatformInformers.Platform().V1alpha1().PlatformOperators().Informer(),
		"bundledeployments":        input.PlatformInformers.Core().V1alpha2().BundleDeployments().Informer(),
		"bundles":                  input.PlatformInformers.Core().V1alpha2().Bundles().Informer(),
		"provisionerclasses":       input.PlatformInformers.Core().V1alpha2().ProvisionerClasses().Informer(),
		"platformoperatormanagers": input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers().Informer(),
		"clusterversions":          input.clusterVersions(kinds).Informer(),
		"configmaps":               input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		"secrets":                  input.RevisionSecrets,
		"clusteroperators":         input.clusterOperators(kinds).Informer(),
	}
}

// addShared adds the functions for the informers that several controllers use. The catalogs controller adds the functions for its own
// informers.
func (l watchErrorSetters) addShared(input *Input, found *clusterInventory) {
	for resource, informer := range input.sharedInformers(found.kinds) {
		l.add(resource, informer.SetWatchErrorHandlerWithContext)
	}
	l.add("featuregates", input.ConfigInformers.Config().V1().FeatureGates().Informer().SetWatchErrorHandlerWithContext)
	l.add("customresourcedefinitions", found.kinds.SetWatchErrorHandlerWithContext)
	found.installations.EachWatched(l.add)
}

// newWatches builds the controller that reports lists and watches that the API server denies. The status of a BundleDeployment, not this
// controller, reports those for a bundle's objects. newWatches must run after the constructors that add informers.
func (b *builder) newWatches(syncContext factory.SyncContext) (factory.Controller, error) {
	others := []string{"pods", "catalogsources", "clustercatalogs", "subscriptions", "clusterextensions", "featuregates"}
	if b.imageConfig != nil {
		b.imageConfig.EachWatched(func(resource string, _ func(cache.WatchErrorHandlerWithContext) error) {
			others = append(others, resource)
		})
	}
	return watches.New(watches.Config{
		OperatorClient: b.input.Operator, Informers: b.watchErrorSetters, Others: others, Clock: b.input.Clock, SyncContext: syncContext,
	})
}
