package perturb

import (
	"slices"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// staleLags are values of Perturbation.Lag, in writes of all clients. Perturbations adds the lag back to the beginning of the step. If the
// step creates an object whose name an earlier, deleted object had, Perturbations also adds the lag with which the lists return the deleted
// object.
var staleLags = []int{1, 3, 10}

// Perturbations returns all perturbations of the story, in the order of its steps.
func (r *Recording) Perturbations() []Perturbation {
	var all []Perturbation
	for i, step := range r.steps {
		if !step.after.IsRunning {
			continue // the step stops the operator, so a perturbed restart has no effect
		}
		for j, write := range step.writes {
			at := Perturbation{Step: step.number, Write: j, write: describe(write.request)}
			at.Pattern = Restart
			all = append(all, at)
			at.Pattern = RestoredSnapshot
			all = append(all, at)
			at.Pattern = RestoredAfterRestart
			all = append(all, at)
			for _, lag := range lags(step, write) {
				at.Pattern, at.Lag = StaleRestart, lag
				all = append(all, at)
			}
		}
		all = append(all, eventPerturbations(step.number, step.events)...)
		if i+1 < len(r.steps) && canBeUnseen(step, r.steps[i+1]) {
			all = append(all, Perturbation{Pattern: UnseenStep, Step: step.number})
		}
	}
	return all
}

// lags returns the values of Perturbation.Lag for a StaleRestart after a write, sorted.
func lags(step recordedStep, write recordedWrite) []int {
	longest := int(write.cluster.Revision() - step.start)
	var found []int
	for _, lag := range staleLags {
		if lag < longest {
			found = append(found, lag)
		}
	}
	if longest > 0 {
		found = append(found, longest)
	}
	for _, event := range step.events {
		deleted, wasDeleted := step.deletions[keyOf(event)]
		if event.Type == watch.Added && wasDeleted && event.Revision <= write.cluster.Revision() {
			found = append(found, int(write.cluster.Revision()-deleted)+1)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// eventPerturbations returns a DelayedEvent for each event, and a MergedEvent for each event that another event of the same object follows.
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

// canBeUnseen reports whether an UnseenStep can perturb a step: the step and the next one change the same object, and the operator watches
// the object. It excludes a deletion that waits for finalizers, because the next step would meet the deleted object.
func canBeUnseen(step, next recordedStep) bool {
	isWatched := slices.ContainsFunc(step.events, func(event scenario.Event) bool { return event == step.first })
	return isWatched && isSameObject(step.first, next.first) && (step.Verb != "delete" || step.first.Type == watch.Deleted)
}

// objectKey identifies an object by its name. A deleted object and its successor have the same objectKey.
type objectKey struct{ resource, namespace, name string }

func keyOf(event scenario.Event) objectKey {
	return objectKey{event.Resource.String(), event.Namespace, event.Name}
}

func isSameObject(a, b scenario.Event) bool { return keyOf(a) == keyOf(b) }
