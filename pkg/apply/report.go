package apply

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/reconcile"
)

// Report is the result of Apply or Observe.
type Report struct {
	// Total is the number of the bundle's objects. Ready is the number of those that exist as declared and pass their probe.
	Total, Ready int
	// Unready lists the reasons why objects are not ready, for at most the first 10 of these objects, in the order of the phases.
	Unready []string
	// Command is the kubectl command that shows the first object that exists but is not ready. It is empty if a different problem comes
	// first.
	Command string
	// Complete is true if every object of every phase is as declared. Changes that the drift policy does not repair have no effect on
	// Complete.
	Complete bool
	// Phases is the number of phases that were reconciled. HasLaterRound is true if the other phases have to wait for another round of a
	// process that ends after each one, because this call has written objects.
	Phases        int
	HasLaterRound bool
	// MissingKinds are the kinds of objects of the reconciled phases that the cluster does not serve and the set does not define, in the
	// order of the objects and without duplicates.
	MissingKinds []schema.GroupVersionKind
	// Waiting is the reason why the next phase cannot start yet, so that Apply must be called again later; empty if there is none.
	Waiting string
	// Created and Updated are the names of the written objects, at most 10 each. Writes is the number of all written objects.
	Created, Updated []string
	Writes           int
	// Written is true if an object of the bundle was written, or may have been: the API server may have executed a write although its
	// response was lost. Exists is true if an object of the bundle was found that belongs to the owner. Both ignore the objects that NewSet
	// adds: the install namespace and a ClusterRole.
	Written, Exists bool
	// Drift holds the changes by other clients, newest first, at most 20. Repaired changes are reported once. Changes that are not repaired
	// (Reported, Contested) are reported by every call with the same paths and time. Drifted is true if a declared field or object is not
	// as declared and is not repaired for now.
	Drift   []corev1alpha2.DriftRecord
	Drifted bool
	// Unread is true if an object's kind cannot be listed or watched, or is not listed in time. It is then not known whether the object has
	// drifted.
	Unread bool
	// Repaired is the number of objects that this call repaired, including those that exceed the limit of Drift.
	Repaired int
	// Warnings are the API server's warnings for the requests of this call, without duplicates, at most 20.
	Warnings []string
	// NamespaceSeen is true if this call found the install namespace. Preexisting is true if the manager did not create it.
	NamespaceSeen, Preexisting bool
	// NamespaceUID is the UID of the install namespace; empty if this call did not read it, or must not use it.
	NamespaceUID types.UID
	// RetryAfter is the time until the next call, if no watch reports the awaited event; otherwise zero.
	RetryAfter time.Duration

	// applied is the number of the bundle's objects that are as declared. postponed is the number of objects that the next call must write.
	applied, postponed int
}

func (r *Report) addUnread(each outcome) {
	var wait *object.WaitError
	r.Unread = r.Unread || each.unread || errors.As(each.reconciled.Err, &wait) && wait.Unread
}

// isAnswered reports whether it is known if the object was written. After a transient error this is unknown, because only the response to
// the write may have been lost.
func isAnswered(each reconcile.Outcome) bool {
	return each.Err == nil || object.IsWait(each.Err) || object.IsRefusal(each.Err)
}

// add adds the outcomes of one phase.
func (r *Report) add(set *Set, state *ownerState, outcomes []outcome) {
	for _, each := range outcomes {
		r.addMissing(set, each.reconciled)
		r.addWarnings(state.warnings, each)
		r.addWrites(state, each.reconciled)
		r.addDrift(each.reconciled)
		r.addUnread(each)
		r.addReadiness(each)
	}
}

// addMissing adds the kind of an object if the cluster does not serve it. It omits a kind that the set defines, because the cluster will
// serve it soon.
func (r *Report) addMissing(set *Set, each reconcile.Outcome) {
	kind := each.Desired.GVK
	if meta.IsNoMatchError(each.Err) && !set.Defines(kind.GroupKind()) && !slices.Contains(r.MissingKinds, kind) {
		r.MissingKinds = append(r.MissingKinds, kind)
	}
}

// addWrites adds the writes of one object, and the state of the install namespace.
func (r *Report) addWrites(state *ownerState, each reconcile.Outcome) {
	desired := each.Desired
	r.retry(each.RetryAfter)
	r.Written = r.Written || !desired.IsAdded && (each.Created || each.Updated || !isAnswered(each))
	r.Exists = r.Exists || !desired.IsAdded && each.Live != nil && each.Live.Owner == state.name
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

// addDrift adds the changes that other clients made to one object.
func (r *Report) addDrift(each reconcile.Outcome) {
	r.Drift = append(r.Drift, each.Drift...)
	r.Drifted = r.Drifted || each.Drifted
	if each.Repaired {
		r.Repaired++
	}
}

// addReadiness counts one object as applied and ready if it is, and adds its problem otherwise. A postponed object is not reported as
// unready.
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
	if each.problem != "" && len(r.Unready) == 0 && done.Err == nil && done.Live != nil && !each.unread {
		r.Command = cmp.Or(each.command, done.Desired.Key.DescribeCommand())
	}
	if each.problem != "" && len(r.Unready) < maxListed {
		r.Unready = append(r.Unready, each.problem)
	}
}

// maxListed is the maximum length of Created, Updated and Unready.
const maxListed = 10

func listed(names []string, key Key) []string {
	if len(names) < maxListed {
		names = append(names, key.String())
	}
	return names
}

// wait makes the report incomplete, and records the reason and the time until the next call; zero means waitTime. After several calls of
// wait, the report holds the first reason and the shortest time.
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
