package source

import "time"

// Backoff is how long to wait after a number of failures in a row: First, doubled each time, up to Last.
type Backoff struct{ First, Last time.Duration }

// After gives the wait after the nth failure, counted from 1.
func (b Backoff) After(failures int) time.Duration {
	wait := b.First
	for ; failures > 1 && wait < b.Last; failures-- {
		wait *= 2
	}
	return min(wait, b.Last)
}
