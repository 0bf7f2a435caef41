package operator

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/controllers/bundledeployment"
	"github.com/openshift/platform-operators/pkg/controllers/deniedwrites"
)

// newDeniedWrites builds the controller that reports missing permissions to write. retry is called when a missing permission is granted
// again.
func (b *builder) newDeniedWrites(syncContext factory.SyncContext, retry func()) (factory.Controller, error) {
	return deniedwrites.New(deniedwrites.Config{
		OperatorClient: b.input.Operator,
		Writes:         b.input.DeniedWrites,
		Reviews:        b.input.Kubernetes.AuthorizationV1().SelfSubjectAccessReviews(),
		Retry:          retry,
		Clock:          b.input.Clock,
		SyncContext:    syncContext,
	})
}

// retryFailedSyncs queues the keys whose last sync failed, without waiting for their backoff. A key is the name of an object or
// factory.DefaultQueueKey. For the bundledeployment controller, which has its own backoff for writes of revisions, it queues all keys.
func (o *Operator) retryFailedSyncs() {
	keys := append(o.input.objectNames(), factory.DefaultQueueKey)
	for _, each := range o.controllers {
		queue := each.syncContext.Queue()
		for _, key := range keys {
			if queue.NumRequeues(key) > 0 || each.Name() == bundledeployment.ControllerName {
				queue.Add(key)
			}
		}
	}
}

// objectNames returns the names of the objects for which controllers have queue keys, from memory.
func (input *Input) objectNames() []string {
	names := map[string]bool{}
	// A lister returns no error for a list from memory.
	operators, _ := input.PlatformInformers.Platform().V1alpha1().PlatformOperators().Lister().List(labels.Everything())
	for _, each := range operators {
		names[each.Name] = true
	}
	deployments, _ := input.PlatformInformers.Core().V1alpha2().BundleDeployments().Lister().List(labels.Everything())
	for _, each := range deployments {
		names[each.Name] = true
	}
	bundles, _ := input.PlatformInformers.Core().V1alpha2().Bundles().Lister().List(labels.Everything())
	for _, each := range bundles {
		names[each.Name] = true
	}
	return slices.Collect(maps.Keys(names))
}
