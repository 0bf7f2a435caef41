package apply

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// leaves says that what others changed is left as it is. What was never as declared is no change of others.
func (t task) leaves() bool {
	return t.known() && (t.options.ReadOnly || t.rules.policy != corev1alpha2.DriftEnforce)
}

// missing creates an object that is not there, or leaves it so.
func (t task) missing(ctx context.Context, result *outcome) {
	switch {
	case t.leaves():
		t.leaveMissing(ctx, result)
		return
	case t.options.ReadOnly:
		return
	case t.memory.isUnusable(t.entry.key.Namespace):
		result.err = waitFor("%s is created when its namespace can be used", t.entry.key)
		return
	case t.known() && t.contested(corev1alpha2.DriftDeleted, []drift.Change{{}}, result):
		return
	case t.pass.over():
		result.postponed = true
		return
	}
	live, created, err := t.create(ctx, t.entry)
	if err != nil || created {
		result.live, result.created, result.err = live, created, err
		if created && err == nil && t.known() {
			t.repaired(corev1alpha2.DriftDeleted, []drift.Change{{}}, result)
		}
		return
	}
	t.present(ctx, live, result)
}

// leaveMissing tells of an object that is not in the cache: it was deleted, or has lost the labels that it is watched by.
func (t task) leaveMissing(ctx context.Context, result *outcome) {
	if t.rules.policy == corev1alpha2.DriftIgnoreAll {
		result.left = !t.options.ReadOnly
		return
	}
	found, err := t.client(t.entry.key).Get(ctx, t.entry.key.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		t.leave(corev1alpha2.DriftDeleted, []drift.Change{{}}, nil, result)
		return
	}
	if err != nil {
		result.err = fmt.Errorf("reading %s: %w", t.entry.key, err)
		return
	}
	live, err := look(found)
	if err != nil {
		result.err = err
		return
	}
	t.present(ctx, live, result)
}

// settle judges an object of the owner's: it is as declared, or changed by others, or not yet what is declared now. One that a
// backup brought back is applied whatever the drift policy: without the record of field managers nobody can tell what others changed.
func (t task) settle(ctx context.Context, live *unstructured.Unstructured, ours ownership.Reason, result *outcome) {
	declared := t.entry.declared()
	all := t.compare().Differences(declared, live)
	differences, marked := t.before.news(all), orphanMarked(t.entry.key, live) || tied(live, t.owner) || ours == ownership.Restored
	// Of what is not known to have been declared like this before nobody can tell whether it holds a field that is declared
	// no longer: that goes by applying.
	if len(differences) == 0 && !marked && (t.known() || t.options.ReadOnly) {
		if len(all) == 0 || t.leaves() || t.options.ReadOnly {
			t.settled(ctx, declared, live, result)
		} else {
			t.tryAgain(ctx, t.compare().Attributed(all, live), result)
		}
		return
	}
	changedByOthers := t.known() && !marked
	if changedByOthers && t.leaves() && t.trust == drift.WrittenBefore {
		if t.before.odd, result.err = t.ask(ctx, declared, live); result.err != nil {
			return
		}
		if differences = t.before.news(differences); len(differences) == 0 {
			t.settled(ctx, declared, live, result)
			return
		}
	}
	changes := t.compare().Attributed(differences, live)
	switch {
	case changedByOthers && t.leaves():
		t.leave(corev1alpha2.DriftEdited, changes, t.additions(declared, live), result)
	case t.options.ReadOnly:
	case changedByOthers && t.contested(corev1alpha2.DriftEdited, changes, result):
	case t.pass.over():
		result.postponed = true
	default:
		var did changed
		result.live, did, result.err = t.change(ctx, t.entry)
		result.updated = did.written
		if changedByOthers && did.repaired {
			t.repaired(corev1alpha2.DriftEdited, changes, result)
		}
	}
}

// tryAgain applies an object in which what the API server never took as it was declared is as before, and something else
// has changed, which may be what it made of it instead. Mostly nothing comes of it, so that it is damped like a repair.
func (t task) tryAgain(ctx context.Context, changes []drift.Change, result *outcome) {
	if result.again = t.before.fight.wait(t.clock.Now()); result.again > 0 {
		result.drift = t.before.standing
		return
	}
	if t.pass.over() {
		result.postponed = true
		return
	}
	var did changed
	result.live, did, result.err = t.change(ctx, t.entry)
	result.updated = did.written
	switch {
	case did.repaired:
		t.repaired(corev1alpha2.DriftEdited, changes, result)
	case result.err == nil:
		state, _ := t.memory.stateOf(t.entry.key)
		state.fight = state.fight.repaired(t.clock.Now())
		t.memory.setState(t.entry.key, state)
		result.drift = state.standing
	}
}

// ask has the API server say what it would make of the object, without writing anything: what it would leave as it is was
// changed by nobody. It is needed once after a restart, and only where nothing is written that would tell.
func (t task) ask(ctx context.Context, declared, live *unstructured.Unstructured) (map[string]digest, error) {
	wanted, dry := t.compare().WithLive(declared, live), []string{metav1.DryRunAll}
	encoded, err := json.Marshal(wanted.Object)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", t.entry.key, err)
	}
	answer, err := t.client(t.entry.key).Patch(ctx, t.entry.key.Name, types.ApplyPatchType, encoded,
		metav1.PatchOptions{FieldManager: t.owner.Manager(), Force: ptr.To(true), DryRun: dry})
	if unappliable(err) {
		answer, err = t.client(t.entry.key).Update(ctx, t.written(wanted, live, false), metav1.UpdateOptions{FieldManager: t.owner.Manager(), DryRun: dry})
	}
	switch {
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) || apierrors.IsForbidden(err):
		return nil, nil // it cannot tell
	case err != nil:
		return nil, fmt.Errorf("asking what would become of %s: %w", t.entry.key, err)
	}
	compare := t.compare()
	compare.Trust = drift.WrittenNow
	return oddities(compare.Differences(declared, answer)), nil
}

// settled notes that an object is as declared, and sees to what others added to it.
func (t task) settled(ctx context.Context, declared, live *unstructured.Unstructured, result *outcome) {
	added := t.additions(declared, live)
	if len(added) > 0 && t.rules.additions == corev1alpha2.AdditionsRemove && !t.options.ReadOnly {
		t.takeAway(ctx, added, result)
		return
	}
	t.stand(t.records(corev1alpha2.DriftAdded, corev1alpha2.DriftReported, changesOf(added)), false, result)
}

func (t task) additions(declared, live *unstructured.Unstructured) []drift.Addition {
	if t.rules.additions == corev1alpha2.AdditionsIgnore {
		return nil
	}
	return t.compare().Additions(declared, live)
}

func changesOf(added []drift.Addition) []drift.Change {
	var changes []drift.Change
	for _, each := range added {
		changes = append(changes, each.Change)
	}
	return changes
}

// leave tells of a change and of what was added beside it, and writes nothing; who ignores drift is not told.
func (t task) leave(kind corev1alpha2.DriftChange, changes []drift.Change, added []drift.Addition, result *outcome) {
	records := t.records(corev1alpha2.DriftAdded, corev1alpha2.DriftReported, changesOf(added))
	told := t.rules.policy != corev1alpha2.DriftIgnoreAll
	if told {
		records = append(t.records(kind, corev1alpha2.DriftReported, changes), records...)
	}
	result.left = !t.options.ReadOnly
	t.stand(records, told, result)
}

// stand remembers what stands in the state that the object is in. It is looked at again when the object changes. What was
// never applied as it is declared now is not remembered as if it had been: it may hold what is declared no longer.
func (t task) stand(records []corev1alpha2.DriftRecord, drifted bool, result *outcome) {
	result.drift, result.drifted = records, drifted
	if !t.known() {
		return
	}
	state := t.before
	state.declared, state.rules, state.seen = t.entry.digest, t.rules.digest, digest{}
	state.standing, state.drifted = records, drifted
	if result.live != nil {
		state.seen = result.live.digest
	}
	t.memory.setState(t.entry.key, state)
}

func (t task) records(kind corev1alpha2.DriftChange, outcome corev1alpha2.DriftOutcome, changes []drift.Change) []corev1alpha2.DriftRecord {
	return recordsOf(drifted{t.entry.key, kind, outcome}, changes, t.before.standing, t.clock.Now())
}

// contested says whether a change has to wait because it was put back too often lately, and tells so.
func (t task) contested(kind corev1alpha2.DriftChange, changes []drift.Change, result *outcome) bool {
	wait := t.before.fight.wait(t.clock.Now())
	if wait == 0 {
		return false
	}
	result.left, result.again = true, wait
	t.stand(t.records(kind, corev1alpha2.DriftContested, changes), kind != corev1alpha2.DriftAdded, result)
	t.forgetState() // the wait ends without an event
	return true
}

// forgetState has the object looked at again in the next call.
func (t task) forgetState() {
	state, _ := t.memory.stateOf(t.entry.key)
	state.seen = digest{}
	t.memory.setState(t.entry.key, state)
}

// repaired tells of a change that was put back, and counts it.
func (t task) repaired(kind corev1alpha2.DriftChange, changes []drift.Change, result *outcome) {
	now := t.clock.Now()
	state, _ := t.memory.stateOf(t.entry.key)
	state.fight = state.fight.repaired(now)
	t.memory.setState(t.entry.key, state)
	result.repaired = true
	result.drift = append(t.records(kind, corev1alpha2.DriftRepaired, changes), state.standing...)
}

// takeAway removes what others added, by a write of the object as it is without that, which the API server takes only if
// nobody has changed the object meanwhile. What must not be removed, or cannot be, is told of instead.
func (t task) takeAway(ctx context.Context, added []drift.Addition, result *outcome) {
	removable := false
	for _, each := range added {
		removable = removable || each.Removable()
	}
	if !removable {
		t.stand(t.records(corev1alpha2.DriftAdded, corev1alpha2.DriftReported, changesOf(added)), false, result)
		return
	}
	if t.contested(corev1alpha2.DriftAdded, changesOf(added), result) {
		return
	}
	if t.pass.over() {
		result.postponed = true
		return
	}
	found, err := t.client(t.entry.key).Get(ctx, t.entry.key.Name, metav1.GetOptions{})
	if err != nil {
		result.err = writeError("reading", t.entry.key, err)
		return
	}
	declared := t.entry.declared()
	trimmed, taken := t.compare().Without(t.compare().Additions(declared, found), declared, found)
	if len(taken) == 0 || !t.owner.isOurs(found, t.options.Applied) || found.GetDeletionTimestamp() != nil {
		t.forgetState() // the cache is behind, and its event will come
		return
	}
	after, err := t.client(t.entry.key).Update(ctx, trimmed, metav1.UpdateOptions{FieldManager: t.owner.Manager()})
	switch {
	case apierrors.IsConflict(err):
		t.forgetState()
		return
	case apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err):
		t.stand(t.records(corev1alpha2.DriftAdded, corev1alpha2.DriftReported, changesOf(added)), false, result)
		return
	case err != nil:
		result.err = writeError("updating", t.entry.key, err)
		return
	}
	result.updated = after.GetResourceVersion() != found.GetResourceVersion()
	if result.live, result.err = t.remember(t.entry, after); result.updated && result.err == nil {
		t.repaired(corev1alpha2.DriftAdded, changesOf(taken), result)
	}
}
