package source

import (
	"fmt"
	"runtime/debug"
	"strings"

	"k8s.io/klog/v2"
)

// Guard does work whose input is made by others, and makes an error of a panic in it: what one bundle sets off must not end
// the process that all the others are kept by. The stack goes to the log. What is what was done, for example "rendering …".
func Guard(what string, work func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			klog.Errorf("%s panicked: %v\n%s", what, cause, debug.Stack())
			err = fmt.Errorf("%s: the manager ran into a fault of its own: %s; its log has the stack, which whoever maintains it needs", what, shortened(cause))
		}
	}()
	return work()
}

func shortened(cause any) string {
	const limit = 200
	text := fmt.Sprint(cause)
	if len(text) > limit {
		text = text[:limit] + "…"
	}
	return strings.ToValidUTF8(text, "")
}
