// Package spec is what specifications of the openshift-tests extension are made of: a name, labels and a function, and what
// that function is given: clients of the cluster, Gomega's assertions, a log, and clean-ups that run however it ends.
//
// openshift-tests-extension takes any function as a test; Ginkgo, which it also takes, would have to be a fork there. The
// package does not know what is specified and does not read the environment; package specs has the specifications, and main
// turns them into tests of the extension.
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
	// limit is for how long a specification may run, whatever it waits for.
	limit = 15 * time.Minute
	// often is how often a state is looked at that is waited for.
	often = 250 * time.Millisecond
)

// Spec is one specification.
type Spec struct {
	// Name is what it is known as for ever: no generated values, no quantities.
	Name string
	// OriginalName is what it was called first; empty unless it was renamed.
	OriginalName string
	// Labels are openshift-tests' own, such as "Serial".
	Labels []string
	// Run tries it. It ends early by an assertion that does not hold, or by Skip.
	Run func(ctx context.Context, t *T)
}

// Limits are for how long things are waited for.
type Limits struct {
	// Patience is for a state to come.
	Patience time.Duration
	// Cleanup is for each clean-up, whatever the specification has taken before.
	Cleanup time.Duration
}

// Outcome is how a specification ended.
type Outcome struct {
	// Skipped says why it was not tried, and Failures what does not hold, one text for each; both empty when all of it holds.
	Skipped  string
	Failures []string
	// Log is what it said.
	Log string
}

// T is one run of a specification. Its assertions are Gomega's, with the run's patience as their limit.
type T struct {
	*gomega.WithT
	*Cluster

	patience time.Duration
	cleanups []func(context.Context)
	log      strings.Builder
	skipped  string
	failures []string
}

// Try runs a specification against a cluster, and its clean-ups after it, also when the specification failed, ran out of time or
// was interrupted. What a clean-up could not put back is a failure of the specification, and the other clean-ups still run.
func (s Spec) Try(ctx context.Context, cluster *Cluster, limits Limits) Outcome {
	t := &T{Cluster: cluster}
	t.WithT = gomega.NewWithT(t)
	t.EnforceDefaultTimeoutsWhenUsingContexts() // else a state that never comes is waited for until the limit
	t.wait(limits.Patience)
	t.SetDefaultEventuallyPollingInterval(often)
	t.SetDefaultConsistentlyDuration(2 * time.Second)
	t.SetDefaultConsistentlyPollingInterval(often)

	limited, cancel := context.WithTimeout(ctx, limit)
	t.guard(func() { s.Run(limited, t) })
	cancel()
	t.wait(limits.Cleanup)
	for _, cleanup := range slices.Backward(t.cleanups) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), limits.Cleanup)
		t.guard(func() { cleanup(limited) })
		cancel()
	}
	return Outcome{Skipped: t.skipped, Failures: t.failures, Log: t.log.String()}
}

// wait sets how long a state is waited for from now on.
func (t *T) wait(patience time.Duration) {
	t.patience = patience
	t.SetDefaultEventuallyTimeout(patience)
}

// guard calls a function in a goroutine of its own, which it may end, and notes a panic as a failure.
func (t *T) guard(call func()) {
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

// Cleanup has something put back when the specification has ended, the last one first. It has a context of its own, and should
// Persist: nobody calls it again.
func (t *T) Cleanup(cleanup func(context.Context)) { t.cleanups = append(t.cleanups, cleanup) }

// Skip ends the specification as one that cannot be tried here, with the reason why.
func (t *T) Skip(format string, args ...any) {
	t.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// Logf adds a line to what is told of the run, whatever its outcome.
func (t *T) Logf(format string, args ...any) { fmt.Fprintf(&t.log, format+"\n", args...) }

// Step says what is done next.
func (t *T) Step(text string) { t.Logf("STEP: %s", text) }

// Helper is Gomega's way to ask; nothing has to be marked.
func (t *T) Helper() {}

// Fatalf notes a failure and ends the specification: Gomega's way to say that an assertion does not hold.
func (t *T) Fatalf(format string, args ...any) {
	t.failures = append(t.failures, strings.TrimSpace(fmt.Sprintf(format, args...)))
	runtime.Goexit()
}
