package catalogsource

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaxWait is how long one read may wait, all its waits together, for what other readings use: as long as two that use it one after
	// the other may make it wait (maxContention).
	MaxWait = 2 * maxContention
	// maxContention is how long, in all, other readings may wait for what one reading uses. The largest catalogs of OpenShift are read
	// within seconds, and within half a minute when 16 are read at once on a slow node.
	maxContention = time.Minute
	// paceBytes is how much a server has to send in each paceWindow while its catalog uses what all share. The slowest that is still
	// served are small answers: a hundred bytes each over gRPC, with a tenth of a second for each. A catalog that uses common memory has
	// megabytes, and could not be read in the time of a read at this pace.
	paceBytes  = 8 << 10
	paceWindow = 10 * time.Second
)

// limitError is the error of a read that was ended because its time was up or its server was too slow.
type limitError struct{ error }

// Unwrap returns the cause.
func (e *limitError) Unwrap() error { return e.error }

func errTimeout(timeout time.Duration) error {
	return &limitError{fmt.Errorf("the catalog is too slow: it was not read within %s; check the load and the log of the catalog's server; it is read again later: %w", timeout, context.DeadlineExceeded)}
}

func errPace() error {
	return &limitError{fmt.Errorf("the catalog is too slow: its server sent less than %d KiB in %s, while the reading used memory that all catalogs share; check the load and the log of the catalog's server; it is read again later", paceBytes>>10, paceWindow)}
}

func errContention() error {
	return &limitError{fmt.Errorf("the catalog is too slow: other catalogs waited %s for memory that the reading used; check the load and the log of the catalog's server, or ask the catalog's publisher to prune it; it is read again later", maxContention)}
}

// Cause returns the limit that ended a read with this context (of Begin). Where none did, it returns err, or the error of the context.
func Cause(ctx context.Context, err error) error {
	if limit := (*limitError)(nil); errors.As(context.Cause(ctx), &limit) {
		return limit
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// read is the time that a read has.
type read struct {
	ctx context.Context
	// time runs while the reading does not wait for others, waits while it does. pace and contention run while it uses what all share;
	// contention only while another reading waits for that.
	time, waits, pace, contention stopwatch
	// received is how many bytes came in this window of pace.
	received int
}

// Begin begins a read. Its context ends after timeout, in which waits for other readings do not count, and when the server is too slow
// while the reading uses memory that all catalogs share; Cause tells which. end is to be called when the read has ended. A reading has
// one read at a time.
func (r *Reading) Begin(ctx context.Context, timeout time.Duration) (reading context.Context, end func()) {
	if r == nil {
		return context.WithTimeoutCause(ctx, timeout, errTimeout(timeout))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	began := &read{ctx: ctx}
	began.time = stopwatch{left: timeout, expired: func() { cancel(errTimeout(timeout)) }}
	began.waits = stopwatch{left: MaxWait, expired: func() { r.budget.refuse(r) }}
	began.contention = stopwatch{left: maxContention, expired: func() { cancel(errContention()) }}
	began.pace = stopwatch{left: paceWindow, expired: func() {
		if began.received < paceBytes {
			cancel(errPace())
			return
		}
		began.restartPace()
		r.budget.updateTimers()
	}}
	r.read = began
	r.budget.updateTimers()
	return ctx, func() {
		r.budget.lock.Lock()
		defer r.budget.lock.Unlock()
		for _, each := range []*stopwatch{&began.time, &began.waits, &began.pace, &began.contention} {
			each.run(r.budget, false)
		}
		r.read = nil
		cancel(nil)
	}
}

// Received counts bytes that the server of the read in progress has sent.
func (r *Reading) Received(bytes int) {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	if r.read != nil {
		r.read.received += bytes
	}
}

// restartPace begins a new window.
func (r *read) restartPace() { r.pace.left, r.received = paceWindow, 0 }

// updateTimers starts and stops the timers of all reads, after a change of what readings use or wait for.
func (b *Budget) updateTimers() {
	memoryWanted, largeWanted := b.isWanted(false), b.isWanted(true)
	for r := range b.open {
		if r.read == nil {
			continue
		}
		runs, common, large := r.waiting == 0, r.usesCommon(), b.large == r
		r.read.time.run(b, runs)
		r.read.waits.run(b, !runs)
		r.read.contention.run(b, runs && (common && memoryWanted || large && largeWanted))
		r.read.pace.run(b, runs && (common || large))
		if !runs || !common && !large {
			r.read.restartPace()
		}
	}
}

// stopwatch expires when it has run for so long in all. The Budget's lock is over its fields, and is held while expired runs.
type stopwatch struct {
	left    time.Duration
	expired func()
	// timer runs since this time; nil while the stopwatch does not.
	timer *time.Timer
	since time.Time
}

// run starts or stops it.
func (s *stopwatch) run(b *Budget, running bool) {
	switch {
	case running == (s.timer != nil):
	case running:
		s.since = b.now()
		var timer *time.Timer
		timer = time.AfterFunc(s.left, func() {
			b.lock.Lock()
			defer b.lock.Unlock()
			if s.timer != timer {
				return // it was stopped in the same moment
			}
			s.timer, s.left = nil, 0
			s.expired()
		})
		s.timer = timer
	default:
		s.timer.Stop()
		s.timer = nil
		s.left -= b.now().Sub(s.since)
	}
}
