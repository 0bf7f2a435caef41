package source

import "time"

// Backoff configures the pause after consecutive failures. The pause is First after the first failure, doubles with each further failure,
// and is at most Last.
type Backoff struct{ First, Last time.Duration }

// After returns the pause after a number of consecutive failures, counted from 1.
func (b Backoff) After(failures int) time.Duration {
	wait := b.First
	for ; failures > 1 && wait < b.Last; failures-- {
		wait *= 2
	}
	return min(wait, b.Last)
}
