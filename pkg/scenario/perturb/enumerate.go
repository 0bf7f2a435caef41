package perturb

import (
	"slices"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// staleLags are the ages of the lists of StaleRestart, as numbers of writes of all clients. The lag back to the beginning of the step is
// always added. If the step creates an object of the same name as an object that was deleted before the step, a lag is added with which the
// lists have the former object.
var staleLags = []int{1, 3, 10}

// Perturbations returns all perturbations of the story, in the order of its steps.
func (r *Recording) Perturbations() []Perturbation {
	var all []Perturbation
	for i, step := range r.steps {
		if !step.after.IsRunning {
			continue // the story ends the operator here, so another end of it changes nothing
		}
		for j, write := range step.writes {
			at := Perturbation{Step: step.number, Write: j, write: describe(write.request)}
			at.Pattern = Restart
			all = append(all, at)
			at.Pattern = RestoredSnapshot
			all = append(all, at)
			for _, lag := range lags(step, write) {
				at.Pattern, at.Lag = StaleRestart, lag
				all = append(all, at)
			}
		}
		all = append(all, eventPerturbations(step.number, step.events)...)
		if i+1 < len(r.steps) && isUnseen(step, r.steps[i+1]) {
			all = append(all, Perturbation{Pattern: UnseenStep, Step: step.number})
		}
	}
	return all
}

// lags returns how many writes of all clients the lists after a restart are behind. The oldest lists are those from before the step.
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
		deleted, isRepeated := step.former[keyOf(event)]
		if event.Type == watch.Added && isRepeated && event.Revision <= write.cluster.Revision() {
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

// isUnseen reports whether an UnseenStep can perturb a step: it and the next one change the same object, which the operator watches. After
// a deletion that waits for finalizers, the next step cannot be performed at once.
func isUnseen(step, next recordedStep) bool {
	isWatched := slices.ContainsFunc(step.events, func(event scenario.Event) bool { return event == step.first })
	return isWatched && isSameObject(step.first, next.first) && (step.Verb != "delete" || step.first.Type == watch.Deleted)
}

// objectKey identifies the objects of one name, of which at most one exists at a time.
type objectKey struct{ resource, namespace, name string }

func keyOf(event scenario.Event) objectKey {
	return objectKey{event.Resource.String(), event.Namespace, event.Name}
}

func isSameObject(a, b scenario.Event) bool { return keyOf(a) == keyOf(b) }
