package revision

import "time"

const (
	// ToleratedFailures is the number of consecutive transient failures of one thing before status reports them.
	ToleratedFailures = 2
	// transientPeriod is how long attempts may fail until that counts as something that does not end by itself.
	transientPeriod = 10 * time.Minute
)

// Failures are consecutive failures of one thing, such as because of a webhook that does not answer. The zero value is none.
type Failures struct {
	// Count is their number, and Since the time of the first.
	Count int
	Since time.Time
}

// Add counts one more.
func (f *Failures) Add(now time.Time) {
	if f.Count++; f.Count == 1 {
		f.Since = now
	}
}

// IsLasting reports whether the failures do not end by themselves.
func (f *Failures) IsLasting(now time.Time) bool {
	return f.Count > 0 && now.Sub(f.Since) > transientPeriod
}
