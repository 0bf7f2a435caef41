// Package spec runs the specs of the openshift-tests extension. A spec is a function with a name and labels. It receives clients for the
// cluster, Gomega's assertions, a log, and cleanups that always run.
//
// Package specs contains the specs, and main converts them to tests of openshift-tests-extension. The specs are plain functions, because
// the extension supports Ginkgo only through a fork of Ginkgo. This package does not read environment variables.
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
	// limit is the timeout of a spec, not including its cleanups.
	limit = 15 * time.Minute
	// pollInterval is the interval between the polls of a wait.
	pollInterval = 250 * time.Millisecond
)

// Spec is one test.
type Spec struct {
	// Name identifies the spec. It must not change, and must not contain generated values or quantities.
	Name string
	// OriginalName is the first name of a spec that was renamed. It is empty for other specs.
	OriginalName string
	// Labels are openshift-tests labels, such as "Serial".
	Labels []string
	// Run is the test function. A failed assertion or a call of Skip ends it.
	Run func(ctx context.Context, t *T)
}

// Limits are the timeouts of waits.
type Limits struct {
	// Timeout is the timeout of one wait in a spec.
	Timeout time.Duration
	// Cleanup is the timeout of one cleanup.
	Cleanup time.Duration
}

// Outcome is the result of a spec.
type Outcome struct {
	// Skipped is the reason why the spec was skipped. Failures are the messages of its failures. Both are empty if the spec passed.
	Skipped  string
	Failures []string
	// Log is the output of Logf and Step.
	Log string
}

// T is the state of one run of a spec. It embeds Gomega's assertions; Eventually uses the run's timeout. T is not safe for concurrent use.
type T struct {
	*gomega.WithT
	*Cluster

	timeout  time.Duration
	cleanups []func(context.Context)
	log      strings.Builder
	skipped  string
	failures []string
}

// Try runs a spec on a cluster, and then its cleanups. Cleanups run even after a failure, a timeout or the end of ctx. A failed cleanup
// fails the spec, but the other cleanups still run.
func (s Spec) Try(ctx context.Context, cluster *Cluster, limits Limits) Outcome {
	t := &T{Cluster: cluster}
	t.WithT = gomega.NewWithT(t)
	t.EnforceDefaultTimeoutsWhenUsingContexts() // otherwise Eventually would wait until the limit
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

// setTimeout sets the timeout of later waits.
func (t *T) setTimeout(timeout time.Duration) {
	t.timeout = timeout
	t.SetDefaultEventuallyTimeout(timeout)
}

// recoverPanics calls a function in a new goroutine, because Fatalf and Skip end the goroutine. It records a panic as a failure.
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

// Cleanup registers a function to call once after the spec. Functions run in reverse order, each with its own context and timeout. A
// function should call Retry for requests that may fail.
func (t *T) Cleanup(cleanup func(context.Context)) { t.cleanups = append(t.cleanups, cleanup) }

// Skip ends the spec and reports it as skipped, with a formatted reason.
func (t *T) Skip(format string, args ...any) {
	t.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// Logf adds a formatted line to the log.
func (t *T) Logf(format string, args ...any) { fmt.Fprintf(&t.log, format+"\n", args...) }

// Step logs the start of a step.
func (t *T) Step(text string) { t.Logf("STEP: %s", text) }

// Helper implements Gomega's test interface. It does nothing.
func (t *T) Helper() {}

// Fatalf records a failure and ends the spec or the cleanup that calls it. Gomega calls it for a failed assertion.
func (t *T) Fatalf(format string, args ...any) {
	t.failures = append(t.failures, strings.TrimSpace(fmt.Sprintf(format, args...)))
	runtime.Goexit()
}
