package apiserver

import (
	"io"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// PrepareProcess makes a process fit for clusters in bubbles. Kubernetes' libraries slow a process down that reports errors in a hot loop,
// by the time of the process's last error; in a bubble, whose time begins in the year 2000, that would sleep for decades. Call it once,
// in TestMain, before anything else. Of what is logged with klog only errors are printed: an API server logs a hundred lines when it starts.
// klog.LogToStderr(true) prints everything again.
func PrepareProcess() {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
}
