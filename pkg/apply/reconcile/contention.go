package reconcile

import (
	"time"
)

const (
	// immediateRepairs is the number of repairs of an object without a pause. After that many repairs, the field is treated as contested:
	// another writer seems to revert every repair.
	immediateRepairs = 5
	// firstPause is the pause after the last of these repairs. The pause doubles with every repair, up to maxPause.
	firstPause = 10 * time.Second
	maxPause   = 5 * time.Minute
	// quietPeriod is the minimum time without a repair after which a contention ends. If twice the pause is longer, that time applies
	// instead.
	quietPeriod = time.Minute
)

// contention holds the number of recent repairs of one object and the time of the last one. It limits the repairs of a contested object to
// seven in the first minute, and later to one every five minutes. Other objects are not affected. A restart of the manager resets it.
type contention struct {
	repairs int
	last    time.Time
}

// pause returns the time between the last repair and the next one; zero if there were fewer than immediateRepairs repairs.
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

// wait returns the remaining time of the pause; zero if the next repair may begin.
func (c contention) wait(now time.Time) time.Duration {
	return max(0, c.last.Add(c.pause()).Sub(now))
}

// repaired returns the contention after a repair. After a quiet period, the number of repairs starts again at one.
func (c contention) repaired(now time.Time) contention {
	if now.Sub(c.last) > max(quietPeriod, 2*c.pause()) {
		c.repairs = 0
	}
	return contention{repairs: c.repairs + 1, last: now}
}
