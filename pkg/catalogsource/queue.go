package catalogsource

import (
	"context"
	"slices"
)

// request is a queued request for common memory or for large messages.
type request struct {
	reservation *Reservation
	bytes       int
	large       bool
	// done receives nil when the request is granted, or its error. Its capacity is one.
	done chan error
}

// commonBytes returns how much common memory a request needs.
func (q *request) commonBytes() int {
	r := q.reservation
	return r.commonPart(r.reserved+q.bytes) - r.commonPart(r.reserved)
}

// isWanted reports whether a request waits, for large messages or for memory.
func (b *Budget) isWanted(large bool) bool {
	return slices.ContainsFunc(b.queue, func(q *request) bool { return q.large == large })
}

// canGrant reports whether a request can be granted. isBehind means that an older one waits for the same resource. A reservation that has
// common memory already is granted first, because the older request waits for its end.
func (b *Budget) canGrant(q *request, isBehind bool) bool {
	switch {
	case q.large:
		return b.large == nil && !isBehind
	case q.commonBytes() == 0:
		return true
	}
	return q.commonBytes() <= b.freeCommon && (!isBehind || q.reservation.usesCommon())
}

// grant grants a request.
func (b *Budget) grant(q *request) {
	if q.large {
		b.large = q.reservation
		b.updateTimers()
		return
	}
	hadCommon := q.reservation.usesCommon()
	b.freeCommon -= q.commonBytes()
	q.reservation.reserved += q.bytes
	if q.reservation.usesCommon() != hadCommon {
		b.updateTimers()
	}
}

// wait queues a request, and returns when it is granted, fails, or ctx ends. The caller holds the lock, which wait releases while it waits.
func (b *Budget) wait(ctx context.Context, q *request) error {
	q.done = make(chan error, 1)
	b.queue = append(b.queue, q)
	q.reservation.waiting++
	b.dispatch()
	b.lock.Unlock()
	var err error
	select {
	case err = <-q.done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	b.lock.Lock()
	if !slices.Contains(b.queue, q) {
		if len(q.done) > 0 { // granted at the same time: the reservation has it, as if the context had ended later
			err = <-q.done
		}
		return err
	}
	b.end(q, err)
	b.dispatch()
	return err
}

// end removes a request from the queue.
func (b *Budget) end(q *request, err error) {
	b.queue = slices.DeleteFunc(b.queue, func(other *request) bool { return other == q })
	q.reservation.waiting--
	q.done <- err
}

// dispatch grants requests of the queue, the oldest first. It is called after each change of the free resources or of the queue.
func (b *Budget) dispatch() {
	for {
		var memory, large bool // an older request still waits for it
		for _, q := range slices.Clone(b.queue) {
			isBehind := &memory
			if q.large {
				isBehind = &large
			}
			if !b.canGrant(q, *isBehind) {
				*isBehind = true
				continue
			}
			b.grant(q)
			b.end(q, nil)
		}
		blocked := b.deadlocked()
		if blocked == nil {
			break
		}
		b.end(blocked, errNoMemory())
	}
	b.updateTimers()
}

// deadlocked returns the request to fail if all reservations with common memory wait, so that none would ever be released: that of the
// reservation with the most common memory, because a small catalog must not fail because of a large one. Otherwise it returns nil.
func (b *Budget) deadlocked() *request {
	for r := range b.open {
		if r.usesCommon() && r.waiting == 0 {
			return nil
		}
	}
	var most *request
	for _, q := range b.queue {
		if !q.large && (most == nil || q.reservation.commonPart(q.reservation.reserved) >= most.reservation.commonPart(most.reservation.reserved)) {
			most = q
		}
	}
	return most
}

// failWaiting fails all waiting requests of a reservation.
func (b *Budget) failWaiting(r *Reservation) {
	for _, q := range slices.Clone(b.queue) {
		switch {
		case q.reservation != r:
		case q.large:
			b.end(q, errLargeTimeout)
		default:
			b.end(q, errNoMemory())
		}
	}
	b.dispatch()
}
