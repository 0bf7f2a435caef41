// Package panics makes errors of panics. Work whose input others made must not end the manager's process, which all operators depend
// on. It knows nothing of the work; whatever reads content or catalogs calls it.
package panics

import (
	"fmt"
	"runtime/debug"

	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxCause limits the text of a panic in an error, in bytes: the text may contain the input.
const maxCause = 200

// ToError runs work and returns its error, or the panic in it as one. The stack goes to the log. The action is what an error says was
// done, for example "rendering …".
func ToError(action string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			klog.Errorf("%s panicked: %v\n%s", action, cause, debug.Stack())
			err = fmt.Errorf("%s: the manager ran into a fault of its own: %s; its log has the stack, which whoever maintains it needs", action, truncate.OneLine(fmt.Sprint(cause), maxCause))
		}
	}()
	return work()
}
