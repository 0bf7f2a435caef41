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

// ToError calls work and returns its error. If work panics, it returns the panic as an error and logs it with the stack. The error for a
// panic begins with action, for example "rendering …".
func ToError(action string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			klog.Errorf("%s panicked: %v\n%s", action, cause, debug.Stack())
			err = fmt.Errorf("%s: the manager ran into a fault of its own: %s; its log has the stack, which whoever maintains it needs", action, truncate.OneLine(fmt.Sprint(cause), maxCause))
		}
	}()
	return work()
}
