// Package panics turns panics into errors. The content of a bundle or a catalog must not end the manager's process, on which all operators
// depend. Packages that read such content call it.
package panics

import (
	"fmt"
	"runtime/debug"

	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxCause is the maximum size of a panic's text in an error, in bytes. The text may contain the input.
const maxCause = 200

// Error is a panic: an internal error of the manager. Its text has the remedy.
type Error struct {
	// Action is what the manager did, for example "rendering …". Cause is the panic's text, on one line.
	Action, Cause string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: internal error of the manager: %s; report it with the stack trace in the manager's log", e.Action, e.Cause)
}

// ToError calls work and returns its error. If work panics, it returns an *Error and logs the panic with the stack. action is the Action of
// the Error.
func ToError(action string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			klog.Errorf("%s panicked: %v\n%s", action, cause, debug.Stack())
			err = &Error{Action: action, Cause: truncate.OneLine(fmt.Sprint(cause), maxCause)}
		}
	}()
	return work()
}
