// Package deniedwrites sets a condition on the operator resource while the manager's ServiceAccount lacks a permission to write. If
// somebody changed a role, this would otherwise be visible only in the manager's log. When the permission is granted again, the controller
// causes failed syncs to be retried at once. Otherwise their backoff could delay them for minutes.
//
// A write that the API server denies for another reason, such as a quota or the check against privilege escalation, is not reported,
// because the permission itself is granted. The package covers the manager's own writes. BundleDeployments report denied writes of bundles'
// objects. If the manager may not write the status of the operator resource, it cannot write the condition either. pkg/operator builds and
// runs the controller.
package deniedwrites

import (
	"context"
	"errors"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	"k8s.io/utils/clock"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	"github.com/openshift/platform-operators/pkg/managerstatus"
)

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "DeniedWritesController"

// checkEvery is the interval at which the controller checks whether denied writes are permitted again.
const checkEvery = 5 * time.Second

// keepFor is the time for which a new process keeps a True condition of the previous process, because it has not tried the writes itself
// yet. Otherwise each restart would end the condition, and the ClusterOperator's inertia would begin again.
const keepFor = 10 * time.Minute

// Config configures the controller. Every field is required.
type Config struct {
	OperatorClient v1helpers.OperatorClient
	// Writes holds the denied writes of the clients whose transport it wraps.
	Writes *Writes
	// Reviews asks the API server which permissions the manager has.
	Reviews authorizationclient.SelfSubjectAccessReviewInterface
	// Retry makes the controllers retry failed syncs at once. The controller calls it when a missing permission is granted again.
	Retry func()
	Clock clock.PassiveClock
	// SyncContext provides the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
}

type controller struct {
	operatorClient v1helpers.OperatorClient
	writes         *Writes
	reviews        authorizationclient.SelfSubjectAccessReviewInterface
	retry          func()
	clock          clock.PassiveClock
	started        time.Time
	// denied are the permissions that the API server has confirmed to be missing.
	denied map[permission]bool
	// hasConfirmed is true once this process has confirmed that a permission is missing.
	hasConfirmed bool
}

// New returns the controller. It has one queue key, and needs one worker.
func New(config Config) (factory.Controller, error) {
	if config.OperatorClient == nil || config.Writes == nil || config.Reviews == nil || config.Retry == nil || config.Clock == nil || config.SyncContext == nil {
		return nil, errors.New("building the deniedwrites controller: a field of its Config is not set")
	}
	c := &controller{
		operatorClient: config.OperatorClient, writes: config.Writes, reviews: config.Reviews, retry: config.Retry,
		clock: config.Clock, started: config.Clock.Now(), denied: map[permission]bool{},
	}
	config.Writes.notify(func() { config.SyncContext.Queue().Add(factory.DefaultQueueKey) })
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformers(config.OperatorClient.Informer()).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	err := c.check(ctx)
	if left, _ := c.writes.list(); len(left) > 0 {
		syncCtx.Queue().AddAfter(factory.DefaultQueueKey, checkEvery)
	}
	if wait := c.started.Add(keepFor).Sub(c.clock.Now()); wait > 0 && !c.hasConfirmed && c.isReported() {
		syncCtx.Queue().AddAfter(factory.DefaultQueueKey, wait)
		return err
	}
	if _, updateErr := managerstatus.Update(ctx, syncCtx, c.operatorClient, v1helpers.UpdateConditionFn(conditionOf(c.denied))); updateErr != nil {
		err = errors.Join(err, fmt.Errorf("writing the condition about denied writes: %w", updateErr))
	}
	return err
}

// isReported reports whether this controller's condition on the operator resource is True.
func (c *controller) isReported() bool {
	_, status, _, err := c.operatorClient.GetOperatorState()
	return err == nil && v1helpers.IsOperatorConditionTrue(status.Conditions, ConditionType)
}

// check sends an access review for each denied write, and forgets the writes that are permitted: the API server also responds with 403
// Forbidden for other reasons, such as a quota. It calls retry if a missing permission was granted again.
func (c *controller) check(ctx context.Context) error {
	var errs []error
	isBack := false
	permissions, names := c.writes.list()
	for i, each := range permissions {
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: each.attributes(names[i])}}
		answer, err := c.reviews.Create(ctx, review, metav1.CreateOptions{})
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("asking the API server whether the manager may %s: %w", each, err))
		case answer.Status.Allowed:
			isBack = isBack || c.denied[each]
			c.writes.forget(each, c.denied[each])
			delete(c.denied, each)
		default:
			c.denied[each], c.hasConfirmed = true, true
		}
	}
	if isBack {
		c.retry()
	}
	return errors.Join(errs...)
}
