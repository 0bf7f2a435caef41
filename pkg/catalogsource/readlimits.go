package catalogsource

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaxWait is the maximum total time for which one read waits for resources that other reads use. It is enough for two reads that use
	// them one after the other, each for maxContention.
	MaxWait = 2 * maxContention
	// maxContention is the maximum total time for which other reads wait for resources that one read uses. The largest OpenShift catalogs
	// are read within seconds, and within half a minute if 16 are read at once on a slow node.
	maxContention = time.Minute
	// paceBytes is the minimum number of bytes that a server must send in each paceWindow while the read of its catalog uses shared
	// resources. A gRPC server that sends a response of a hundred bytes every tenth of a second is just fast enough. No read that could
	// succeed is slower: a catalog that uses common memory has megabytes, and its read would exceed the timeout at this pace.
	paceBytes  = 8 << 10
	paceWindow = 10 * time.Second
)

// limitError is the error of a read that exceeded a time limit or whose server was too slow.
type limitError struct {
	// text is the problem and the remedy.
	text string
	// cause is the error that errors.Is finds. It is not part of the text, and may be nil.
	cause error
}

// Error returns the problem and the remedy.
func (e *limitError) Error() string { return "the catalog is too slow: " + e.text }

// Unwrap returns the cause.
func (e *limitError) Unwrap() error { return e.cause }

func errTimeout(timeout time.Duration) error {
	const text = "it was not read within %s; check the load and the log of the catalog's server; the manager retries"
	return &limitError{fmt.Sprintf(text, timeout), context.DeadlineExceeded}
}

func errPace() error {
	const text = "its server sent less than %d KiB in %s, while the read used memory that all catalogs share; check the load and the log of " +
		"the catalog's server; the manager retries"
	return &limitError{fmt.Sprintf(text, paceBytes>>10, paceWindow), nil}
}

func errContention() error {
	const text = "other catalogs waited %s for memory that the read used; check the load and the log of the catalog's server, or ask the " +
		"catalog's publisher to prune it; the manager retries"
	return &limitError{fmt.Sprintf(text, maxContention), nil}
}

// Cause returns the error of a read whose context is from StartRead. It returns the first of these that is not nil: the limit that ended
// the read, err, and the error of the context. Otherwise it returns nil.
func Cause(ctx context.Context, err error) error {
	if limit := (*limitError)(nil); errors.As(context.Cause(ctx), &limit) {
		return limit
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// activeRead holds the context and the timers of a read.
type activeRead struct {
	ctx context.Context
	// time runs while the read does not wait for other reads, and waits runs while it does. pace runs while the read uses shared resources.
	// contention runs while the read uses resources that another read is waiting for.
	time, waits, pace, contention pausableTimer
	// received is the number of bytes received in the current window of pace.
	received int
}

// StartRead starts a read and returns its context. The context ends after timeout, which does not include waits for other reads. It ends
// earlier if the server is too slow while the read uses shared resources, or if other reads have waited too long for these resources. Cause
// returns the limit that ended it. The caller must call end after the read. A reservation can have only one read at a time. With a nil
// Reservation, only the timeout applies.
func (r *Reservation) StartRead(ctx context.Context, timeout time.Duration) (reading context.Context, end func()) {
	if r == nil {
		return context.WithTimeoutCause(ctx, timeout, errTimeout(timeout))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	started := &activeRead{ctx: ctx}
	started.time = pausableTimer{left: timeout, expired: func() { cancel(errTimeout(timeout)) }}
	started.waits = pausableTimer{left: MaxWait, expired: func() { r.budget.failWaiting(r) }}
	started.contention = pausableTimer{left: maxContention, expired: func() { cancel(errContention()) }}
	started.pace = pausableTimer{left: paceWindow, expired: func() {
		if started.received < paceBytes {
			cancel(errPace())
			return
		}
		started.restartPace()
		r.budget.updateTimers()
	}}
	r.read = started
	r.budget.updateTimers()
	return ctx, func() {
		r.budget.lock.Lock()
		defer r.budget.lock.Unlock()
		for _, each := range []*pausableTimer{&started.time, &started.waits, &started.pace, &started.contention} {
			each.run(r.budget, false)
		}
		r.read = nil
		cancel(nil)
	}
}

// AddReceived adds to the number of bytes that the server of the current read has sent. It does nothing without a read.
func (r *Reservation) AddReceived(bytes int) {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	if r.read != nil {
		r.read.received += bytes
	}
}

// restartPace starts a new paceWindow, in which no bytes have been received yet.
func (r *activeRead) restartPace() { r.pace.left, r.received = paceWindow, 0 }

// updateTimers starts and stops the timers of all reads. It must be called after each change to the used or requested resources.
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

// pausableTimer calls expired when its total running time reaches a limit. The Budget's lock guards its fields, and is held while expired
// runs.
type pausableTimer struct {
	left    time.Duration
	expired func()
	// timer is the running timer, started at since; timer is nil while the pausableTimer is paused. left is the running time that was left
	// at since.
	timer *time.Timer
	since time.Time
}

// run starts the timer if running is true, and pauses it otherwise. It does nothing if the timer is already in that state.
func (s *pausableTimer) run(b *Budget, running bool) {
	switch {
	case running == (s.timer != nil):
	case running:
		s.since = b.now()
		var timer *time.Timer
		timer = time.AfterFunc(s.left, func() {
			b.lock.Lock()
			defer b.lock.Unlock()
			if s.timer != timer {
				return // the timer was paused at the same time
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
