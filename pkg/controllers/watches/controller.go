// Package watches tells on the operator resource when the API server refuses to have a kind listed or watched that the manager
// works from: everybody else goes on from what was seen last, and nobody would notice. When that counts is pkg/health's.
//
// A server that is not there at all is no refusal: nothing could be told to it either, and once it is back there is nothing to
// tell. Kinds that only bundles bring are not among what is watched here; who needs them says so. It is built and run by
// pkg/operator.
package watches

import (
	"context"
	"errors"
	"fmt"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/managerstatus"
)

// ControllerName is what library-go calls the controller: in its log, its workqueue's metrics and what it writes of a sync that fails.
const ControllerName = "WatchController"

// ConditionPrefix precedes Degraded on the operator resource.
const ConditionPrefix = "Watches"

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient v1helpers.OperatorClient
	// Informers are watched, by the plural names of their kinds: of each what takes whom to tell of errors, which for an informer
	// of client-go is its SetWatchErrorHandlerWithContext. None of them may have been started.
	Informers map[string]func(cache.WatchErrorHandlerWithContext) error
	// Others are those among them that are not ours, nor of the cluster itself: of these counts only that the manager may not see them.
	Others []string
	Clock  clock.PassiveClock
	// SyncContext has the controller's queue, and the recorder of Events about the manager itself.
	SyncContext factory.SyncContext
}

type controller struct {
	operatorClient v1helpers.OperatorClient
	clock          clock.PassiveClock
	others         map[string]bool

	lock sync.Mutex
	// refusals are by resource; there are as many as informers at most.
	refusals map[string]health.WatchError
}

// New builds the controller, and has the informers tell it of errors. It has one queue key.
func New(config Config) (factory.Controller, error) {
	if config.OperatorClient == nil || len(config.Informers) == 0 || config.Clock == nil || config.SyncContext == nil {
		return nil, errors.New("building the watches controller: a field of its Config is not set")
	}
	c := &controller{operatorClient: config.OperatorClient, clock: config.Clock, others: map[string]bool{}, refusals: map[string]health.WatchError{}}
	for _, resource := range config.Others {
		if config.Informers[resource] == nil {
			return nil, fmt.Errorf("building the watches controller: %q is somebody else's kind, and is not among the informers", resource)
		}
		c.others[resource] = true
	}
	for resource, listen := range config.Informers {
		if err := listen(func(ctx context.Context, reflector *cache.Reflector, err error) {
			cache.DefaultWatchErrorHandler(ctx, reflector, err)
			if c.refused(resource, err) {
				config.SyncContext.Queue().Add(factory.DefaultQueueKey)
			}
		}); err != nil {
			return nil, fmt.Errorf("building the watches controller: listening to the informer of %s: %w", resource, err)
		}
	}
	return factory.New().
		WithSyncContext(config.SyncContext).
		WithSync(c.sync).
		WithInformers(config.OperatorClient.Informer()).
		ToController(ControllerName, config.SyncContext.Recorder()), nil
}

// refused notes an error, if it is one that the API server has answered with. That a version is no longer known is answered
// now and then, and the next list is of a newer one.
func (c *controller) refused(resource string, err error) bool {
	var answer apierrors.APIStatus
	switch {
	case !errors.As(err, &answer) || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsTooManyRequests(err):
		return false
	case c.others[resource] && !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err):
		return false // what ails a kind of somebody else's is told by them
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	before := c.refusals[resource]
	before.Resource = resource
	c.refusals[resource] = before.Next(err.Error(), c.clock.Now())
	return true
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	c.lock.Lock()
	refusals := make([]health.WatchError, 0, len(c.refusals))
	for _, refusal := range c.refusals {
		refusals = append(refusals, refusal)
	}
	c.lock.Unlock()
	condition, next := health.WatchCondition(refusals, c.clock.Now())
	if next > 0 {
		syncCtx.Queue().AddAfter(factory.DefaultQueueKey, next)
	}
	_, err := managerstatus.Update(ctx, syncCtx, c.operatorClient, v1helpers.UpdateConditionFn(operatorv1.OperatorCondition{
		Type:    ConditionPrefix + condition.Type,
		Status:  operatorv1.ConditionStatus(condition.Status),
		Reason:  condition.Reason,
		Message: condition.Message,
	}))
	if err != nil {
		return fmt.Errorf("writing whether everything can be watched: %w", err)
	}
	return nil
}
