package perturb

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// Pattern is a kind of perturbation.
type Pattern string

const (
	// Restart ends the operator right after one of its writes. Another process starts from the cluster as it is after the write.
	Restart Pattern = "restart"
	// StaleRestart is like Restart, and the lists with which the new process begins are as old as an earlier event. The watches after them
	// replay what came later.
	StaleRestart Pattern = "stale restart"
	// MergedEvent withholds an event until the next event of the same object replaces it. The operator sees the object before the first event
	// and after the second one.
	MergedEvent Pattern = "merged event"
	// DelayedEvent delays an event, and what follows in the same watches. Watches of other kinds go on.
	DelayedEvent Pattern = "delayed event"
	// RestoredSnapshot restores the cluster, at the end of a step, to its content after an earlier write of the step, while the operator runs.
	RestoredSnapshot Pattern = "restored snapshot"
	// UnseenStep performs a step and the next one at once, and merges the events of the object that both change. The operator does not see the
	// object between the steps.
	UnseenStep Pattern = "unseen step"
)

// Perturbation is a change of one run of a story. Steps, writes and events count from 1.
type Perturbation struct {
	Pattern Pattern
	// Step is the number of the perturbed step.
	Step int
	// Write is the number of the operator's write in the step, for Restart, StaleRestart and RestoredSnapshot; 0 is the verb of the step.
	Write int
	// Lag is the age of the lists of a StaleRestart, as a number of writes of all clients.
	Lag int
	// Event is the event that is merged or delayed, and Nth is its number among the events of its object in the step.
	Event scenario.Event
	Nth   int

	// write describes the write for String.
	write string
}

// String returns the perturbation in one line, such as `step 2: restart after write 7 (create deployments.apps "memo/memo")`. Within a
// Recording it is unique.
func (p Perturbation) String() string {
	switch p.Pattern {
	case Restart, RestoredSnapshot:
		return fmt.Sprintf("step %d: %s after write %d (%s)", p.Step, p.Pattern, p.Write, p.write)
	case StaleRestart:
		return fmt.Sprintf("step %d: %s after write %d (%s), %d writes behind", p.Step, p.Pattern, p.Write, p.write, p.Lag)
	case UnseenStep:
		return fmt.Sprintf("step %d: %s", p.Step, p.Pattern)
	}
	name := strings.TrimPrefix(p.Event.Namespace+"/"+p.Event.Name, "/")
	return fmt.Sprintf("step %d: %s %d of %s %s (%s)", p.Step, p.Pattern, p.Nth, p.Event.Resource, name, strings.ToLower(string(p.Event.Type)))
}
