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

// addShared adds what several controllers work from. The catalogs controller adds its own.
func (l listeners) addShared(input *Input, around *surroundings) {
	for resource, informer := range map[string]cache.SharedInformer{
		"platformoperators":        input.PlatformInformers.Platform().V1alpha1().PlatformOperators().Informer(),
		"bundledeployments":        input.PlatformInformers.Core().V1alpha2().BundleDeployments().Informer(),
		"bundles":                  input.PlatformInformers.Core().V1alpha2().Bundles().Informer(),
		"provisionerclasses":       input.PlatformInformers.Core().V1alpha2().ProvisionerClasses().Informer(),
		"platformoperatormanagers": input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers().Informer(),
		"clusterversions":          input.ConfigInformers.Config().V1().ClusterVersions().Informer(),
		"configmaps":               input.LimitsInformers.Core().V1().ConfigMaps().Informer(),
		"clusteroperators":         input.ConfigInformers.Config().V1().ClusterOperators().Informer(),
	} {
		l.add(resource, informer.SetWatchErrorHandlerWithContext)
	}
	l.add("customresourcedefinitions", around.kinds.SetWatchErrorHandlerWithContext)
	around.installations.EachWatched(l.add)
}

// newWatches makes the controller that tells when the manager is not let see what it works from. What bundles bring is not among
// that: whom it concerns is told on their own objects. It comes behind everybody who adds listeners.
func newWatches(input *Input, heard listeners) (factory.Controller, error) {
	return watches.New(watches.Config{
		OperatorClient: input.Operator, Informers: heard, Others: []string{"pods", "catalogsources", "clustercatalogs", "subscriptions", "clusterextensions"},
		Clock: input.Clock, Recorder: input.Recorder,
	})
}
