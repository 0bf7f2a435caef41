package operator

import (
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/controllers/watches"
)

// listeners are informers, by the plural names of their kinds: of each what takes whom to tell when the API server does not have
// its kind listed or watched.
type listeners map[string]func(cache.WatchErrorHandlerWithContext) error

func (l listeners) add(resource string, listen func(cache.WatchErrorHandlerWithContext) error) {
	l[resource] = listen
}

// sharedInformers returns the informers that several controllers work from, by the plural names of their kinds.
func (input *Input) sharedInformers() map[string]cache.SharedInformer {
	return map[string]cache.SharedInformer{
		"platformoperators":        input.PlatformInformers.Platform().V1alpha1().PlatformOperators().Informer(),
		"bundledeployments":        input.PlatformInformers.Core().V1alpha2().BundleDeployments().Informer(),
		"bundles":                  input.PlatformInformers.Core().V1alpha2().Bundles().Informer(),
		"provisionerclasses":       input.PlatformInformers.Core().V1alpha2().ProvisionerClasses().Informer(),
		"platformoperatormanagers": input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers().Informer(),
		"clusterversions":          input.ConfigInformers.Config().V1().ClusterVersions().Informer(),
		"configmaps":               input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		"clusteroperators":         input.ConfigInformers.Config().V1().ClusterOperators().Informer(),
	}
}

// addShared adds what several controllers work from. The catalogs controller adds its own.
func (l listeners) addShared(input *Input, inventory *surroundings) {
	for resource, informer := range input.sharedInformers() {
		l.add(resource, informer.SetWatchErrorHandlerWithContext)
	}
	l.add("customresourcedefinitions", inventory.kinds.SetWatchErrorHandlerWithContext)
	inventory.installations.EachWatched(l.add)
}

// newWatches makes the controller that tells when the manager is not let see what it works from. What bundles bring is not among
// that: whom it concerns is told on their own objects. It comes behind everybody who adds listeners.
func (b *builder) newWatches(syncContext factory.SyncContext) (factory.Controller, error) {
	return watches.New(watches.Config{
		OperatorClient: b.input.Operator, Informers: b.listeners, Others: []string{"pods", "catalogsources", "clustercatalogs", "subscriptions", "clusterextensions"},
		Clock: b.input.Clock, SyncContext: syncContext,
	})
}
