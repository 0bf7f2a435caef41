package operator

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	configv1 "github.com/openshift/api/config/v1"
	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"

	"github.com/openshift/platform-operators/pkg/inventory"
)

// optionalInformer is an informer for an OpenShift kind. Its HasSynced also returns true while the cluster does not serve the kind, so that
// no controller waits for it: library-go ends the process if a cache does not sync within ten minutes. The wrapped informer lists the kind
// when the cluster serves it.
type optionalInformer struct {
	cache.SharedIndexInformer
	resource schema.GroupVersionResource
	kinds    *inventory.Kinds
}

// HasSynced reports whether the objects are known, or the cluster does not serve the kind.
func (i optionalInformer) HasSynced() bool {
	return i.SharedIndexInformer.HasSynced() || i.kinds.HasSynced() && !i.kinds.Serves(i.resource)
}

// clusterVersions returns the informer for ClusterVersions, as an optionalInformer.
func (input *Input) clusterVersions(kinds *inventory.Kinds) configv1informers.ClusterVersionInformer {
	return optionalClusterVersions{input.ConfigInformers.Config().V1().ClusterVersions(), kinds}
}

// clusterOperators returns the informer for ClusterOperators, as an optionalInformer.
func (input *Input) clusterOperators(kinds *inventory.Kinds) configv1informers.ClusterOperatorInformer {
	return optionalClusterOperators{input.ConfigInformers.Config().V1().ClusterOperators(), kinds}
}

type optionalClusterVersions struct {
	configv1informers.ClusterVersionInformer
	kinds *inventory.Kinds
}

func (o optionalClusterVersions) Informer() cache.SharedIndexInformer {
	return optionalInformer{o.ClusterVersionInformer.Informer(), configv1.GroupVersion.WithResource("clusterversions"), o.kinds}
}

type optionalClusterOperators struct {
	configv1informers.ClusterOperatorInformer
	kinds *inventory.Kinds
}

func (o optionalClusterOperators) Informer() cache.SharedIndexInformer {
	return optionalInformer{o.ClusterOperatorInformer.Informer(), configv1.GroupVersion.WithResource("clusteroperators"), o.kinds}
}
