package perturb

import (
	"github.com/openshift/platform-operators/pkg/scenario"
)

// staleLags are the ages of the lists of StaleRestart, as numbers of writes of all clients. The longest lag of a step, back to its
// beginning, is always added.
var staleLags = []int{1, 3, 10}

// Perturbations returns all perturbations of the story, in the order of its steps.
func (r *Recording) Perturbations() []Perturbation {
	var all []Perturbation
	for i, step := range r.steps {
		number := i + 1
		for j, write := range step.writes {
			at := Perturbation{Step: number, Write: j + 1, write: describe(write.request)}
			at.Pattern = Restart
			all = append(all, at)
			at.Pattern = RestoredSnapshot
			all = append(all, at)
			for _, lag := range lags(step, write) {
				at.Pattern, at.Lag = StaleRestart, lag
				all = append(all, at)
			}
		}
		all = append(all, eventPerturbations(number, step.events)...)
		if i+1 < len(r.steps) && isUnseen(step, r.steps[i+1]) {
			all = append(all, Perturbation{Pattern: UnseenStep, Step: number})
		}
	}
	return all
}

// lags returns how many writes of all clients the lists after a restart are behind. The oldest lists are those from before the step.
func lags(step recordedStep, write recordedWrite) []int {
	longest := int(write.cluster.Revision() - step.before.Cluster.Revision())
	var found []int
	for _, lag := range staleLags {
		if lag < longest {
			found = append(found, lag)
		}
	}
	if longest > 0 {
		found = append(found, longest)
	}
	return found
}

// eventPerturbations returns a DelayedEvent for each event, and a MergedEvent for each event that another event of the same object follows.
func eventPerturbations(step int, events []scenario.Event) []Perturbation {
	type key struct{ resource, namespace, name string }
	keyOf := func(e scenario.Event) key { return key{e.Resource.String(), e.Namespace, e.Name} }
	number := map[key]int{}
	total := map[key]int{}
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

// isUnseen reports whether an UnseenStep can perturb a step: it and the next one change the same object, which the operator watches.
func isUnseen(step, next recordedStep) bool {
	return step.first.Name != "" && isSameObject(step.first, next.first) && len(step.events) > 0
}

func isSameObject(a, b scenario.Event) bool {
	return a.Resource == b.Resource && a.Namespace == b.Namespace && a.Name == b.Name
}
