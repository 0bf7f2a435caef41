// Package pacing bounds how many requests one call of the engine has under way, and for how long it writes.
package pacing

import (
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

// parallel is how many objects of one phase are worked on at once. It hides the latency of the API server, which protects itself by
// priority and fairness: it answers "too many requests" where it has to.
const parallel = 8

// writeTime is how long one call writes before it returns, so that the controller reports progress.
const writeTime = 2 * time.Second

// Each calls do for 0 to count-1, at most 8 at a time, and returns when all have returned.
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

// Window is the time in which one call writes. It closes only after a first write, so that every call makes progress.
type Window struct {
	clock  clock.PassiveClock
	start  time.Time
	writes atomic.Int64
}

// NewWindow returns the window of a call that begins now.
func NewWindow(clock clock.PassiveClock) *Window { return &Window{clock: clock, start: clock.Now()} }

// Wrote counts a write.
func (w *Window) Wrote() { w.writes.Add(1) }

// IsClosed reports whether the call must not begin another write.
func (w *Window) IsClosed() bool { return w.writes.Load() > 0 && w.clock.Since(w.start) > writeTime }
