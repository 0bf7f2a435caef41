package revisions

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/store"
)

// Attempt is the last attempt to save what a request led to that failed: it is too large, a quota is used up, or another owner's Secret has its
// name. That mostly lasts, and costs much to try. The zero value is none.
type Attempt[Q comparable] struct {
	request Q
	count   int
	next    time.Time
	err     error
}

// Saver saves revisions with pauses between attempts that failed.
type Saver struct {
	Revisions Revisions
	Clock     clock.PassiveClock
	// Backoff is the pause after a number of consecutive failures.
	Backoff func(failures int) time.Duration
}

// Saved is the result of an attempt.
type Saved struct {
	// Revision is nil if nothing could be stored. Then Err is why, nil while that may be transient, and Retry is the time until the next
	// attempt.
	Revision *revision.Revision
	Err      error
	Retry    time.Duration
}

// Save saves what a request led to under the next number, unless it is too early for another attempt. Another request than in the last attempt
// is stored at once. It returns an error only for a conflict.
func (a *Attempt[Q]) Save(ctx context.Context, by Saver, request Q, next *store.Revision) (Saved, error) {
	if a.request != request {
		*a = Attempt[Q]{request: request}
	}
	if !by.Clock.Now().Before(a.next) {
		stored, err := by.Revisions.Save(ctx, next)
		if err == nil || apierrors.IsConflict(err) {
			return Saved{Revision: stored}, err
		}
		a.count, a.err = a.count+1, err
		a.next = by.Clock.Now().Add(by.Backoff(a.count))
	}
	saved := Saved{Retry: a.next.Sub(by.Clock.Now())}
	if a.count > revision.ToleratedFailures {
		saved.Err = a.err
	}
	return saved, nil
}
