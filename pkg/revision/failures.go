package revision

import "time"

const (
	// ToleratedFailures is the number of consecutive transient failures that status does not report. A conflict or a restart of a server ends
	// within these attempts; reporting each would change the status back and forth.
	ToleratedFailures = 2
	// transientPeriod is the time after which repeated failures are no longer considered transient.
	transientPeriod = 10 * time.Minute
)

// Failures counts consecutive failures of one operation, for example because a webhook does not answer. The zero value is ready for use.
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
