package revision

import (
	"fmt"
	"strings"

	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// MaxMessage is the maximum length of a message of a condition or an Event, in bytes.
	MaxMessage = 1024
	// maxObstacle is the maximum length of the cause in a failure message, in bytes. It leaves space for the sentence about the rollback.
	maxObstacle = 600
	// maxFailureMessage is the maximum length of failureMessage that its schema permits, in bytes.
	maxFailureMessage = 1024
)

// Message converts a text to the message of a condition or an Event: one line of valid UTF-8 with at most MaxMessage bytes. It replaces
// several full stops at the end with one.
func Message(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for strings.HasSuffix(text, "..") {
		text = strings.TrimSuffix(text, ".")
	}
	return truncate.OneLine(text, MaxMessage)
}

// truncated returns the text, cut to at most limit bytes. A text that was cut ends with "…".
func truncated(text string, limit int) string {
	return truncate.Bytes(strings.ToValidUTF8(text, ""), limit)
}

// sentence joins an action and its obstacle, which may be empty.
func sentence(action, obstacle string) string {
	if obstacle == "" {
		return action + "."
	}
	return action + ": " + obstacle + "."
}

// countObjects returns the number of a revision's objects as text.
func countObjects(of *Revision) string { return counted(of.Objects) }

// counted returns a number of objects as text.
func counted(objects int) string {
	if objects == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", objects)
}

// allObjects returns the subject and the verb of a sentence about all objects. of says whose objects they are, such as " of revision 2"; it
// may be empty.
func allObjects(number int, of string) string {
	if number == 1 {
		return "1 object" + of + " is"
	}
	return fmt.Sprintf("All %d objects%s are", number, of)
}

// obstacle returns the first known reason why the target is not complete; empty if there is none.
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

// missedDeadline returns a sentence without a full stop that says why the desired revision missed its deadline.
func (m *Machine) missedDeadline() string {
	text := fmt.Sprintf("%s did not become complete and healthy within its deadline of %s", m.desired.title(), limitOf(m.in.Deployment.Spec))
	if obstacle := m.obstacle(); obstacle != "" {
		text += ": " + truncated(obstacle, maxObstacle)
	}
	return strings.TrimRight(text, ". ")
}
