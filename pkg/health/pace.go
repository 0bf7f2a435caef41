package health

import (
	"slices"
	"time"

	operatorv1 "github.com/openshift/api/operator/v1"
)

// MessagePause is the least time between two writes of conditions that differ only in their messages. While ten operators are installed
// at once the ClusterOperator would else be written for each step of each of them, with an Event each time.
const MessagePause = 2 * time.Second

// Pace holds back writes of conditions of which only messages changed. The zero value is ready; it is for one goroutine at a time.
type Pace struct {
	wrote time.Time
}

// Wait is how long conditions have to wait that are to be written now over those that are stored; zero when they need not. A condition
// that is new, or that has another status or reason, never waits.
func (p *Pace) Wait(now time.Time, stored, wanted []operatorv1.OperatorCondition) time.Duration {
	changed := false
	for _, each := range wanted {
		i := slices.IndexFunc(stored, func(before operatorv1.OperatorCondition) bool { return before.Type == each.Type })
		if i < 0 || stored[i].Status != each.Status || stored[i].Reason != each.Reason {
			return 0
		}
		changed = changed || stored[i].Message != each.Message
	}
	if !changed {
		return 0
	}
	return max(p.wrote.Add(MessagePause).Sub(now), 0)
}

// Wrote notes that conditions were written.
func (p *Pace) Wrote(now time.Time) { p.wrote = now }
