package reconcile

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// reconciliation is the state of one call of Reconcile for one object.
type reconciliation struct {
	options *Options
	policy  *policy
	cache   *livecache.Cache
	writer  writer
	desired *object.Desired
	// before is the cached state of the object from earlier calls.
	before objectState
	trust  drift.Trust
	// current is the object that readCurrent has read, for use in the first attempt to change it; otherwise nil.
	current *unstructured.Unstructured
	// written is the time of the manager's last write of the live object; zero until it is compared.
	written metav1.Time
	result  Outcome
}

// wasApplied reports whether the object is known to have matched its current declaration before. If so, every difference is a change by
// another client. False means that this is unknown, for example after a restart.
func (r *reconciliation) wasApplied() bool { return r.trust != drift.NothingKnown }

// leavesChanges reports whether changes by other clients are not repaired. It returns false if it is unknown whether the object has ever
// matched its declaration, because its differences may then not be changes.
func (r *reconciliation) leavesChanges() bool {
	return r.wasApplied() && (r.options.ReadOnly || r.policy.drift != corev1alpha2.DriftEnforce)
}

func (r *reconciliation) comparison() drift.Comparison {
	return drift.Comparison{Manager: r.options.Claim.Owner.Manager(), Trust: r.trust, Ignored: r.policy.ignored(r.desired.Key)}
}

// readCurrent reads an object from the API server, because its cached version is older than the one in Memory; nil if the object does not
// exist. If the live object is older than the one in Memory as well, the cluster was restored from a backup. The manager may then own
// fields with the values of an earlier revision, so that only a write makes sure that the object is as declared. Otherwise the watch is
// behind. The live object then takes precedence over the cache, as it does after a write, and the drift policy applies to it.
func (r *reconciliation) readCurrent(ctx context.Context) (*livecache.Live, error) {
	found, err := r.writer.get(ctx)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s, whose cached version is out of date: %w", r.desired.Key, err)
	}
	r.current = found
	live, err := r.cache.Remember(found)
	if err == nil && r.before.isNewerThan(live) {
		r.forget(live.ResourceVersion)
	}
	return live, err
}

// forget drops the cached state of an object that was restored from a backup. version is the current resourceVersion of the object.
func (r *reconciliation) forget(version string) {
	r.before, r.trust = objectState{version: version}, drift.NothingKnown
	r.options.Memory.setState(r.desired.Key, r.before)
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

// reportMissing reports the absence of an object that is not in the cache and must not be created. It reads the object first, because an
// object that has lost the owner labels is not watched. With DriftIgnoreAll it only sets Left.
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

// reconcileExisting reconciles an object that exists and has not been compared in this state before.
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
		r.result.Err = r.options.Claim.Refusal(r.desired.Key, live, verdict)
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

// reconcileOwned reconciles an object that belongs to the owner. Either it is as declared, or other clients have changed it, or the current
// declaration is not applied yet. An object that was restored from a backup is applied regardless of the drift policy: without
// managedFields, changes by other clients cannot be detected.
func (r *reconciliation) reconcileOwned(ctx context.Context, live *unstructured.Unstructured, reason ownership.Reason) {
	r.written = writeTime(live, r.options.Claim.Owner.Manager())
	if r.trust == drift.WrittenNow && r.before.isFromBackup(r.written) {
		r.forget(live.GetResourceVersion())
	}
	declared := r.desired.Object()
	all := r.comparison().Differences(declared, live)
	differences := r.before.withoutNormalized(all)
	// A marked object must be written even if it is as declared.
	marked := object.IsMarkedOrphan(r.desired.Key, live) || object.HasOwnerReference(live, r.options.Claim.Owner) || reason == ownership.Restored
	// If it is unknown whether the object was applied as it is now declared, it may hold a field that is no longer declared. Applying the
	// object removes that field.
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

// retryNormalized applies an object again if it has changed since it was last compared, but differs only in normalized fields. The change
// may affect how the API server stores these fields. The apply usually changes nothing. It counts as a repair, so that it is repeated less
// and less often.
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
