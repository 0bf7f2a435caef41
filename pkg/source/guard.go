package source

import (
	"fmt"
	"runtime/debug"

	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxCause bounds the text of a panic in an error, in bytes: that text may contain the input.
const maxCause = 200

// Guard does work whose input is made by others, and makes an error of a panic in it: what one bundle sets off must not end
// the process that all the others are kept by. The stack goes to the log. What is what was done, for example "rendering …".
func Guard(what string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			klog.Errorf("%s panicked: %v\n%s", what, cause, debug.Stack())
			err = fmt.Errorf("%s: the manager ran into a fault of its own: %s; its log has the stack, which whoever maintains it needs", what, truncate.OneLine(fmt.Sprint(cause), maxCause))
		}
	}()
	return work()
}
