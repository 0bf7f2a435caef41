package revisions

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/store"
)

// Attempt is the last failed attempt to save the revision for a request. An attempt fails, for example, if the revision is too large, a
// quota is used up, or a Secret with the name of one of its Secrets belongs to a different owner. Such a failure usually lasts, and each
// attempt is expensive. The zero value records no failed attempt.
type Attempt[Q comparable] struct {
	request Q
	count   int
	next    time.Time
	err     error
	// grants is Saver.Grants at the attempt.
	grants int
}

// Saver saves revisions, and pauses after failed attempts.
type Saver struct {
	Revisions Revisions
	Clock     clock.PassiveClock
	// Backoff returns the pause after a number of consecutive failures.
	Backoff func(failures int) time.Duration
	// Grants is the number of times that the manager has regained a permission. If the number has changed since the last attempt, Save does
	// not pause.
	Grants int
}

// Saved is the result of an attempt.
type Saved struct {
	// Revision is the stored revision; nil if none was stored. In that case, Retry is the time until the next attempt, and Err is the
	// cause. Err stays nil while the failure may be transient.
	Revision *revision.Revision
	Err      error
	Retry    time.Duration
}

// Save saves the revision for a request under the next number, unless it is too early for a new attempt. It saves immediately if the
// request differs from that of the last attempt. It returns an error only for a conflict.
func (a *Attempt[Q]) Save(ctx context.Context, by Saver, request Q, next *store.Revision) (Saved, error) {
	if a.request != request {
		*a = Attempt[Q]{request: request, grants: by.Grants}
	}
	if !by.Clock.Now().Before(a.next) || by.Grants != a.grants {
		a.grants = by.Grants
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
