package apply

import (
	"time"

	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/reconcile"
)

// Report is the result of applying a set.
type Report struct {
	// Total and Ready count the bundle's objects, and those of them that are as declared and pass their probe.
	Total, Ready int
	// Unready names the first objects that are not ready, and why, in the order of the phases.
	Unready []string
	// Command shows more of the first of them; empty when it does not exist.
	Command string
	// Complete is whether every object of every phase is as declared.
	Complete bool
	// Phases is how many phases were reconciled.
	Phases int
	// Waiting is why the next phase has not started; empty if it waits for nothing.
	Waiting string
	// Created and Updated name what was written, at most 10 each; Writes counts all of it.
	Created, Updated []string
	Writes           int
	// Written is true if an object of the bundle was written, or may have been: the API server may have executed a write without an answer.
	// Exists is true if an object of the bundle exists and has the owner's identity. Both ignore what NewSet adds: the install namespace
	// and a ClusterRole.
	Written, Exists bool
	// Drift is what others changed, newest first, at most 20. What this call repaired (Repaired) is reported once. What stands (Reported,
	// Contested) is reported by every call, with the same paths and time, for as long as it stands. Drifted is whether something declared
	// is not as declared and is left so. What the policy leaves does not keep the set from being Complete.
	Drift   []corev1alpha2.DriftRecord
	Drifted bool
	// Repaired counts the objects that this call repaired, also those that exceed the limit of Drift.
	Repaired int
	// Warnings are the API server's warnings for this call's writes, each once, at most 20.
	Warnings []string
	// NamespaceSeen is whether this call knows the install namespace; Preexisting is whether the manager did not create it.
	NamespaceSeen, Preexisting bool
	// NamespaceUID is the UID of the install namespace; empty when this call did not read it, or must not use it.
	NamespaceUID types.UID
	// RetryAfter is when to call again, because no watch reports what is waited for; zero when one does.
	RetryAfter time.Duration

	// applied counts the bundle's objects that are as declared; postponed counts those that are left to the next call.
	applied, postponed int
}

// isAnswered reports whether it is known if the object was written.
func isAnswered(each reconcile.Outcome) bool {
	return each.Err == nil || object.IsWait(each.Err) || object.IsRefusal(each.Err)
}

// add adds the outcomes of one phase.
func (r *Report) add(state *ownerState, outcomes []outcome) {
	for _, each := range outcomes {
		r.addWarnings(state.warnings, each)
		r.addWrites(state, each.reconciled)
		r.addDrift(each.reconciled)
		r.addReadiness(each)
	}
}

// addWrites adds what was written of one object, and what is known of the install namespace.
func (r *Report) addWrites(state *ownerState, each reconcile.Outcome) {
	desired := each.Desired
	r.retry(each.RetryAfter)
	r.Written = r.Written || !desired.IsAdded && (each.Created || each.Updated || !isAnswered(each))
	r.Exists = r.Exists || !desired.IsAdded && each.Live != nil
	if desired.IsInstallNamespace && each.Live != nil {
		r.NamespaceSeen, r.Preexisting = true, state.objects.IsPreexisting(desired.Key.Name)
		if each.Err == nil {
			r.NamespaceUID = each.Live.UID
		}
	}
	if each.Created {
		r.Created = listed(r.Created, desired.Key)
		r.Writes++
	}
	if each.Updated {
		r.Updated = listed(r.Updated, desired.Key)
		r.Writes++
	}
}

// addDrift adds what others changed of one object.
func (r *Report) addDrift(each reconcile.Outcome) {
	r.Drift = append(r.Drift, each.Drift...)
	r.Drifted = r.Drifted || each.Drifted
	if each.Repaired {
		r.Repaired++
	}
}

// addReadiness adds whether one object is as declared and ready.
func (r *Report) addReadiness(each outcome) {
	done := each.reconciled
	if done.Err != nil || done.Live == nil && !done.Left || done.Postponed {
		r.Complete = false
	}
	if done.Postponed {
		r.postponed++
		return // it is reported as progress, not as a problem
	}
	if done.Err == nil && done.Live != nil && !done.Desired.IsAdded {
		r.applied++
	}
	if each.problem == "" && !done.Desired.IsAdded {
		r.Ready++
	}
	if each.problem != "" && len(r.Unready) == 0 && done.Err == nil && done.Live != nil {
		r.Command = done.Desired.Key.DescribeCommand()
	}
	if each.problem != "" && len(r.Unready) < maxListed {
		r.Unready = append(r.Unready, each.problem)
	}
}

// maxListed bounds lists of names in reports.
const maxListed = 10

func listed(names []string, key Key) []string {
	if len(names) < maxListed {
		names = append(names, key.String())
	}
	return names
}

// wait records that something has to happen first. Of several it reports the first, and retries after the shortest time.
func (r *Report) wait(reason string, after time.Duration) {
	r.Complete = false
	if after == 0 {
		after = waitTime
	}
	r.retry(after)
	if r.Waiting == "" {
		r.Waiting = reason
	}
}

func (r *Report) retry(after time.Duration) {
	if after > 0 && (r.RetryAfter == 0 || after < r.RetryAfter) {
		r.RetryAfter = after
	}
}
