package apply

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Report is what became of a set.
type Report struct {
	// Total and Ready count the bundle's objects, and those of them that are as declared and pass their probe.
	Total, Ready int
	// Unready names the first objects that are not, and why, in the order of the phases.
	Unready []string
	// Look is a command that tells more of the first of them; empty where nothing is there to be looked at.
	Look string
	// Complete says that every object of every phase is as declared.
	Complete bool
	// Phases is how many phases were worked on.
	Phases int
	// Waiting says what the next phase waits for; empty when nothing is.
	Waiting string
	// Created and Updated name what was written, at most 10 each; Writes counts all of it.
	Created, Updated []string
	Writes           int
	// Written says that an object of the bundle was written, or may have been: a write without an answer may have come through. Seen
	// says that one is there as the owner's. What the engine adds itself, the install namespace and a ClusterRole, is neither.
	Written, Seen bool
	// Drift is what others changed, newest first, at most 20: what this call put back (Repaired), told once, and what stands
	// (Reported, Contested), told in every call with the same paths and time for as long as it does, so that a standing
	// record that is not among them any more is over. Drifted says that something declared is not as it was declared and is
	// left so; what is left on purpose does not keep the set from being Complete.
	Drift   []corev1alpha2.DriftRecord
	Drifted bool
	// Repaired counts the objects that this call put back, also those that Drift has no room for.
	Repaired int
	// Warnings are what the API server warned of in this call's writes, each once, at most 20.
	Warnings []string
	// NamespaceSeen says that this call knows the install namespace, and Preexisting that the manager did not create it.
	NamespaceSeen, Preexisting bool
	// NamespaceUID is the UID of the install namespace; empty when this call did not read it, or must not use it.
	NamespaceUID types.UID
	// RetryAfter asks for another look after this time, because no watch may tell.
	RetryAfter time.Duration

	// applied counts the bundle's objects that are as declared, postponed those that are left to the next call.
	applied, postponed int
}

// outcome is what became of one object.
type outcome struct {
	item    *item
	live    *seen
	created bool
	updated bool
	// postponed: it has to be written, and will be in the next call.
	postponed bool
	err       error
	// problem says in one line why the object is not ready; empty when it is.
	problem string
	// again is when the problem is worth another look, because no watch tells when it is over.
	again time.Duration
	// warnings are what the API server warned of.
	warnings []string
	// left: the object is not as declared, or not there, and stays so for now, because of what drift's policy says or because
	// somebody changes it back each time.
	left bool
	// drift is what others did to it; drifted says that something declared is among what stands; repaired that it was put back.
	drift    []corev1alpha2.DriftRecord
	drifted  bool
	repaired bool
}

func errorsOf(outcomes []outcome) []error {
	var errs []error
	for _, each := range outcomes {
		errs = append(errs, each.err)
	}
	return errs
}

// answered says that it is known whether the object was written.
func (o outcome) answered() bool {
	var waiting *waitingError
	var refusal *Refusal
	return o.err == nil || errors.As(o.err, &waiting) || errors.As(o.err, &refusal)
}

// missing says in one line why an object is not there as it was declared; empty when it is.
func (o outcome) missing() string {
	var waiting *waitingError
	var refusal *Refusal
	switch {
	case errors.As(o.err, &waiting) || errors.As(o.err, &refusal):
		return bounded(o.err.Error())
	case o.err != nil:
		return fmt.Sprintf("%s: %s", o.item.key, bounded(o.err.Error()))
	case o.live == nil:
		return fmt.Sprintf("%s: is not there", o.item.key)
	}
	return ""
}

func (r *Report) add(memory *memory, outcomes []outcome) {
	for _, each := range outcomes {
		r.warn(memory, each)
		r.retry(each.again)
		r.Written = r.Written || !each.item.own && (each.created || each.updated || !each.answered())
		r.Seen = r.Seen || !each.item.own && each.live != nil
		if each.item.given && each.live != nil {
			r.NamespaceSeen, r.Preexisting = true, memory.isPreexisting(each.item.key.Name)
			if each.err == nil {
				r.NamespaceUID = each.live.UID
			}
		}
		if each.created {
			r.Created = listed(r.Created, each.item.key)
			r.Writes++
		}
		if each.updated {
			r.Updated = listed(r.Updated, each.item.key)
			r.Writes++
		}
		r.Drift = append(r.Drift, each.drift...)
		r.Drifted = r.Drifted || each.drifted
		if each.repaired {
			r.Repaired++
		}
		if each.err != nil || each.live == nil && !each.left || each.postponed {
			r.Complete = false
		}
		if each.postponed {
			r.postponed++
			continue // it is told as progress, not as something that is wrong
		}
		if each.err == nil && each.live != nil && !each.item.own {
			r.applied++
		}
		if each.problem == "" && !each.item.own {
			r.Ready++
		}
		if each.problem != "" && len(r.Unready) == 0 && each.err == nil && each.live != nil {
			r.Look = each.item.key.describe()
		}
		if each.problem != "" && len(r.Unready) < maxListed {
			r.Unready = append(r.Unready, each.problem)
		}
	}
}

func listed(names []string, key Key) []string {
	if len(names) < maxListed {
		names = append(names, key.String())
	}
	return names
}

// wait notes that something has to happen first. Of several the first is told, and the soonest is looked at.
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

// gates are the kinds whose readiness later phases depend upon. A PersistentVolumeClaim is none, because it may be bound
// only when a Pod of a later phase uses it, and a Service is none, because its load balancer may take for ever.
var gates = []schema.GroupKind{
	{Kind: "Namespace"},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"},
	{Group: "apps", Kind: "Deployment"},
	{Group: "apps", Kind: "StatefulSet"},
	{Group: "apps", Kind: "DaemonSet"},
	{Group: "batch", Kind: "Job"},
}

// gateOf names the first object of a phase that the next one has to wait for.
func gateOf(outcomes []outcome) string {
	for _, each := range outcomes {
		if !slices.Contains(gates, each.item.key.GroupKind) {
			continue
		}
		if each.problem != "" {
			return each.problem
		}
	}
	return ""
}
