package catalogsource

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Limits on the memory of all concurrent reads of catalogs. The total, including the messages of the reads (package grpc), stays below 64
// MiB.
const (
	// maxShares is the maximum number of reservations with a share of their own. Further reservations use only the common memory.
	maxShares = 16
	// ownShare is the size of a reservation's own share, in bytes: enough for the window of a stream, even while the window grows, and for
	// some packages.
	ownShare = 3 << 19
	// commonShare is the size of the common memory, in bytes, which reservations use beyond their own shares. One package of the maximum
	// size fits into it.
	commonShare = 14 << 20
)

// Budget limits the memory that all reads of catalogs retain together. It does not include data that is only streamed. It is safe for
// concurrent use.
type Budget struct {
	lock sync.Mutex
	// freeShares is the number of free shares. freeCommon is the free common memory, in bytes.
	freeShares, freeCommon int
	// large is the reservation whose read may have large messages; nil if none may.
	large *Reservation
	// open holds the reservations that have not been closed.
	open map[*Reservation]bool
	// queue holds the waiting requests, oldest first.
	queue []*request
	// now returns the current time, for timers.
	now func() time.Time
}

// NewBudget returns a Budget with all memory free. A process should have only one.
func NewBudget() *Budget {
	return &Budget{freeShares: maxShares, freeCommon: commonShare, open: map[*Reservation]bool{}, now: clock.RealClock{}.Now}
}

// NewReservation returns a reservation for one read, with a share of its own if one is free. The caller must close it after the read, even
// after an error.
func (b *Budget) NewReservation() *Reservation {
	b.lock.Lock()
	defer b.lock.Unlock()
	r := &Reservation{budget: b}
	if b.freeShares > 0 {
		b.freeShares--
		r.share = ownShare
	}
	b.open[r] = true
	return r
}

// Reservation is one read's part of a Budget. It implements catalog.MemoryBudget. A nil Reservation is unlimited. It is safe for concurrent
// use.
type Reservation struct {
	budget *Budget
	// share is the size of the reservation's own share, and reserved is the total memory that it holds, both in bytes. Memory beyond the
	// share is common memory.
	share, reserved int
	// waiting is the number of the reservation's requests in the queue.
	waiting int
	// read is the read in progress; nil before StartRead and after the read has ended.
	read *activeRead
}

// Reserve reserves bytes, or returns an error if too few are free. During a read it first waits for other reads to release memory. All
// waits of one read take at most MaxWait.
func (r *Reservation) Reserve(bytes int) error {
	if r == nil {
		return nil
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	wanted := &request{reservation: r, bytes: bytes}
	switch {
	case r.budget.canGrant(wanted, r.budget.isWanted(false)):
		r.budget.grant(wanted)
		return nil
	case r.read == nil || r.commonPart(r.reserved+bytes) > commonShare:
		return errNoMemory()
	}
	return r.budget.wait(r.read.ctx, wanted)
}

// errNoMemory returns the error of a read that needs more memory than is free.
func errNoMemory() error {
	// The text becomes part of a condition, so it must not contain numbers that differ between attempts.
	return fmt.Errorf("the catalog needs more than %d KiB of memory, and too little of the %d MiB that all catalogs share is free; the "+
		"manager retries; if this persists, ask the catalog's publisher to prune it",
		ownShare>>10, commonShare>>20)
}

// Release releases reserved bytes. It does nothing for a nil Reservation.
func (r *Reservation) Release(bytes int) {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	r.releaseLocked(bytes)
}

// Reset releases all reserved bytes, so that the read can be restarted. The reservation keeps its share.
func (r *Reservation) Reset() {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	r.releaseLocked(r.reserved)
}

// Close releases all reserved bytes and the share. The reservation must not be used afterwards.
func (r *Reservation) Close() {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	r.releaseLocked(r.reserved)
	if r.share > 0 {
		r.budget.freeShares++
		r.share = 0
	}
	delete(r.budget.open, r)
}

// AcquireLarge waits for the permission to receive large messages, which only one read has at a time. All waits of one read take at most
// MaxWait. AcquireLarge returns an error after that, or when ctx ends. The caller must call release when it no longer receives large
// messages.
func (r *Reservation) AcquireLarge(ctx context.Context) (release func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	b := r.budget
	b.lock.Lock()
	defer b.lock.Unlock()
	wanted := &request{reservation: r, large: true}
	if b.canGrant(wanted, b.isWanted(true)) {
		b.grant(wanted)
	} else if err := b.wait(ctx, wanted); err != nil {
		return nil, fmt.Errorf("waiting for other catalogs with large messages: %w", err)
	}
	return func() {
		b.lock.Lock()
		defer b.lock.Unlock()
		b.large = nil
		b.dispatch()
	}, nil
}

// errLargeTimeout is the error of a read that has waited MaxWait for permission to receive large messages.
var errLargeTimeout = errors.New("timed out after " + MaxWait.String() + "; the manager retries")

func (r *Reservation) releaseLocked(bytes int) {
	returned := r.commonPart(r.reserved) - r.commonPart(r.reserved-bytes)
	r.budget.freeCommon += returned
	r.reserved -= bytes
	if returned > 0 && (len(r.budget.queue) > 0 || !r.usesCommon()) {
		r.budget.dispatch()
	}
}

// commonPart returns the number of bytes of common memory among the bytes that the reservation holds in total.
func (r *Reservation) commonPart(bytes int) int { return max(0, bytes-r.share) }

// usesCommon reports whether the reservation has common memory.
func (r *Reservation) usesCommon() bool { return r.commonPart(r.reserved) > 0 }
