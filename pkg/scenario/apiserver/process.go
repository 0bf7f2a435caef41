package apiserver

import (
	"io"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// PrepareProcess prepares a test process for API servers in testing/synctest bubbles. Call it once, at the beginning of TestMain. It
// removes the rate limit of Kubernetes' error handlers. With the limit, the handlers would sleep for decades, because time in a bubble
// begins in the year 2000. It also makes klog print errors only, because an API server logs a hundred lines when it starts.
// klog.LogToStderr(true) makes klog print everything again.
func PrepareProcess() {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
