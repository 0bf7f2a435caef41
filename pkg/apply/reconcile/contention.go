package reconcile

import (
	"time"
)

const (
	// immediateRepairs is how many repairs of an object are made at once before another writer counts as changing it back each time.
	immediateRepairs = 5
	// firstPause is the pause after the last of them. It doubles with every repair, up to maxPause.
	firstPause = 10 * time.Second
	maxPause   = 5 * time.Minute
	// quietPeriod without a change, or twice the pause if that is longer, ends a contention.
	quietPeriod = time.Minute
)

// contention counts the recent repairs of one object. It limits the writes for a contested object to eight in the first minute, and to one
// in five minutes in the end; other objects are not affected. A restart forgets it.
type contention struct {
	repairs int
	last    time.Time
}

// pause is how long after the last repair the next one has to wait.
func (c contention) pause() time.Duration {
	if c.repairs < immediateRepairs {
		return 0
	}
	pause := firstPause
	for range c.repairs - immediateRepairs {
		if pause *= 2; pause >= maxPause {
			return maxPause
		}
	}
	return pause
}

// wait is how much of the pause is left.
func (c contention) wait(now time.Time) time.Duration {
	return max(0, c.last.Add(c.pause()).Sub(now))
}

// repaired counts a repair. After a quiet period it starts again at one.
func (c contention) repaired(now time.Time) contention {
	if now.Sub(c.last) > max(quietPeriod, 2*c.pause()) {
		c.repairs = 0
	}
	return contention{repairs: c.repairs + 1, last: now}
}
