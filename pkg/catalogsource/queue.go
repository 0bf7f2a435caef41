package catalogsource

import (
	"context"
	"slices"
)

// request is what a reading asks a Budget for: common memory, or that its messages may be large.
type request struct {
	reading *Reading
	bytes   int
	large   bool
	// done gets nil when the request is granted, or the error that it ends with. It has room for one.
	done chan error
}

// common is how much common memory a request needs.
func (q *request) common() int {
	r := q.reading
	return r.beyond(r.taken+q.bytes) - r.beyond(r.taken)
}

// isWanted is whether a request waits, for large messages or for memory.
func (b *Budget) isWanted(large bool) bool {
	return slices.ContainsFunc(b.queue, func(q *request) bool { return q.large == large })
}

// fits is whether a request can be granted. isBehind is whether an older one waits for the same. A reading that has common memory already
// overtakes, because the older one waits for its end.
func (b *Budget) fits(q *request, isBehind bool) bool {
	switch {
	case q.large:
		return b.large == nil && !isBehind
	case q.common() == 0:
		return true
	}
	return q.common() <= b.common && (!isBehind || q.reading.usesCommon())
}

// lend grants a request that fits.
func (b *Budget) lend(q *request) {
	if q.large {
		b.large = q.reading
		b.updateTimers()
		return
	}
	hadCommon := q.reading.usesCommon()
	b.common -= q.common()
	q.reading.taken += q.bytes
	if q.reading.usesCommon() != hadCommon {
		b.updateTimers()
	}
}

// wait queues a request, and returns when it is granted, has failed, or ctx has ended. It is called with the lock, and gives that away
// while it waits.
func (b *Budget) wait(ctx context.Context, q *request) error {
	q.done = make(chan error, 1)
	b.queue = append(b.queue, q)
	q.reading.waiting++
	b.settle()
	b.lock.Unlock()
	var err error
	select {
	case err = <-q.done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	b.lock.Lock()
	if !slices.Contains(b.queue, q) {
		if len(q.done) > 0 { // both at once: what was granted is the reading's, as if it had not ended yet
			err = <-q.done
		}
		return err
	}
	b.end(q, err)
	b.settle()
	return err
}

// end takes a request from the queue.
func (b *Budget) end(q *request, err error) {
	b.queue = slices.DeleteFunc(b.queue, func(other *request) bool { return other == q })
	q.reading.waiting--
	q.done <- err
}

// settle grants what can be granted of the queue, the oldest first. It is called after each change of what is lent or asked for.
func (b *Budget) settle() {
	for {
		var memory, large bool // whether an older request goes on waiting for it
		for _, q := range slices.Clone(b.queue) {
			isBehind := &memory
			if q.large {
				isBehind = &large
			}
			if !b.fits(q, *isBehind) {
				*isBehind = true
				continue
			}
			b.lend(q)
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

// deadlocked returns the request to refuse where all readings that have common memory wait, so that none would ever return it: that of
// the reading with the most of it, since a small catalog is not to fail for a large one. It returns nil otherwise.
func (b *Budget) deadlocked() *request {
	for r := range b.open {
		if r.usesCommon() && r.waiting == 0 {
			return nil
		}
	}
	var most *request
	for _, q := range b.queue {
		if !q.large && (most == nil || q.reading.beyond(q.reading.taken) >= most.reading.beyond(most.reading.taken)) {
			most = q
		}
	}
	return most
}

// refuse ends all requests of a reading that wait.
func (b *Budget) refuse(r *Reading) {
	for _, q := range slices.Clone(b.queue) {
		switch {
		case q.reading != r:
		case q.large:
			b.end(q, errWaited)
		default:
			b.end(q, errNoMemory())
		}
	}
	b.settle()
}
