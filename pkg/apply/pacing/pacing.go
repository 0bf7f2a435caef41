// Package pacing limits the concurrent requests of one call of the engine, and the time for which it writes.
package pacing

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// parallel is the maximum number of objects of one phase that a call handles concurrently. Concurrency hides the latency of the API server.
// The API server protects itself with API Priority and Fairness.
const parallel = 8

// writeTime is the time after which a call begins no more writes. The call then returns, so that the controller can report progress.
const writeTime = 2 * time.Second

// Each calls do for 0 to count-1, at most parallel at a time, and returns when all calls have returned.
func Each(count int, do func(i int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i := range count {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	group.Wait()
}

// Window is the time in which one call may begin writes. It does not close before the first write, so that every call makes progress. It is
// safe for concurrent use.
type Window struct {
	clock  clock.PassiveClock
	start  time.Time
	writes atomic.Int64
}

// NewWindow returns the window of a call that begins now.
func NewWindow(clock clock.PassiveClock) *Window { return &Window{clock: clock, start: clock.Now()} }

// Wrote records that the call has written an object.
func (w *Window) Wrote() { w.writes.Add(1) }

// IsClosed reports whether the call must not begin another write.
func (w *Window) IsClosed() bool { return w.writes.Load() > 0 && w.clock.Since(w.start) > writeTime }
