package operator

import (
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/controllers/watches"
)

// newWatches makes the controller that tells when the manager is not let see what it works from. Catalogs and what bundles
// bring are not among that: whom they concern is told on their own objects.
func newWatches(input *Input) (factory.Controller, error) {
	return watches.New(watches.Config{
		OperatorClient: input.Operator,
		Informers: map[string]cache.SharedInformer{
			"platformoperators":        input.PlatformInformers.Platform().V1alpha1().PlatformOperators().Informer(),
			"bundledeployments":        input.PlatformInformers.Core().V1alpha2().BundleDeployments().Informer(),
			"bundles":                  input.PlatformInformers.Core().V1alpha2().Bundles().Informer(),
			"provisionerclasses":       input.PlatformInformers.Core().V1alpha2().ProvisionerClasses().Informer(),
			"platformoperatormanagers": input.PlatformInformers.Operator().V1alpha1().PlatformOperatorManagers().Informer(),
			"clusterversions":          input.ConfigInformers.Config().V1().ClusterVersions().Informer(),
			"clusteroperators":         input.ConfigInformers.Config().V1().ClusterOperators().Informer(),
		},
		Clock:    input.Clock,
		Recorder: input.Recorder,
	})
}
