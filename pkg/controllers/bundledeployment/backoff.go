package bundledeployment

import "time"

// backoff is how long to wait after a number of failures in a row.
type backoff struct{ first, last time.Duration }

// after gives the wait after the nth failure, counted from 1.
func (b backoff) after(failures int) time.Duration {
	wait := b.first
	for ; failures > 1 && wait < b.last; failures-- {
		wait *= 2
	}
	return min(wait, b.last)
}
