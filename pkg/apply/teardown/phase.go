package teardown

import (
	"context"
	"slices"

	"k8s.io/client-go/dynamic"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
)

// teardown is the state of one call of Remove.
type teardown struct {
	resources  *livecache.Resources
	namespaces NamespaceChecker
	clock      clock.PassiveClock
	manager    dynamic.Interface
	client     dynamic.Interface
	owner      object.Owner
	set        *object.Set
	keep       []*object.Set
	applied    []*object.Set
	memory     *Memory
	window     *pacing.Window
	deleteCRDs bool
}

// removed is the result for one object.
type removed struct {
	key object.Key
	// left is true if the object still exists. why is the reason why its removal waits; empty if it is unknown.
	left bool
	why  string
	// inUse is true if users have custom resources of the kind that the object defines. stuck is true if the deletion of the object takes
	// longer than stuckAfter. In both cases, an admin must act.
	inUse, stuck bool
	// checking is true if the object is a namespace whose check has no result yet.
	checking bool
	// deleted is true if this call sent the deletion.
	deleted bool
	// kept is the reason why the removal keeps the object; empty if it does not keep it.
	kept string
	err  error
}

// phase removes the objects of one phase, some of them concurrently. If several objects have an error, it returns the foremost one.
func (t *teardown) phase(ctx context.Context, phase object.Phase) ([]removed, error) {
	results, errs := make([]removed, len(phase.Objects)), make([]error, len(phase.Objects))
	pacing.Each(len(phase.Objects), func(i int) {
		results[i] = t.removeObject(ctx, phase.Objects[i])
		errs[i] = results[i].err
	})
	return results, object.Foremost(errs)
}

// removeObject removes one object, unless an earlier call has finished it or it is in a set to keep. If the window is closed, it leaves the
// object for the next call.
func (t *teardown) removeObject(ctx context.Context, desired *object.Desired) removed {
	if kept, done := t.memory.isDone(desired.Key); done {
		return removed{key: desired.Key, kept: kept}
	}
	if slices.ContainsFunc(t.keep, func(other *object.Set) bool { return other.Has(desired.Key) }) {
		return removed{key: desired.Key}
	}
	if t.window.IsClosed() {
		return removed{key: desired.Key, left: true} // the next call continues here, after the controller has reported the progress
	}
	result := t.removeOwned(ctx, desired)
	if result.deleted {
		t.window.Wrote()
	}
	if !result.left && result.err == nil && len(t.keep) == 0 {
		t.memory.setDone(desired.Key, result.kept)
	}
	return result
}
