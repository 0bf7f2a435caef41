package reconcile

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/drift"
)

// additions returns the fields that other clients added to an object; nil if the policy ignores them.
func (r *reconciliation) additions(declared, live *unstructured.Unstructured) []drift.Addition {
	if r.policy.additions == corev1alpha2.AdditionsIgnore {
		return nil
	}
	return r.comparison().Additions(declared, live)
}

func changesOf(added []drift.Addition) []drift.Change {
	var changes []drift.Change
	for _, each := range added {
		changes = append(changes, each.Change)
	}
	return changes
}

// removeAdditions removes the fields that other clients added, by updating the object without them. If another client has changed the
// object since, the update conflicts, and the next call tries again. Additions that must not or cannot be removed are reported.
func (r *reconciliation) removeAdditions(ctx context.Context, added []drift.Addition) {
	if !slices.ContainsFunc(added, drift.Addition.Removable) {
		r.recordStanding(r.records(corev1alpha2.DriftAdded, corev1alpha2.DriftReported, changesOf(added)), false)
		return
	}
	if r.isContested(corev1alpha2.DriftAdded, changesOf(added)) {
		return
	}
	if r.options.Window.IsClosed() {
		r.result.Postponed = true
		return
	}
	found, err := r.writer.get(ctx)
	if err != nil {
		r.result.Err = object.WriteError("reading", r.desired.Key, err)
		return
	}
	declared := r.desired.Object()
	trimmed, removed := r.comparison().Without(r.comparison().Additions(declared, found), declared, found)
	if len(removed) == 0 || !r.options.Claim.Owns(found) || found.GetDeletionTimestamp() != nil {
		r.invalidate() // the cache is out of date, and its next event queues another call
		return
	}
	if r.result.Err = r.confirm(ctx); r.result.Err != nil {
		return
	}
	after, err := r.writer.update(ctx, trimmed)
	switch {
	case apierrors.IsConflict(err):
		r.invalidate()
		return
	case apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err):
		r.recordStanding(r.records(corev1alpha2.DriftAdded, corev1alpha2.DriftReported, changesOf(added)), false)
		return
	case err != nil:
		r.result.Err = object.WriteError("updating", r.desired.Key, err)
		return
	}
	r.result.Updated = after.GetResourceVersion() != found.GetResourceVersion()
	if r.result.Live, r.result.Err = r.remember(after); r.result.Updated && r.result.Err == nil {
		r.recordRepair(corev1alpha2.DriftAdded, changesOf(removed))
	}
}
