package apply

import (
	"context"
	"errors"
	"fmt"
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
	// waitTime is when to look again at what is waited for if no watch reports it.
	waitTime = 2 * time.Second
	// immediately asks for the next call without delay.
	immediately = time.Millisecond
)

// Options say how a set is applied.
type Options struct {
	// As is who writes the objects; by default the manager.
	As Identity
	// Gated lets a phase begin only when the objects of the earlier phases that it depends on are ready. A revision that was complete once
	// is kept without it: a Deployment that fails today is no reason to leave the rest unrepaired.
	Gated bool
	// Trusted is true if this set, and no later one, was applied completely before. After a restart, the engine then distinguishes drift
	// from changes by the API server without a request.
	Trusted bool
	// ReadOnly only looks: nothing is written.
	ReadOnly bool
	// Adoption is which objects that exist already may be adopted; empty means SamePackage.
	Adoption corev1alpha2.Adoption
	// Applied are sets of the owner's revisions that were applied completely: an object that one of them lists and that has the owner
	// labels is the owner's, even if a backup restored it without managedFields.
	Applied []*Set
	// Namespace is the known state of the install namespace, without a read. Its Decide reports whether a namespace of another owner may be
	// used.
	Namespace plan.InstallNamespace
	// Drift is the policy for changes by others. Empty fields mean Enforce and Report; with policy Ignore, additions are ignored, too.
	Drift corev1alpha2.Drift
}

// Apply makes a set's objects as declared, as far as its phases allow, and checks their health. Calling it again continues where it
// stopped; while nothing has changed it sends nothing. A call that has much to write returns after some seconds and asks to be called again
// at once, so that progress is reported and other owners have their turn. A *Refusal among the errors names an object that an admin has to
// see to. The report is valid in any case.
func (e *Engine) Apply(ctx context.Context, set *Set, options Options) (Report, error) {
	call := e.newCall(set, options)
	report := Report{Total: set.Len(), Complete: true}
	var failed error
	for _, phase := range set.Phases() {
		outcomes, err := call.phase(ctx, phase)
		report.add(call.state, outcomes)
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
			continue // what one phase lacks is no reason to leave the others unrepaired
		}
		if err != nil || report.postponed > 0 {
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
	return report, failed
}

// call is one call of Apply or Observe.
type call struct {
	engine     *Engine
	set        *Set
	state      *ownerState
	window     *pacing.Window
	reconciler *reconcile.Reconciler
}

func (e *Engine) newCall(set *Set, options Options) *call {
	state, window := e.stateOf(set.Owner().Name), pacing.NewWindow(e.clock)
	return &call{engine: e, set: set, state: state, window: window, reconciler: reconcile.New(reconcile.Options{
		Claim: object.Claim{Owner: set.Owner(), Adoption: options.Adoption, Applied: options.Applied, Deployments: e.deployments},
		As:    options.As.Or(e.manager), Trusted: options.Trusted, ReadOnly: options.ReadOnly, Namespace: options.Namespace, Drift: options.Drift,
		Memory: state.objects, Window: window, Clock: e.clock,
	})}
}

// outcome is the result for one object.
type outcome struct {
	reconciled reconcile.Outcome
	// problem is why the object is not ready, in one line; empty if it is.
	problem string
	// warnings are those of the API server.
	warnings []string
}

func errorsOf(outcomes []outcome) []error {
	var errs []error
	for _, each := range outcomes {
		errs = append(errs, each.reconciled.Err)
	}
	return errs
}

// phase reconciles the objects of one phase, some at a time. The outcomes hold the errors of their objects, also those that objects have in
// common, such as a kind that is not served.
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
	if result.reconciled.Created || result.reconciled.Updated {
		c.window.Wrote()
	}
	result.problem = c.problemOf(ctx, &result.reconciled)
	return result
}

// notFound is the outcome of an object whose resource cannot be used.
func notFound(desired *object.Desired, err error) outcome {
	result := outcome{reconciled: reconcile.Outcome{Desired: desired, Err: named(desired.Key, err)}}
	result.problem = missing(result.reconciled)
	return result
}

// named adds the object's name to the reason for which its kind waits.
func named(key Key, err error) error {
	var wait *object.WaitError
	if !errors.As(err, &wait) {
		return err
	}
	return &object.WaitError{Reason: key.String() + " " + wait.Reason, After: wait.After, Cause: wait.Cause}
}

// lookup is the resource of a kind, or why it cannot be used.
type lookup struct {
	resource livecache.Resource
	err      error
}

// find finds the resource of each kind of a phase, and has all caches filled at the same time.
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
