package apiserver

import (
	"io"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// PrepareProcess prepares a process for API servers in bubbles. Call it once, at the beginning of TestMain. It removes the rate limit of
// Kubernetes' libraries for reported errors: the limit counts from the process's last error, so that in a bubble, whose time begins in the
// year 2000, it would sleep for decades. It also has klog print only errors, because an API server logs a hundred lines when it starts;
// klog.LogToStderr(true) prints everything again.
func PrepareProcess() {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
