package reconcile

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

// dryRun sends the declared object as a dry run. It returns the fields that the API server would change, with the digests of their values,
// as in objectState.normalized. If the API server refuses the dry run, the result is nil. A dry run is needed once after a restart, and
// only if no write provides the same information.
func (r *reconciliation) dryRun(ctx context.Context, declared, live *unstructured.Unstructured) (map[string]digest, error) {
	answer, err := r.writer.dryRun(ctx, r.comparison().WithLive(declared, live), live)
	switch {
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err):
		return nil, nil // the fields remain unknown
	case err != nil:
		return nil, fmt.Errorf("asking what would become of %s: %w", r.desired.Key, err)
	}
	comparison := r.comparison()
	comparison.Trust = drift.WrittenNow
	return digestsOf(comparison.Differences(declared, answer)), nil
}

// accept records that an object is as declared, and removes or reports the fields that other clients added.
func (r *reconciliation) accept(ctx context.Context, declared, live *unstructured.Unstructured) {
	added := r.additions(declared, live)
	if len(added) > 0 && r.policy.additions == corev1alpha2.AdditionsRemove && !r.options.ReadOnly {
		r.removeAdditions(ctx, added)
		return
	}
	r.recordStanding(r.records(corev1alpha2.DriftAdded, corev1alpha2.DriftReported, changesOf(added)), false)
}

// leave reports a change and the added fields, and writes nothing. With DriftIgnoreAll it reports only the added fields.
func (r *reconciliation) leave(kind corev1alpha2.DriftChange, changes []drift.Change, added []drift.Addition) {
	records := r.records(corev1alpha2.DriftAdded, corev1alpha2.DriftReported, changesOf(added))
	reported := r.policy.drift != corev1alpha2.DriftIgnoreAll
	if reported {
		records = append(r.records(kind, corev1alpha2.DriftReported, changes), records...)
	}
	r.result.Left = !r.options.ReadOnly
	r.recordStanding(records, reported)
}

// recordStanding sets the drift of the result. It stores the drift in Memory, for the current state of the object, so that the object is
// not compared again until it changes. If the current declaration was never applied, it stores nothing, because the object may have fields
// that are no longer declared.
func (r *reconciliation) recordStanding(records []corev1alpha2.DriftRecord, drifted bool) {
	r.result.Drift, r.result.Drifted = records, drifted
	if !r.wasApplied() {
		return
	}
	state := r.before
	state.declared, state.policy, state.live = r.desired.Digest, r.policy.digest, digest{}
	state.standing, state.drifted = records, drifted
	if !r.written.IsZero() {
		state.written = r.written
	}
	if r.result.Live != nil {
		state.live = r.result.Live.Digest
	}
	r.options.Memory.setState(r.desired.Key, state)
}

func (r *reconciliation) records(kind corev1alpha2.DriftChange, outcome corev1alpha2.DriftOutcome, changes []drift.Change) []corev1alpha2.DriftRecord {
	return recordsOf(recordedChange{r.desired.Key, kind, outcome}, changes, r.before.standing, r.options.Clock.Now())
}

// isContested reports whether the repair of a change must wait, because the object was repaired too often recently. If so, it records the
// change as contested and sets RetryAfter.
func (r *reconciliation) isContested(kind corev1alpha2.DriftChange, changes []drift.Change) bool {
	wait := r.before.contention.wait(r.options.Clock.Now())
	if wait == 0 {
		return false
	}
	r.result.Left, r.result.RetryAfter = true, wait
	r.recordStanding(r.records(kind, corev1alpha2.DriftContested, changes), kind != corev1alpha2.DriftAdded)
	r.invalidate() // because no event ends the wait
	return true
}

// invalidate makes the next call compare the object again.
func (r *reconciliation) invalidate() {
	state, _ := r.options.Memory.state(r.desired.Key)
	state.live = digest{}
	r.options.Memory.setState(r.desired.Key, state)
}

// recordRepair reports a change that was repaired, and adds the repair to the contention of the object.
func (r *reconciliation) recordRepair(kind corev1alpha2.DriftChange, changes []drift.Change) {
	now := r.options.Clock.Now()
	state, _ := r.options.Memory.state(r.desired.Key)
	state.contention = state.contention.repaired(now)
	r.options.Memory.setState(r.desired.Key, state)
	r.result.Repaired = true
	r.result.Drift = append(r.records(kind, corev1alpha2.DriftRepaired, changes), state.standing...)
}
