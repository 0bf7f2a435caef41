package revision

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// MaxMessage limits the messages of conditions and Events, in bytes.
	MaxMessage = 1024
	// maxObstacle limits, in bytes, what a failure says of its cause, so that the condition's message has space for the rollback.
	maxObstacle = 600
	// maxFailureMessage keeps failureMessage, in bytes, within the maximum length in its schema.
	maxFailureMessage = 1024
)

// Message returns a text as a condition or an Event has it: on one line, of valid UTF-8, with at most MaxMessage bytes, and no
// repeated full stop at the end.
func Message(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for strings.HasSuffix(text, "..") {
		text = strings.TrimSuffix(text, ".")
	}
	return truncate.OneLine(text, MaxMessage)
}

// truncated ends what it cuts with "…".
func truncated(text string, limit int) string {
	return truncate.Bytes(strings.ToValidUTF8(text, ""), limit)
}

// sentence joins an action and what is in its way, if that is known.
func sentence(action, obstacle string) string {
	if obstacle == "" {
		return action + "."
	}
	return action + ": " + obstacle + "."
}

// countObjects returns the number of a revision's objects, in words.
func countObjects(of *Revision) string {
	if of.Objects == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", of.Objects)
}

// obstacle returns the first thing that is in the way of the target; empty if nothing is known to be.
func (m *Machine) obstacle() string {
	switch {
	case m.refusal != nil:
		return m.refusal.Error()
	case m.report.Waiting != "":
		return m.report.Waiting
	case len(m.report.Unready) > 0:
		return m.report.Unready[0]
	case m.fault != nil:
		return m.fault.Error()
	}
	return ""
}

// missedDeadline returns why the desired revision missed its deadline, without a full stop.
func (m *Machine) missedDeadline() string {
	text := fmt.Sprintf("%s is not complete and healthy after its deadline of %s", m.desired.title(), m.limit())
	if obstacle := m.obstacle(); obstacle != "" {
		text += ": " + truncated(obstacle, maxObstacle)
	}
	return strings.TrimRight(text, ". ")
}
