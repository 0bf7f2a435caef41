package operator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"time"

	"k8s.io/client-go/util/workqueue"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/health"
)

// reasonSyncError is library-go's reason for a controller whose sync fails.
const reasonSyncError = "SyncError"

// Round configures RunOnce.
type Round struct {
	// Seed selects the order of the controllers of a stage, and of the keys of a controller.
	Seed uint64
	// IsSelected reports whether a controller runs. If it is nil, all controllers run.
	IsSelected func(controller string) bool
	// BeforeSync is called before each sync of a controller for a key. It may be nil.
	BeforeSync func(controller, key string)
}

// RoundStatus says how the syncs of a controller ended. The values are those of multi-operator-manager.
type RoundStatus string

// The statuses. A controller with several keys has the last one in this order that a key has.
const (
	RoundSkipped   RoundStatus = "Skipped"
	RoundSucceeded RoundStatus = "Succeeded"
	RoundFailed    RoundStatus = "Failed"
	RoundPanicked  RoundStatus = "Panicked"
)

// RoundResult is the result of the syncs of one controller.
type RoundResult struct {
	Controller string
	Status     RoundStatus
	// Errors are those of the keys, sorted.
	Errors []RoundError
	// Requeues are the keys that the syncs asked to be synced again, sorted.
	Requeues []Requeue
}

// RoundError is the error of a sync.
type RoundError struct {
	Key string
	Err error
	// Stack is the stack of a panic; empty if the sync returned the error.
	Stack string
}

// Requeue is a key that is to be synced again.
type Requeue struct {
	Key string
	// After is the time until then. It is 0 if the next sync has something to do already.
	After time.Duration
}

// ForgetKinds makes the next sync read which kinds the cluster serves.
func (o *Operator) ForgetKinds() { o.forgetKinds() }

// RunOnce runs one round: it syncs each controller once for each key that the caches hold, in the order in which data passes through the
// controllers. The caches must have synced, Input.AwaitTasks must be true, and Run must not be called. A failed sync does not end the round.
//
// Results are sorted by controller. RunOnce returns an error if the context ends; the results of controllers that did not run are then
// missing.
func (o *Operator) RunOnce(ctx context.Context, round Round) ([]RoundResult, error) {
	random := rand.New(rand.NewPCG(round.Seed, 0)) //nolint:gosec // the order is not a secret, and has to be reproducible
	ordered := slices.Clone(o.controllers)
	random.Shuffle(len(ordered), func(i, j int) { ordered[i], ordered[j] = ordered[j], ordered[i] })
	slices.SortStableFunc(ordered, func(a, b controller) int { return cmp.Compare(a.stage, b.stage) })
	var results []RoundResult
	var ended error
	for _, each := range ordered {
		result := RoundResult{Controller: each.Name(), Status: RoundSkipped}
		if round.IsSelected == nil || round.IsSelected(each.Name()) {
			result, ended = each.syncAll(ctx, round, random)
		}
		results = append(results, result)
		if ended != nil {
			break
		}
	}
	slices.SortFunc(results, func(a, b RoundResult) int { return cmp.Compare(a.Controller, b.Controller) })
	return results, ended
}

// ShutDown shuts down the queues. A caller that does not call Run has to call it when it is done.
func (o *Operator) ShutDown() {
	for _, each := range o.controllers {
		each.syncContext.Queue().ShutDown()
	}
}

// syncAll syncs each key of a controller once. It returns an error if the context ends; the result also has that error.
func (c controller) syncAll(ctx context.Context, round Round, random *rand.Rand) (RoundResult, error) {
	requeued := map[string]time.Duration{}
	var errs []RoundError
	for _, group := range c.keys() {
		random.Shuffle(len(group), func(i, j int) { group[i], group[j] = group[j], group[i] })
		for _, key := range group {
			if ctx.Err() != nil {
				ended := fmt.Errorf("before the sync of controller %s for %q: %w", c.Name(), key, context.Cause(ctx))
				return c.resultOf(append(errs, RoundError{Key: key, Err: ended}), requeued), ended
			}
			delete(requeued, key) // this sync is the one that was asked for
			syncCtx := onceContext{keyedContext{c.syncContext, key}, onceQueue{c.syncContext.Queue(), requeued}}
			if failed := c.syncKey(ctx, round, syncCtx); failed != nil {
				errs = append(errs, *failed)
			}
		}
	}
	return c.resultOf(errs, requeued), nil
}

// resultOf returns the result of the syncs so far.
func (c controller) resultOf(errs []RoundError, requeued map[string]time.Duration) RoundResult {
	result := RoundResult{Controller: c.Name(), Status: RoundSucceeded, Errors: errs}
	for _, each := range errs {
		if result.Status != RoundPanicked {
			result.Status = RoundFailed
		}
		if each.Stack != "" {
			result.Status = RoundPanicked
		}
	}
	for key, after := range requeued {
		result.Requeues = append(result.Requeues, Requeue{key, after})
	}
	slices.SortFunc(result.Errors, func(a, b RoundError) int { return cmp.Compare(a.Key, b.Key) })
	slices.SortFunc(result.Requeues, func(a, b Requeue) int { return cmp.Compare(a.Key, b.Key) })
	return result
}

// syncKey runs one sync, and returns its error or panic.
func (c controller) syncKey(ctx context.Context, round Round, syncCtx onceContext) (failed *RoundError) {
	defer func() {
		if cause := recover(); cause != nil {
			failed = &RoundError{Key: syncCtx.key, Err: fmt.Errorf("panic: %v", cause), Stack: string(debug.Stack())}
			_ = c.reportDegraded(ctx, fmt.Errorf("panic caught:\n%v", cause)) // library-go's text; it returns the same error
		}
	}()
	if round.BeforeSync != nil {
		round.BeforeSync(c.Name(), syncCtx.key)
	}
	err := c.reportDegraded(ctx, c.Sync(ctx, syncCtx))
	if errors.Is(err, factory.SyntheticRequeueError) {
		syncCtx.Queue().Add(syncCtx.key)
		return nil
	}
	if err != nil {
		return &RoundError{Key: syncCtx.key, Err: err}
	}
	return nil
}

// reportDegraded sets the condition that library-go's factory sets after each sync of a controller that has WithSyncDegradedOnError, with the
// same field manager. It returns the error of the sync, or if there is none, the error of the write.
func (c controller) reportDegraded(ctx context.Context, syncErr error) error {
	if c.degraded == nil {
		return syncErr
	}
	condition := applyoperatorv1.OperatorCondition().WithType(c.Name() + "Degraded").WithStatus(operatorv1.ConditionFalse).WithReason(health.ReasonAsExpected)
	if syncErr != nil {
		condition.WithStatus(operatorv1.ConditionTrue).WithReason(reasonSyncError).WithMessage(syncErr.Error())
	}
	err := c.degraded.ApplyOperatorStatus(ctx, factory.ControllerFieldManager(c.Name(), "reportDegraded"), applyoperatorv1.OperatorStatus().WithConditions(condition))
	if syncErr != nil {
		return syncErr
	}
	return err
}

// onceContext is the SyncContext of a sync in RunOnce.
type onceContext struct {
	keyedContext
	queue onceQueue
}

// Queue returns the queue that records the keys to sync again.
func (c onceContext) Queue() workqueue.RateLimitingInterface { return c.queue } //nolint:staticcheck // the type in factory.SyncContext

// onceQueue records the keys that a sync adds. Nothing takes them from the queue.
type onceQueue struct {
	workqueue.RateLimitingInterface
	requeued map[string]time.Duration
}

// Add implements workqueue.TypedInterface.
func (q onceQueue) Add(item any) { q.AddAfter(item, 0) }

// AddRateLimited implements workqueue.TypedRateLimitingInterface.
func (q onceQueue) AddRateLimited(item any) { q.AddAfter(item, 0) }

// AddAfter implements workqueue.TypedDelayingInterface. It keeps the shortest delay of a key.
func (q onceQueue) AddAfter(item any, after time.Duration) {
	key, isKey := item.(string)
	if before, isKnown := q.requeued[key]; isKey && (!isKnown || after < before) {
		q.requeued[key] = max(after, 0)
	}
}
