package revision

import "time"

const (
	// ToleratedFailures is the number of consecutive transient failures that status does not report. A conflict, or the restart of a
	// server, is usually over after this many attempts; reporting each failure would change the status back and forth.
	ToleratedFailures = 2
	// transientPeriod is how long repeated failures are considered transient.
	transientPeriod = 10 * time.Minute
)

// Failures counts consecutive failures of one operation, such as those caused by a webhook that does not answer. The zero value is ready
// for use.
type Failures struct {
	// Count is the number of failures, and Since the time of the first one.
	Count int
	Since time.Time
}

// Add adds a failure.
func (f *Failures) Add(now time.Time) {
	if f.Count++; f.Count == 1 {
		f.Since = now
	}
}

// IsLasting reports whether the failures have lasted too long to be transient.
func (f *Failures) IsLasting(now time.Time) bool {
	return f.Count > 0 && now.Sub(f.Since) > transientPeriod
}
