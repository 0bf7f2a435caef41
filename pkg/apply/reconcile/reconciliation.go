package reconcile

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// reconciliation is the work on one object.
type reconciliation struct {
	options *Options
	policy  *policy
	cache   *livecache.Cache
	writer  writer
	desired *object.Desired
	// before is the cached state of the object.
	before objectState
	trust  drift.Trust
	result Outcome
}

// wasApplied reports whether the object was once as it is declared now, so that others changed whatever is different.
func (r *reconciliation) wasApplied() bool { return r.trust != drift.NothingKnown }

// leavesChanges reports whether changes by others are left as they are. What was never as declared is no change by others.
func (r *reconciliation) leavesChanges() bool {
	return r.wasApplied() && (r.options.ReadOnly || r.policy.drift != corev1alpha2.DriftEnforce)
}

func (r *reconciliation) comparison() drift.Comparison {
	return drift.Comparison{Manager: r.options.Claim.Owner.Manager(), Trust: r.trust, Ignored: r.policy.ignored(r.desired.Key)}
}

func (r *reconciliation) reconcile(ctx context.Context, live *livecache.Live) {
	switch {
	case live == nil:
		r.reconcileMissing(ctx)
	case r.before.isCurrent(r.desired, live, r.policy):
		r.result.Live, r.result.Drift, r.result.Drifted = live, r.before.standing, r.before.drifted
	default:
		r.reconcileExisting(ctx, live)
	}
}

// reconcileMissing creates an object that is not in the cache, or leaves it missing.
func (r *reconciliation) reconcileMissing(ctx context.Context) {
	deleted := []drift.Change{{}}
	switch {
	case r.leavesChanges():
		r.reportMissing(ctx)
		return
	case r.options.ReadOnly:
		return
	case r.options.Memory.isUnusable(r.desired.Key.Namespace):
		r.result.Err = object.WaitFor("%s is created when its namespace can be used", r.desired.Key)
		return
	case r.wasApplied() && r.isContested(corev1alpha2.DriftDeleted, deleted):
		return
	case r.options.Window.IsClosed():
		r.result.Postponed = true
		return
	}
	live, created, err := r.create(ctx)
	if err != nil || created {
		r.result.Live, r.result.Created, r.result.Err = live, created, err
		if created && err == nil && r.wasApplied() {
			r.recordRepair(corev1alpha2.DriftDeleted, deleted)
		}
		return
	}
	r.reconcileExisting(ctx, live)
}

// reportMissing reports an object that is not in the cache: it was deleted, or has lost the labels by which it is watched.
func (r *reconciliation) reportMissing(ctx context.Context) {
	if r.policy.drift == corev1alpha2.DriftIgnoreAll {
		r.result.Left = !r.options.ReadOnly
		return
	}
	found, err := r.writer.get(ctx)
	if apierrors.IsNotFound(err) {
		r.leave(corev1alpha2.DriftDeleted, []drift.Change{{}}, nil)
		return
	}
	if err != nil {
		r.result.Err = fmt.Errorf("reading %s: %w", r.desired.Key, err)
		return
	}
	live, err := livecache.NewLive(found)
	if err != nil {
		r.result.Err = err
		return
	}
	r.reconcileExisting(ctx, live)
}

// reconcileExisting judges an object that exists, in another state than the one that was judged last.
func (r *reconciliation) reconcileExisting(ctx context.Context, found *livecache.Live) {
	r.result.Live = found
	live, err := found.Object()
	if err != nil {
		r.result.Err = err
		return
	}
	verdict := r.options.Claim.Decide(r.desired.Key, live)
	switch {
	case verdict.Action != ownership.Ours && r.desired.IsInstallNamespace:
		r.useNamespace(live)
	case found.DeletionTimestamp != nil && r.leavesChanges():
		r.leave(corev1alpha2.DriftDeleted, []drift.Change{{}}, nil)
	case found.DeletionTimestamp != nil:
		r.result.Err = object.WaitFor("%s is being deleted; it is created again when it is gone", r.desired.Key)
	case verdict.Action == ownership.Leave:
		r.result.Err = r.options.Claim.Owner.Refusal(r.desired.Key, live, verdict)
	case verdict.Action == ownership.Ours:
		r.reconcileOwned(ctx, live, verdict.Reason)
	case r.options.ReadOnly:
	case r.options.Window.IsClosed():
		r.result.Postponed = true
	default:
		r.result.Live, r.result.Err = r.adopt(ctx)
		r.result.Updated = r.result.Err == nil
	}
}

// reconcileOwned judges an object of the owner's: it is as declared, or others changed it, or it is not yet what is declared now. One that
// was restored from a backup is applied whatever the drift policy: without managedFields, changes by others cannot be detected.
func (r *reconciliation) reconcileOwned(ctx context.Context, live *unstructured.Unstructured, reason ownership.Reason) {
	declared := r.desired.Object()
	all := r.comparison().Differences(declared, live)
	differences := r.before.withoutNormalized(all)
	// Such an object has to be written even if it is as declared.
	marked := object.IsMarkedOrphan(r.desired.Key, live) || object.HasOwnerReference(live, r.options.Claim.Owner) || reason == ownership.Restored
	// If it is unknown whether the object was applied as it is declared now, it may hold a field that is no longer declared. Applying
	// removes that.
	if len(differences) == 0 && !marked && (r.wasApplied() || r.options.ReadOnly) {
		if len(all) == 0 || r.leavesChanges() || r.options.ReadOnly {
			r.accept(ctx, declared, live)
		} else {
			r.retryNormalized(ctx, r.comparison().Attributed(all, live))
		}
		return
	}
	changedByOthers := r.wasApplied() && !marked
	if changedByOthers && r.leavesChanges() && r.trust == drift.WrittenBefore {
		if r.before.normalized, r.result.Err = r.dryRun(ctx, declared, live); r.result.Err != nil {
			return
		}
		if differences = r.before.withoutNormalized(differences); len(differences) == 0 {
			r.accept(ctx, declared, live)
			return
		}
	}
	changes := r.comparison().Attributed(differences, live)
	switch {
	case changedByOthers && r.leavesChanges():
		r.leave(corev1alpha2.DriftEdited, changes, r.additions(declared, live))
	case r.options.ReadOnly:
	case changedByOthers && r.isContested(corev1alpha2.DriftEdited, changes):
	case r.options.Window.IsClosed():
		r.result.Postponed = true
	default:
		if did := r.change(ctx); changedByOthers && did.repaired {
			r.recordRepair(corev1alpha2.DriftEdited, changes)
		}
	}
}

// retryNormalized applies an object that differs only in fields that the API server never took as declared, and that has changed
// otherwise: the change may concern what the API server made of these fields. Usually the apply changes nothing, so it counts as a repair
// and becomes rarer.
func (r *reconciliation) retryNormalized(ctx context.Context, changes []drift.Change) {
	if r.result.RetryAfter = r.before.contention.wait(r.options.Clock.Now()); r.result.RetryAfter > 0 {
		r.result.Drift = r.before.standing
		return
	}
	if r.options.Window.IsClosed() {
		r.result.Postponed = true
		return
	}
	did := r.change(ctx)
	switch {
	case did.repaired:
		r.recordRepair(corev1alpha2.DriftEdited, changes)
	case r.result.Err == nil:
		state, _ := r.options.Memory.state(r.desired.Key)
		state.contention = state.contention.repaired(r.options.Clock.Now())
		r.options.Memory.setState(r.desired.Key, state)
		r.result.Drift = state.standing
	}
}
