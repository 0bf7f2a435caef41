package apiserver

import utilruntime "k8s.io/apimachinery/pkg/util/runtime"

// PrepareProcess makes a process fit for clusters in bubbles. Kubernetes' libraries slow a process down that reports errors in a hot loop,
// by the time of the process's last error; in a bubble, whose time begins in the year 2000, that would sleep for decades. Call it once,
// in TestMain, before anything else. Errors are still logged.
func PrepareProcess() {
	utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1]
}
