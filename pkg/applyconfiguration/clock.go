package applyconfiguration

import (
	"time"

	"k8s.io/utils/clock"
)

// frozenClock returns the same time during a run. Its timers follow the wall clock, so that timeouts and delays end.
type frozenClock struct {
	clock.RealClock
	now time.Time
}

// Now implements clock.PassiveClock.
func (c frozenClock) Now() time.Time { return c.now }

// Since implements clock.PassiveClock.
func (c frozenClock) Since(since time.Time) time.Duration { return c.now.Sub(since) }
