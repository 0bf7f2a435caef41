package revision

import "time"

const (
	// DeletionInterval is the time between checks of a deletion in progress. Watches usually report progress earlier.
	DeletionInterval = 2 * time.Second
	// maxCheckInterval is the maximum time between checks of a blocked removal. No watch reports when it is no longer blocked.
	maxCheckInterval = 30 * time.Second
	// ManyChecks is a value of RemovalAttempts.Checks after which a blocked removal is checked at the maximum interval.
	ManyChecks = int(maxCheckInterval / DeletionInterval)
)

// RemovalOutcome is the result of an attempt to remove the objects of a deleted BundleDeployment.
type RemovalOutcome struct {
	// Waiting is a clause that says what the removal waits for.
	Waiting string
	// Held is true if custom resources block the removal, and Stuck if something else does. Checking is true while namespaces are being
	// checked.
	Held, Stuck, Checking bool
	// Problem is why the attempt failed.
	Problem Problem
}

// RemovalAttempts counts the attempts of one removal. The zero value is ready for use.
type RemovalAttempts struct {
	// Checks counts consecutive attempts that found the removal blocked, and Refusals counts consecutive attempts that were refused.
	Checks, Refusals int
	Failures         Failures
}

// Add records an attempt that did not complete the removal. It returns the Deletion to report, or nil if the status should not change. It
// also returns the time until the next attempt; 0 leaves that to the queue's rate limiter.
func (a *RemovalAttempts) Add(outcome RemovalOutcome, now time.Time, backoff func(failures int) time.Duration) (*Deletion, time.Duration) {
	deletion := &Deletion{Waiting: outcome.Waiting, Held: outcome.Held, Checking: outcome.Checking}
	if outcome.Problem.Err != nil {
		deletion.Waiting = outcome.Problem.Err.Error()
	}
	if outcome.Problem.Err != nil && !outcome.Problem.Refused {
		if a.Failures.Add(now); a.Failures.Count <= ToleratedFailures {
			return nil, 0
		}
		deletion.Blocked = a.Failures.IsLasting(now)
		return deletion, 0
	}
	a.Failures = Failures{}
	switch {
	case outcome.Problem.Refused:
		deletion.Blocked = true
		a.Refusals++
		return deletion, backoff(a.Refusals)
	case outcome.Held || outcome.Stuck:
		deletion.Blocked = true
		a.Checks++
		return deletion, min(time.Duration(a.Checks)*DeletionInterval, maxCheckInterval)
	}
	a.Checks, a.Refusals = 0, 0
	return deletion, DeletionInterval
}
