package revision

import "time"

const (
	// DeletionInterval is how often deletions that are under way are checked again; a watch mostly reports them earlier.
	DeletionInterval = 2 * time.Second
	// maxCheckInterval is the longest pause between checks of a removal that does not end by itself, which no watch reports the end of.
	maxCheckInterval = 30 * time.Second
)

// RemovalOutcome is what came of an attempt to remove the objects of a deleted BundleDeployment.
type RemovalOutcome struct {
	// Waiting is what the removal waits for, as a clause.
	Waiting string
	// Held is true if custom resources hold it, Stuck if it does not go on, Checking while namespaces are checked.
	Held, Stuck, Checking bool
	// Problem is why it failed.
	Problem Problem
}

// RemovalAttempts are the attempts of one removal so far. The zero value is none.
type RemovalAttempts struct {
	// Checks counts attempts that found a removal that does not end by itself, Refusals those that were refused.
	Checks, Refusals int
	Failures         Failures
}

// Add adds an attempt that did not end the removal. It returns what status reports, nil to leave that as it is, and the time until the next
// attempt, 0 to have the queue decide.
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
