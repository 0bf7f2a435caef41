package perturb

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// staleLags are the numbers of writes, by any client, by which the lists of a StaleRestart lag. Perturbations adds lists from the beginning
// of the step. If the step creates an object with the name of an object that was deleted earlier, Perturbations also adds lists that
// contain the deleted object.
var staleLags = []struct {
	writes int64
	name   string
}{{1, "1 write behind"}, {3, "3 writes behind"}, {10, "10 writes behind"}}

// lagToStepStart is the Perturbation.Lag for lists from the beginning of the step.
const lagToStepStart = "from before the step"

// Perturbations returns all perturbations of the story, in the order of its steps.
func (r *Recording) Perturbations() []Perturbation {
	var all []Perturbation
	for i, step := range r.steps {
		if !step.after.IsOperatorRunning {
			continue // the step stops the operator, so a perturbed restart has no effect
		}
		for _, write := range step.writes {
			at := Perturbation{Step: step.number, Write: write.id}
			at.Pattern = Restart
			all = append(all, at)
			at.Pattern = RestoredSnapshot
			all = append(all, at)
			at.Pattern = RestoredAfterRestart
			all = append(all, at)
			for _, lag := range lags(step, write) {
				at.Pattern, at.Lag = StaleRestart, lag.name
				all = append(all, at)
			}
		}
		all = append(all, eventPerturbations(step.number, step.events)...)
		if i+1 < len(r.steps) && canBeMerged(step, r.steps[i+1]) {
			all = append(all, Perturbation{Pattern: MergedSteps, Step: step.number})
		}
	}
	return all
}

// lag holds a Perturbation.Lag and the revision of the lists with this lag.
type lag struct {
	name     string
	revision int64
}

// lags returns the possible lags of a StaleRestart after a write, and only one lag for each revision. The lags that depend on the number of
// writes come last, because that number may vary from run to run.
func lags(step recordedStep, write recordedWrite) []lag {
	present := write.cluster.Revision()
	found := []lag{{lagToStepStart, step.start}}
	for _, event := range step.events {
		deleted, wasDeleted := step.deletions[keyOf(event)]
		if event.Type == watch.Added && wasDeleted && event.Revision <= present {
			found = append(found, lag{fmt.Sprintf("that contain the deleted %s %s", event.Resource, nameOf(event)), deleted - 1})
		}
	}
	for _, each := range staleLags {
		if revision := present - each.writes; revision > step.start {
			found = append(found, lag{each.name, revision})
		}
	}
	known := map[int64]bool{present: true}
	return slices.DeleteFunc(found, func(each lag) bool {
		isKnown := known[each.revision]
		known[each.revision] = true
		return isKnown
	})
}

// eventPerturbations returns a DelayedEvent for each event, and a MergedEvent for each event that is followed by another event of the same
// object.
func eventPerturbations(step int, events []scenario.Event) []Perturbation {
	number := map[objectKey]int{}
	total := map[objectKey]int{}
	for _, event := range events {
		total[keyOf(event)]++
	}
	var all []Perturbation
	for _, event := range events {
		nth := number[keyOf(event)] + 1
		number[keyOf(event)] = nth
		at := Perturbation{Pattern: DelayedEvent, Step: step, Event: event, Nth: nth}
		all = append(all, at)
		if nth < total[keyOf(event)] {
			at.Pattern = MergedEvent
			all = append(all, at)
		}
	}
	return all
}

// canBeMerged reports whether MergedSteps can perturb a step: the step and the next one change the same object, and the operator watches
// the object. It excludes a deletion that waits for finalizers, because the next step would still find the object that is being deleted.
func canBeMerged(step, next recordedStep) bool {
	isWatched := slices.ContainsFunc(step.events, func(event scenario.Event) bool { return event == step.first })
	return isWatched && isSameObject(step.first, next.first) && (step.Verb != "delete" || step.first.Type == watch.Deleted)
}

// objectKey identifies an object by its name. A deleted object and its successor have the same objectKey.
type objectKey struct{ resource, namespace, name string }

func keyOf(event scenario.Event) objectKey {
	return objectKey{event.Resource.String(), event.Namespace, event.Name}
}

func isSameObject(a, b scenario.Event) bool { return keyOf(a) == keyOf(b) }
