package operator

import (
	"context"
	"errors"
	"time"

	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/status"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

// statusResync is the resync interval of StatusSyncer, as in library-go. It is needed because no event reports the end of an inertia.
const statusResync = time.Minute

// newStatusSyncer builds the controller that copies the operator resource's conditions and the known versions to the ClusterOperator.
// library-go's StatusSyncer does the work. Its controller is built here so that a successful sync is recorded.
func (b *builder) newStatusSyncer(syncContext factory.SyncContext) (factory.Controller, error) {
	input := b.input
	clusterOperators := input.ConfigInformers.Config().V1().ClusterOperators()
	client := newReportedClient(input.Operator, input.Clock, b.permits)
	syncer := status.NewClusterOperatorStatusController(ClusterOperatorName, staticRelatedObjects(input.Namespace),
		input.Config.ConfigV1(), clusterOperators, client, b.versions, input.Recorder, input.Clock)
	deployments := input.PlatformInformers.Core().V1alpha2().BundleDeployments()
	syncer.WithRelatedObjectsFunc(installNamespaces(deployments.Informer().HasSynced, deployments.Lister()))
	syncer = syncer.WithDegradedInertia(degradedInertia)

	b.statusContext = syncContext
	return factory.New().
		WithSyncContext(syncContext).
		ResyncEvery(statusResync).
		WithInformers(client.Informer(), input.clusterOperators(b.inventory.kinds).Informer()).
		WithSync(func(ctx context.Context, syncCtx factory.SyncContext) error {
			if !clusterOperators.Informer().HasSynced() {
				return nil // the cluster does not serve ClusterOperators; condition WatchesDegraded reports that
			}
			err := syncer.Sync(ctx, syncCtx)
			// Both errors are normal after a start, so library-go must not log them as failures.
			if errors.Is(err, errIncomplete) || errors.Is(err, operatorv1alpha1.ErrManagerMissing) {
				klog.V(4).Info(err)
				return factory.SyntheticRequeueError
			}
			if err != nil {
				return err
			}
			b.reports.Reported(client.lastRead())
			return nil
		}).
		ToController(statusSyncerName, input.Recorder.WithComponentSuffix("status-controller")), nil
}

// setVersion makes StatusSyncer report a version for an operand. It adds the queue key itself, because library-go notifies only running
// controllers of a new version.
func (b *builder) setVersion(operand, version string) {
	b.versions.SetVersion(operand, version)
	b.statusContext.Queue().Add(factory.DefaultQueueKey)
}
