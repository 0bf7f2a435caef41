// Package spec runs specs of the openshift-tests extension. A spec is a name, labels and a function, which gets clients of the cluster,
// Gomega's assertions, a log, and cleanups that run however it ends.
//
// openshift-tests-extension accepts any function as a test. It also accepts Ginkgo, but only as a fork. Package specs has the specs, and
// main turns them into tests of the extension. This package does not read the environment.
package spec

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/onsi/gomega"
)

const (
	// limit bounds the duration of a spec.
	limit = 15 * time.Minute
	// pollInterval is the interval at which a state is read until it is as expected.
	pollInterval = 250 * time.Millisecond
)

// Spec is one test.
type Spec struct {
	// Name identifies the spec. It never changes, and has no generated values or quantities.
	Name string
	// OriginalName is the first name of a renamed spec; otherwise empty.
	OriginalName string
	// Labels are labels of openshift-tests, such as "Serial".
	Labels []string
	// Run is the test. A failed assertion or Skip ends it.
	Run func(ctx context.Context, t *T)
}

// Limits bound waits.
type Limits struct {
	// Timeout bounds the wait for a state.
	Timeout time.Duration
	// Cleanup bounds each cleanup.
	Cleanup time.Duration
}

// Outcome is the result of a spec.
type Outcome struct {
	// Skipped is why the spec was skipped. Failures has a text for each failure. Both are empty if the spec passed.
	Skipped  string
	Failures []string
	// Log is the spec's output.
	Log string
}

// T is one run of a spec. Its assertions are Gomega's; Eventually uses the run's timeout.
type T struct {
	*gomega.WithT
	*Cluster

	timeout  time.Duration
	cleanups []func(context.Context)
	log      strings.Builder
	skipped  string
	failures []string
}

// Try runs a spec on a cluster, and then its cleanups, also after a failure, a timeout or an interrupt. A failed cleanup is a failure of
// the spec, and the other cleanups still run.
func (s Spec) Try(ctx context.Context, cluster *Cluster, limits Limits) Outcome {
	t := &T{Cluster: cluster}
	t.WithT = gomega.NewWithT(t)
	t.EnforceDefaultTimeoutsWhenUsingContexts() // else a state that never comes is waited for until the limit
	t.setTimeout(limits.Timeout)
	t.SetDefaultEventuallyPollingInterval(pollInterval)
	t.SetDefaultConsistentlyDuration(2 * time.Second)
	t.SetDefaultConsistentlyPollingInterval(pollInterval)

	limited, cancel := context.WithTimeout(ctx, limit)
	t.recoverPanics(func() { s.Run(limited, t) })
	cancel()
	t.setTimeout(limits.Cleanup)
	for _, cleanup := range slices.Backward(t.cleanups) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.Cleanup)
		t.recoverPanics(func() { cleanup(limited) })
		cancel()
	}
	return Outcome{Skipped: t.skipped, Failures: t.failures, Log: t.log.String()}
}

// setTimeout sets the timeout of waits from now on.
func (t *T) setTimeout(timeout time.Duration) {
	t.timeout = timeout
	t.SetDefaultEventuallyTimeout(timeout)
}

// recoverPanics calls a function in its own goroutine, so that the function may end it, and records a panic as a failure.
func (t *T) recoverPanics(call func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if cause := recover(); cause != nil {
				t.failures = append(t.failures, fmt.Sprintf("panic: %v\n%s", cause, debug.Stack()))
			}
		}()
		call()
	}()
	<-done
}

// Cleanup registers a cleanup for the end of the spec; the last one runs first. It gets its own context. It is called once, so it should
// Retry.
func (t *T) Cleanup(cleanup func(context.Context)) { t.cleanups = append(t.cleanups, cleanup) }

// Skip ends the spec as skipped, with a reason.
func (t *T) Skip(format string, args ...any) {
	t.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// Logf adds a line to the output of the run.
func (t *T) Logf(format string, args ...any) { fmt.Fprintf(&t.log, format+"\n", args...) }

// Step logs the next step.
func (t *T) Step(text string) { t.Logf("STEP: %s", text) }

// Helper does nothing. Gomega calls it before it reports a failure.
func (t *T) Helper() {}

// Fatalf records a failure and ends the spec. Gomega calls it for a failed assertion.
func (t *T) Fatalf(format string, args ...any) {
	t.failures = append(t.failures, strings.TrimSpace(fmt.Sprintf(format, args...)))
	runtime.Goexit()
}
