// Package watches sets a condition on the operator resource when the API server rejects lists or watches of a kind that the manager depends
// on. Without the condition, the failure would be invisible, because all other controllers continue to work with their caches. pkg/health
// decides when the condition is set.
//
// The package ignores an API server that does not respond: the condition could not be written either, and would be obsolete as soon as the
// server responds again. Kinds that only bundles contain are not covered; the controllers that use them report errors. pkg/operator builds
// and runs the controller.
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

// ControllerName is the controller's name in library-go's log, workqueue metrics and conditions for failed syncs.
const ControllerName = "WatchController"

// ConditionPrefix is the prefix of the condition type Degraded on the operator resource.
const ConditionPrefix = "Watches"

// Config is everything the controller needs; every field is required.
type Config struct {
	OperatorClient v1helpers.OperatorClient
	// Informers maps the plural resource name of each watched informer to a function that sets its handler for list and watch errors, such
	// as SetWatchErrorHandlerWithContext. The informers must not be started yet.
	Informers map[string]func(cache.WatchErrorHandlerWithContext) error
	// Others are the resources in Informers that other projects define. For these, only missing permissions are reported.
	Others []string
	Clock  clock.PassiveClock
	// SyncContext provides the controller's queue, and the recorder for Events about the manager.
	SyncContext factory.SyncContext
}

type controller struct {
	operatorClient v1helpers.OperatorClient
	clock          clock.PassiveClock
	others         map[string]bool

	lock sync.Mutex
	// watchErrors holds the last error of the watch of each resource. Its size is bounded, because only resources with an informer are
	// keys.
	watchErrors map[string]health.WatchError
}

// New returns the controller and sets the informers' error handlers. It has one queue key. New returns an error if a required field is not
// set, or if one of Others has no informer.
func New(config Config) (factory.Controller, error) {
	if config.OperatorClient == nil || len(config.Informers) == 0 || config.Clock == nil || config.SyncContext == nil {
		return nil, errors.New("building the watches controller: a field of its Config is not set")
	}
	c := &controller{operatorClient: config.OperatorClient, clock: config.Clock, others: map[string]bool{}, watchErrors: map[string]health.WatchError{}}
	for _, resource := range config.Others {
		if config.Informers[resource] == nil {
			return nil, fmt.Errorf("building the watches controller: %q is somebody else's kind, and is not among the informers", resource)
		}
		c.others[resource] = true
	}
	for resource, listen := range config.Informers {
		if err := listen(func(ctx context.Context, reflector *cache.Reflector, err error) {
			cache.DefaultWatchErrorHandler(ctx, reflector, err)
			if c.record(resource, err) {
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

// record stores an error for a resource if the API server has rejected the request, and reports whether it stored the error. It ignores
// expired resource versions and 429 responses, which are normal. For resources of other projects, it ignores all errors except missing
// permissions.
func (c *controller) record(resource string, err error) bool {
	var answer apierrors.APIStatus
	switch {
	case !errors.As(err, &answer) || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) || apierrors.IsTooManyRequests(err):
		return false
	case c.others[resource] && !apierrors.IsForbidden(err) && !apierrors.IsUnauthorized(err):
		return false // other failures of another project's kind are reported by that project
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	before := c.watchErrors[resource]
	before.Resource = resource
	next := before.Next(err.Error(), c.clock.Now())
	next.NotServed = apierrors.IsNotFound(err)
	c.watchErrors[resource] = next
	return true
}

func (c *controller) sync(ctx context.Context, syncCtx factory.SyncContext) error {
	c.lock.Lock()
	watchErrors := make([]health.WatchError, 0, len(c.watchErrors))
	for _, watchError := range c.watchErrors {
		watchErrors = append(watchErrors, watchError)
	}
	c.lock.Unlock()
	condition, next := health.WatchCondition(watchErrors, c.clock.Now())
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
