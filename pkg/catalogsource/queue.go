package catalogsource

import (
	"context"
	"slices"
)

// request asks for memory or for permission to receive large messages. It may wait in the queue of the Budget.
type request struct {
	reservation *Reservation
	bytes       int
	large       bool
	// done receives nil when the request is granted, or the error if it fails. It has a capacity of one, so that sending never blocks.
	done chan error
}

// commonBytes returns the number of bytes of common memory that a request needs.
func (q *request) commonBytes() int {
	r := q.reservation
	return r.commonPart(r.reserved+q.bytes) - r.commonPart(r.reserved)
}

// isWanted reports whether any request is waiting: for large messages if large is true, otherwise for memory.
func (b *Budget) isWanted(large bool) bool {
	return slices.ContainsFunc(b.queue, func(q *request) bool { return q.large == large })
}

// canGrant reports whether a request can be granted. isBehind means that an older request is waiting for the same resource. A reservation
// that already holds common memory may overtake the older request, because the older request may be waiting for the memory of that
// reservation.
func (b *Budget) canGrant(q *request, isBehind bool) bool {
	switch {
	case q.large:
		return b.large == nil && !isBehind
	case q.commonBytes() == 0:
		return true
	}
	return q.commonBytes() <= b.freeCommon && (!isBehind || q.reservation.usesCommon())
}

// grant grants a request. The caller must have checked with canGrant that the resource is free.
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

// wait queues a request. It returns nil when the request is granted, and an error when the request fails or ctx ends. The caller holds the
// lock, which wait releases while it waits.
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

// end removes a request from the queue, and sends err to its done channel.
func (b *Budget) end(q *request, err error) {
	b.queue = slices.DeleteFunc(b.queue, func(other *request) bool { return other == q })
	q.reservation.waiting--
	q.done <- err
}

// dispatch grants as many requests in the queue as possible, oldest first. While the waiting reservations block one another, it fails one
// request after the other. It must be called after each change to the free resources or the queue.
func (b *Budget) dispatch() {
	for {
		var memory, large bool // whether an older request still waits for the resource
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

// deadlocked returns the request that must fail because all reservations with common memory are waiting, so that none of them would ever
// release memory. It returns nil if there is no deadlock. It selects a request of the reservation with the most common memory, because a
// large catalog must not make a small one fail.
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

// failWaiting fails all waiting requests of a reservation, because its read has waited MaxWait.
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
