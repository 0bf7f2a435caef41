package health

import (
	"time"

	"golang.org/x/time/rate"
)

// ChangeBurst is the number of times that one operator's contribution may change in quick succession. After that, it may change once in
// each ChangeInterval. Together they permit at most nine changes in ten minutes.
const (
	ChangeBurst    = 6
	ChangeInterval = 3 * time.Minute
)

// messageReserve is the number of permitted changes that must remain after a change that affects only the text. They are reserved for
// changes to the state, so that messages about an installation's progress do not delay the report of its end. If the text has been stable
// for steadyAfter, an admin may have to act on it, and only steadyReserve changes must remain.
const (
	messageReserve = 4
	steadyReserve  = 1
	steadyAfter    = 10 * time.Second
)

// RateLimiter limits how often each operator's contribution changes in the status. An operator's first contribution, and its next changes
// up to the limit, are shown at once. Above the limit, the last shown contribution stays until another change is permitted. Then the
// current one replaces it. Operators do not affect one another.
//
// A RateLimiter has no clock: the caller passes the time. The zero value is ready for use. It is not safe for concurrent use.
type RateLimiter struct {
	operators map[string]*limitedOperator
}

// limitedOperator is the state for one operator. After the operator is deleted, the state remains until ChangeBurst changes are permitted
// again, so that recreating an operator does not reset its limit.
type limitedOperator struct {
	changes *rate.Limiter
	shown   Contribution
	// current is the current contribution, and since the time at which it last changed.
	current Contribution
	since   time.Time
}

// Limit returns the contributions to write instead of the current ones, in the same order. wait is the time until a delayed one may be
// written; 0 if none is delayed.
func (l *RateLimiter) Limit(now time.Time, current []Contribution) (shown []Contribution, wait time.Duration) {
	if l.operators == nil {
		l.operators = map[string]*limitedOperator{}
	}
	present := make(map[string]bool, len(current))
	for _, contribution := range current {
		present[contribution.Name] = true
		operator := l.operators[contribution.Name]
		if operator == nil {
			operator = &limitedOperator{changes: rate.NewLimiter(rate.Every(ChangeInterval), ChangeBurst), shown: contribution}
			l.operators[contribution.Name] = operator
		}
		if remaining := operator.update(now, contribution); remaining > 0 && (wait == 0 || remaining < wait) {
			wait = remaining
		}
		shown = append(shown, operator.shown)
	}
	for name, operator := range l.operators {
		if present[name] {
			continue
		}
		operator.update(now, Contribution{Name: name})
		operator.shown = Contribution{Name: name} // a deleted operator's contribution no longer applies
		if operator.changes.TokensAt(now) >= ChangeBurst {
			delete(l.operators, name)
		}
	}
	return shown, wait
}

// update makes the current contribution the shown one if a change is permitted, and returns 0. Otherwise it returns the time until a change
// is permitted.
func (o *limitedOperator) update(now time.Time, current Contribution) (wait time.Duration) {
	if current != o.current {
		o.current, o.since = current, now
	}
	if current == o.shown {
		return 0
	}
	wait = o.until(now, 0)
	if current.hasSameState(o.shown) {
		unsteady := max(steadyAfter-now.Sub(o.since), 0)
		wait = min(o.until(now, messageReserve), max(unsteady, o.until(now, steadyReserve)))
	}
	if wait > 0 {
		return wait
	}
	o.changes.AllowN(now, 1)
	o.shown = current
	return 0
}

// until returns the time until a change is permitted that leaves at least reserve other changes available; 0 if it is permitted now.
func (o *limitedOperator) until(now time.Time, reserve float64) time.Duration {
	missing := 1 + reserve - o.changes.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	// One more millisecond, so that rounding does not make the caller retry too early.
	return time.Duration(missing*float64(ChangeInterval)) + time.Millisecond
}
