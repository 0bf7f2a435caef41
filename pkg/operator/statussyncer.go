package operator

import (
	"context"
	"errors"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
			switch {
			case err == nil:
				b.reports.Reported(client.lastRead())
				return nil
			case isTransient(err):
				klog.V(4).Info(err)
				return factory.SyntheticRequeueError
			default:
				return err
			}
		}).
		ToController(statusSyncerName, input.Recorder.WithComponentSuffix("status-controller")), nil
}

// isTransient reports whether an error of StatusSyncer is normal, so that library-go must not log it as a failed sync. Some conditions of
// the operator resource, or the resource itself, are missing for a short time after a start. A write conflicts if StatusSyncer syncs twice
// in quick succession: its cache does not yet contain its first write when it prepares the second one.
func isTransient(err error) bool {
	return errors.Is(err, errIncomplete) || errors.Is(err, operatorv1alpha1.ErrManagerMissing) || apierrors.IsConflict(err)
}

// setVersion makes StatusSyncer report a version for an operand. It adds the queue key itself, because library-go notifies only running
// controllers of a new version.
func (b *builder) setVersion(operand, version string) {
	b.versions.SetVersion(operand, version)
	b.statusContext.Queue().Add(factory.DefaultQueueKey)
}
