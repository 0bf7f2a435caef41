package operator

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/status"

	"github.com/openshift/platform-operators/pkg/controllers/managerversion"
)

// statusResync is how often the ClusterOperator is written without an event, as in library-go's own controller: inertia has no event.
const statusResync = time.Minute

// newStatusSyncer builds the controller that turns the operator resource's conditions into the ClusterOperator, with the versions that
// are known by then. library-go's StatusSyncer does the work. Its controller is built here, so that a sync that succeeded is recorded.
func newStatusSyncer(input *Input, versions status.VersionGetter, reports *managerversion.Reports, permits *atomic.Bool) factory.Controller {
	clusterOperators := input.ConfigInformers.Config().V1().ClusterOperators()
	client := newReportedClient(input.Operator, input.Clock, permits)
	syncer := status.NewClusterOperatorStatusController(ClusterOperatorName, staticRelatedObjects(input.Namespace),
		input.Config.ConfigV1(), clusterOperators, client, versions, input.Recorder, input.Clock)
	deployments := input.PlatformInformers.Core().V1alpha2().BundleDeployments()
	syncer.WithRelatedObjectsFunc(installNamespaces(deployments.Informer().HasSynced, deployments.Lister()))
	syncer = syncer.WithDegradedInertia(degradedInertia)

	versionChanged := versions.VersionChangedChannel()
	return factory.New().
		ResyncEvery(statusResync).
		WithInformers(client.Informer(), clusterOperators.Informer()).
		WithPostStartHooks(func(ctx context.Context, syncCtx factory.SyncContext) error {
			for {
				select {
				case <-ctx.Done():
					return nil
				case <-versionChanged:
					syncCtx.Queue().Add(factory.DefaultQueueKey)
				}
			}
		}).
		WithSync(func(ctx context.Context, syncCtx factory.SyncContext) error {
			if err := syncer.Sync(ctx, syncCtx); err != nil {
				return err
			}
			reports.Reported(client.lastRead())
			return nil
		}).
		ToController("StatusSyncer_"+ClusterOperatorName, input.Recorder.WithComponentSuffix("status-controller"))
}
