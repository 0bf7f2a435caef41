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

// teardown is one call of Remove.
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
	// left is true if the object still exists. why is what its removal waits for, if that is known.
	left bool
	why  string
	// inUse is whether users have custom resources of it; stuck is whether its deletion takes longer than stuckAfter. Either needs
	// an admin.
	inUse, stuck bool
	// checking is whether the object is a namespace whose check has no answer yet.
	checking bool
	// deleted is whether this call deleted it.
	deleted bool
	// kept is why the object stays.
	kept string
	err  error
}

// phase removes the objects of one phase, some at a time.
func (t *teardown) phase(ctx context.Context, phase object.Phase) ([]removed, error) {
	results, errs := make([]removed, len(phase.Objects)), make([]error, len(phase.Objects))
	pacing.Each(len(phase.Objects), func(i int) {
		results[i] = t.removeObject(ctx, phase.Objects[i])
		errs[i] = results[i].err
	})
	return results, object.Foremost(errs)
}

// removeObject removes one object, unless an earlier call has finished with it or it is to be kept.
func (t *teardown) removeObject(ctx context.Context, desired *object.Desired) removed {
	if kept, done := t.memory.isDone(desired.Key); done {
		return removed{key: desired.Key, kept: kept}
	}
	if slices.ContainsFunc(t.keep, func(other *object.Set) bool { return other.Has(desired.Key) }) {
		return removed{key: desired.Key}
	}
	if t.window.IsClosed() {
		return removed{key: desired.Key, left: true} // the next call continues here; the controller reports the progress in between
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
