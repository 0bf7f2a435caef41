package pacing

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestEachRunsEveryIndexOnceAndAFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls [100]atomic.Int32
		var running, most atomic.Int32
		Each(len(calls), func(i int) {
			calls[i].Add(1)
			now := running.Add(1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
				continue
			}
			time.Sleep(time.Millisecond)
			running.Add(-1)
		})
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("index %d was called %d times", i, got)
			}
		}
		if most.Load() != parallel {
			t.Errorf("%d ran at once, want %d", most.Load(), parallel)
		}
	})
}

func TestAWindowClosesAfterItsTimeAndAWrite(t *testing.T) {
	for name, c := range map[string]struct {
		passed time.Duration
		writes int
		closed bool
	}{
		"at first":                      {0, 0, false},
		"after a write in time":         {writeTime, 1, false},
		"late, and nothing was written": {time.Hour, 0, false},
		"late, after a write":           {writeTime + time.Second, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
			window := NewWindow(clock)
			clock.SetTime(clock.Now().Add(c.passed))
			for range c.writes {
				window.Wrote()
			}
			if window.IsClosed() != c.closed {
				t.Errorf("closed %v, want %v", !c.closed, c.closed)
			}
		})
	}
}
