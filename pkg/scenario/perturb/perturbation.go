package perturb

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/pkg/scenario"
)

// Pattern is a kind of perturbation.
type Pattern string

const (
	// Restart ends the operator right after one of its writes, or right after the last write of the step's verb. A new process starts from
	// the state of the cluster after that write.
	Restart Pattern = "restart"
	// StaleRestart is like Restart, but the first lists of the new process return an earlier state of the cluster (see Perturbation.Lag).
	// The watches that follow deliver the later events.
	StaleRestart Pattern = "stale restart"
	// MergedEvent withholds an event until the next event of the same object, and delivers both as one change. The operator does not see the
	// state of the object between the two events.
	MergedEvent Pattern = "merged event"
	// DelayedEvent delays an event and all later events of the same watches. Watches for other kinds of objects deliver events on time.
	DelayedEvent Pattern = "delayed event"
	// RestoredSnapshot restores the cluster, at the end of a step, to its state after an earlier write of the same step. The operator keeps
	// running.
	RestoredSnapshot Pattern = "restored snapshot"
	// RestoredAfterRestart is like RestoredSnapshot, but the operator restarts at the end of the step, before the restore. The new process
	// then knows only what it has read, not what the previous process has written.
	RestoredAfterRestart Pattern = "restart and restored snapshot"
	// MergedSteps performs a step and the next one without a pause, and merges the events of the object that both steps change. The
	// operator does not see the state of the object between the steps.
	MergedSteps Pattern = "merged steps"
)

// Perturbation is a disturbance that Recording.Run applies to one step of a story. Steps, writes and events are counted from 1. Two
// recordings of a story result in mostly the same perturbations, because no perturbation depends on the order of the operator's other
// writes.
type Perturbation struct {
	Pattern Pattern
	// Step is the number of the perturbed step.
	Step int
	// Write identifies the write after which the operator restarts, or after which the restored snapshot was taken. It is set for Restart,
	// StaleRestart, RestoredSnapshot and RestoredAfterRestart.
	Write WriteID
	// Lag says how far the lists of a StaleRestart are behind, for example "3 writes behind".
	Lag string
	// Event is the event that MergedEvent merges or DelayedEvent delays. Nth is its number among the events of the same object in the step.
	Event scenario.Event
	Nth   int
}

// WriteID identifies a write in a step. The zero value stands for the last write of the step's own verb.
type WriteID struct {
	// Request is the request in one line, without user and response, such as `create deployments.apps "memo/memo"`.
	Request string
	// Nth is the number of the write among the writes of the step with the same Request.
	Nth int
}

// String returns the write in one line.
func (w WriteID) String() string {
	if w.Request == "" {
		return "the step action"
	}
	return fmt.Sprintf("write %d (%s)", w.Nth, w.Request)
}

// String returns the perturbation in one line, such as `step 2: restart after write 1 (create deployments.apps "memo/memo")`. Within a
// Recording it is unique.
func (p Perturbation) String() string {
	switch p.Pattern {
	case Restart, RestoredSnapshot, RestoredAfterRestart:
		return fmt.Sprintf("step %d: %s after %s", p.Step, p.Pattern, p.Write)
	case StaleRestart:
		return fmt.Sprintf("step %d: %s after %s, lists %s", p.Step, p.Pattern, p.Write, p.Lag)
	case MergedSteps:
		return fmt.Sprintf("step %d: %s", p.Step, p.Pattern)
	}
	return fmt.Sprintf("step %d: %s %d of %s %s (%s)", p.Step, p.Pattern, p.Nth, p.Event.Resource, nameOf(p.Event), strings.ToLower(string(p.Event.Type)))
}

// Name returns the perturbation as a name for a subtest, such as "step 2: restart after write 1 create deployments.apps memo memo". It is
// String without the characters that separate subtests, that have a meaning in -run, or that a shell does not keep in single quotes.
func (p Perturbation) Name() string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '/':
			return ' '
		case strings.ContainsRune(`"'()[]{}*+?|^$\`, r):
			return -1
		}
		return r
	}, p.String())
}

// nameOf returns the name of an event's object, preceded by its namespace if it has one.
func nameOf(event scenario.Event) string {
	return strings.TrimPrefix(event.Namespace+"/"+event.Name, "/")
}
