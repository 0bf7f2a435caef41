package health

import (
	"time"

	"golang.org/x/time/rate"
)

// How often what is shown of one operator may change: DamperBurst changes at any time, and one more after each DamperInterval.
// In ten minutes that is nine, however often the operator goes back and forth.
const (
	DamperBurst    = 6
	DamperInterval = 3 * time.Minute
)

// textLeaves is how many changes another wording leaves, for those of state: what an installation has to say of its progress
// must not delay that it is finished. Words that have stood for steadyText leave fewer: they are what somebody has to act on.
const (
	textLeaves   = 4
	steadyLeaves = 1
	steadyText   = 10 * time.Second
)

// Damper keeps an operator that goes back and forth from being written down each time. What it says first is shown at once,
// and so are its next changes; when there were too many, what was shown last stays until there may be another, and is then
// what the operator says at that time. Operators do not damp one another.
//
// Time is what it is told. It is for one goroutine at a time; the zero value is ready.
type Damper struct {
	operators map[string]*damped
}

// damped is what is kept of one operator, also of one that is gone, until its changes are forgotten.
type damped struct {
	changes *rate.Limiter
	shown   Contribution
	// said is what it says, and since when.
	said  Contribution
	since time.Time
}

// Pass gives what may be shown of operators that say this now, in the same order, and how long it takes until something that
// is held back may be shown; zero when nothing is.
func (d *Damper) Pass(now time.Time, current []Contribution) (shown []Contribution, wait time.Duration) {
	if d.operators == nil {
		d.operators = map[string]*damped{}
	}
	present := make(map[string]bool, len(current))
	for _, says := range current {
		present[says.Name] = true
		operator := d.operators[says.Name]
		if operator == nil {
			operator = &damped{changes: rate.NewLimiter(rate.Every(DamperInterval), DamperBurst), shown: says}
			d.operators[says.Name] = operator
		}
		if left := operator.pass(now, says); left > 0 && (wait == 0 || left < wait) {
			wait = left
		}
		shown = append(shown, operator.shown)
	}
	for name, operator := range d.operators {
		if present[name] {
			continue
		}
		operator.pass(now, Contribution{Name: name})
		operator.shown = Contribution{Name: name} // it is gone, and nothing that it said is true
		if operator.changes.TokensAt(now) >= DamperBurst {
			delete(d.operators, name)
		}
	}
	return shown, wait
}

// pass shows what the operator says now if it may, else it tells how long that takes.
func (o *damped) pass(now time.Time, says Contribution) (wait time.Duration) {
	if says != o.said {
		o.said, o.since = says, now
	}
	if says == o.shown {
		return 0
	}
	wait = o.until(now, 0)
	if says.sameState(o.shown) {
		unsteady := max(steadyText-now.Sub(o.since), 0)
		wait = min(o.until(now, textLeaves), max(unsteady, o.until(now, steadyLeaves)))
	}
	if wait > 0 {
		return wait
	}
	o.changes.AllowN(now, 1)
	o.shown = says
	return 0
}

// until is how long it takes until there may be a change that leaves so many others.
func (o *damped) until(now time.Time, leaves float64) time.Duration {
	lacking := 1 + leaves - o.changes.TokensAt(now)
	if lacking <= 0 {
		return 0
	}
	// A millisecond more, so that rounding does not have it asked for in vain.
	return time.Duration(lacking*float64(DamperInterval)) + time.Millisecond
}
