package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
	"github.com/openshift/platform-operators/pkg/apply/reconcile"
	"github.com/openshift/platform-operators/pkg/plan"
)

const (
	// waitTime is the delay before the next call of Apply if the current call waits for something that no watch reports.
	waitTime = 2 * time.Second
	// immediately is the delay before the next call of Apply if the current call has postponed objects.
	immediately = time.Millisecond
)

// Options are the options of Apply for one set.
type Options struct {
	// As is the identity that writes the objects. The zero Identity means the manager.
	As Identity
	// Gated delays a phase until all objects of the earlier phases are written, and those of the kinds in gates are ready. Leave Gated
	// false for a revision that was complete before: a Deployment that fails today must not delay the repair of other objects.
	Gated bool
	// Trusted is true if this set was applied completely, and no other set has been applied since, not even in part. After a restart, the
	// engine can then distinguish drift from changes by the API server without sending a request.
	Trusted bool
	// ReadOnly makes Apply only compare objects: it writes nothing.
	ReadOnly bool
	// Adoption determines which existing objects the owner may adopt; empty means SamePackage.
	Adoption corev1alpha2.Adoption
	// Applied are the sets of the owner's revisions that were applied completely. An object that has the owner labels and is in one of
	// these sets belongs to the owner, even if a backup restored it without managedFields.
	Applied []*Set
	// Namespace is the state of the install namespace. The caller must read it, because Apply does not. Its Decide method reports whether
	// the owner may use a namespace that belongs to another owner.
	Namespace plan.InstallNamespace
	// Confirm returns an error if the owner no longer exists, or if its spec differs from the one that these options were made from. Apply
	// calls it at most once, before the first write, because a cache may be out of date. After the restore of a backup, it may contain an
	// owner that does not exist; after a start, it may contain an earlier spec, for example one that is not paused. If Confirm is nil, Apply
	// does not check the owner.
	Confirm func(context.Context) error
	// Drift is the policy for changes by other clients. An empty Policy means Enforce. Empty Additions mean Report, or Ignore if Policy is
	// Ignore.
	Drift corev1alpha2.Drift
}

// Apply brings the objects of a set to their declared state, phase by phase, and checks their health. The next call continues where the
// last one stopped. While nothing has changed, Apply sends no requests. If there is much to write, Apply returns after some seconds and its
// report requests another call at once, so that progress is reported and other owners are not delayed.
//
// The report is valid even if the error is not nil. A *Refusal among the errors names an object that an admin must correct. A WaitError is
// not returned; the report contains its reason and time.
func (e *Engine) Apply(ctx context.Context, set *Set, options Options) (Report, error) {
	call := e.newCall(set, options)
	report := Report{Total: set.Len(), Complete: true}
	var failed error
	for _, phase := range set.Phases() {
		outcomes, err := call.phase(ctx, phase)
		report.add(set, call.state, outcomes)
		report.Phases++
		if err == nil {
			err = object.Foremost(errorsOf(outcomes))
		}
		var wait *object.WaitError
		switch {
		case errors.As(err, &wait):
			report.wait(wait.Reason, wait.After)
		case err != nil:
			report.Complete = false
			failed = object.Foremost([]error{failed, err})
		}
		if !options.Gated {
			continue // a failure in one phase must not prevent repairs in the others
		}
		if err != nil || report.postponed > 0 {
			break
		}
		if e.isOneRound && hasWritten(outcomes) && report.Phases < len(set.Phases()) {
			report.HasLaterRound = true
			report.wait(fmt.Sprintf("applied %d of %d phases", report.Phases, len(set.Phases())), immediately)
			break
		}
		if gate := gateOf(outcomes); gate != "" && report.Phases < len(set.Phases()) {
			report.wait(gate, waitTime)
			break
		}
	}
	if report.postponed > 0 {
		report.wait(fmt.Sprintf("applied %d of %d objects", report.applied, report.Total), immediately)
	}
	report.Drift = reconcile.Newest(report.Drift)
	return report, object.ForUser(failed, options.As.Name)
}

// hasWritten reports whether an object of a phase was written. What the only round of a process writes has no order, so that the next phase
// belongs to the next round.
func hasWritten(outcomes []outcome) bool {
	return slices.ContainsFunc(outcomes, func(each outcome) bool { return each.reconciled.Created || each.reconciled.Updated })
}

// call is the state of one call of Apply or Observe.
type call struct {
	engine *Engine
	set    *Set
	// as is the identity that applies the set. It has a client.
	as         Identity
	state      *ownerState
	window     *pacing.Window
	reconciler *reconcile.Reconciler
}

func (e *Engine) newCall(set *Set, options Options) *call {
	state, window := e.stateOf(set.Owner().Name), pacing.NewWindow(e.clock)
	return &call{engine: e, set: set, as: options.As.Or(e.manager), state: state, window: window, reconciler: reconcile.New(reconcile.Options{
		Claim: object.Claim{Owner: set.Owner(), Adoption: options.Adoption, Applied: options.Applied, Deployments: e.deployments},
		As:    options.As.Or(e.manager), Manager: e.manager, Trusted: options.Trusted, ReadOnly: options.ReadOnly, Namespace: options.Namespace, Drift: options.Drift,
		Memory: state.objects, Window: window, Clock: e.clock, Confirm: once(options.Confirm),
	})}
}

// once returns a function that calls confirm on its first call, and returns the same result on every call. Callers that arrive during the
// first call wait for it, but only until their own contexts end. If confirm is nil, once returns nil.
func once(confirm func(context.Context) error) func(context.Context) error {
	if confirm == nil {
		return nil
	}
	turn := make(chan struct{}, 1) // a channel and not a mutex, so that a caller whose context ends can stop waiting
	var result error
	isDone := false
	return func(ctx context.Context) error {
		select {
		case turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-turn }()
		if !isDone {
			result, isDone = confirm(ctx), true
		}
		return result
	}
}

// outcome is the result for one object.
type outcome struct {
	reconciled reconcile.Outcome
	// problem is the reason why the object is not ready, in one line; empty if it is ready.
	problem string
	// command is the kubectl command that shows more about the problem; empty if kubectl describe of the object shows it.
	command string
	// warnings are the API server's warnings in the responses to the requests for the object.
	warnings []string
	// unread is true if the API server denies to list or watch the object's kind, so that the cached object is out of date.
	unread bool
}

// setUnread marks an object as unread if err, the result of Resource.Unread, is not nil. The object is still reconciled, because a denied
// write names the permissions to grant.
func (o *outcome) setUnread(err error) {
	if err == nil {
		return
	}
	o.unread = true
	if o.problem == "" {
		o.problem = object.Bounded(named(o.reconciled.Desired.Key, err).Error())
	}
}

func errorsOf(outcomes []outcome) []error {
	var errs []error
	for _, each := range outcomes {
		errs = append(errs, each.reconciled.Err)
	}
	return errs
}

// phase reconciles the objects of one phase, some of them concurrently. Each outcome contains the error of its object, even if other
// objects have the same error, for example because their kind is not served. phase itself returns an error only if the context has ended.
func (c *call) phase(ctx context.Context, phase object.Phase) ([]outcome, error) {
	resources := c.find(ctx, phase)
	outcomes := make([]outcome, len(phase.Objects))
	pacing.Each(len(phase.Objects), func(i int) {
		desired := phase.Objects[i]
		if found := resources[desired.GVK]; found.err != nil {
			outcomes[i] = notFound(desired, found.err)
		} else {
			outcomes[i] = c.reconcile(ctx, desired, found.resource)
		}
	})
	for _, each := range outcomes {
		if livecache.IsResourceNotServed(each.reconciled.Err) {
			c.engine.resources.Mapper.Invalidate(each.reconciled.Desired.GVK.GroupVersion())
		}
	}
	return outcomes, ctx.Err()
}

func (c *call) reconcile(ctx context.Context, desired *object.Desired, resource livecache.Resource) outcome {
	ctx, received := collectWarnings(ctx)
	result := outcome{reconciled: c.reconciler.Reconcile(ctx, desired, resource)}
	result.warnings = received.list()
	if len(result.reconciled.Drift) > 0 && !c.mayShow(ctx, desired) {
		result.reconciled.Drift = nil
	}
	if result.reconciled.Created || result.reconciled.Updated {
		c.window.Wrote()
	}
	result.problem, result.command = c.problemOf(ctx, &result.reconciled)
	result.setUnread(resource.Unread())
	return result
}

// notFound returns the outcome, with the given error, for an object whose resource was not found.
func notFound(desired *object.Desired, err error) outcome {
	result := outcome{reconciled: reconcile.Outcome{Desired: desired, Err: named(desired.Key, err)}}
	result.problem = missing(result.reconciled)
	return result
}

// named adds the object's name to the reason of a WaitError. It returns any other error unchanged.
func named(key Key, err error) error {
	var wait *object.WaitError
	if !errors.As(err, &wait) {
		return err
	}
	return &object.WaitError{Reason: key.String() + " " + wait.Reason, After: wait.After, Cause: wait.Cause, Unread: wait.Unread}
}

// lookup is the resource of a kind, or the error from the attempt to find it.
type lookup struct {
	resource livecache.Resource
	err      error
}

// find finds the resource of each kind in a phase, and fills the resources' caches concurrently. It returns when each resource is found or
// has an error.
func (c *call) find(ctx context.Context, phase object.Phase) map[schema.GroupVersionKind]*lookup {
	resources := map[schema.GroupVersionKind]*lookup{}
	var group sync.WaitGroup
	for _, desired := range phase.Objects {
		if resources[desired.GVK] != nil {
			continue
		}
		next, kind := &lookup{}, desired.GVK
		resources[kind] = next
		group.Go(func() { next.resource, next.err = c.engine.resources.Find(ctx, c.set.Owner().Name, kind) })
	}
	group.Wait()
	return resources
}
