package catalogsource

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Memory of all concurrent reads of catalogs. Together with the reads' messages (package grpc) it is below 64 MiB.
const (
	// maxShares is how many reservations have a share of their own; further ones only use the common part.
	maxShares = 16
	// ownShare is the guaranteed memory of a reservation, in bytes: the window of a stream, also while it grows, and some packages.
	ownShare = 3 << 19
	// commonShare is the memory that reservations use beyond their own shares, in bytes. One package of the maximum size fits.
	commonShare = 14 << 20
)

// Budget limits the memory that all reads of catalogs retain together. Streamed data does not count.
type Budget struct {
	lock sync.Mutex
	// freeShares is the number of free shares, freeCommon the free common memory in bytes.
	freeShares, freeCommon int
	// large is the reservation whose messages may be large; nil for none.
	large *Reservation
	// open are the reservations that are not closed.
	open map[*Reservation]bool
	// queue are the waiting requests, the oldest first.
	queue []*request
	// now measures elapsed time of timers.
	now func() time.Time
}

// NewBudget returns the budget for one process.
func NewBudget() *Budget {
	return &Budget{freeShares: maxShares, freeCommon: commonShare, open: map[*Reservation]bool{}, now: clock.RealClock{}.Now}
}

// NewReservation returns the reservation of one read. The caller must close it after the read, also after an error.
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

// Reservation is one read's part of a Budget. It implements catalog.MemoryBudget. Nil is unlimited. It is safe for concurrent use.
type Reservation struct {
	budget *Budget
	// share is its own share, reserved its current memory in bytes; what exceeds the share is common memory.
	share, reserved int
	// waiting is the number of its requests in the queue.
	waiting int
	// read is the read in progress; nil before StartRead and after its end.
	read *activeRead
}

// Reserve reserves bytes, or returns an error if too few are free. During a read it first waits for other reads to end, at most MaxWait in
// all waits of the read.
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

// errNoMemory is the error of a read that needs more memory than is free.
func errNoMemory() error {
	// The text is in a condition, so it has no number that changes between attempts.
	return fmt.Errorf("reading it takes more than %d KiB of memory, and too little is free of the further %d MiB that all catalogs share: "+
		"the manager reads it again later; if that fails too, ask the catalog's publisher to prune it",
		ownShare>>10, commonShare>>20)
}

// Release releases reserved bytes.
func (r *Reservation) Release(bytes int) {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	r.releaseLocked(bytes)
}

// Reset releases all reserved bytes, to restart the read.
func (r *Reservation) Reset() {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	r.releaseLocked(r.reserved)
}

// Close releases all reserved bytes and the share.
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

// AcquireLarge waits until no other read may have large messages, during a read at most MaxWait in all waits of the read. The caller must
// call release when it no longer receives large messages.
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

// errLargeTimeout is the error of a read that has waited MaxWait for large messages.
var errLargeTimeout = errors.New("its turn has not come within " + MaxWait.String() + "; it is read again later")

func (r *Reservation) releaseLocked(bytes int) {
	returned := r.commonPart(r.reserved) - r.commonPart(r.reserved-bytes)
	r.budget.freeCommon += returned
	r.reserved -= bytes
	if returned > 0 && (len(r.budget.queue) > 0 || !r.usesCommon()) {
		r.budget.dispatch()
	}
}

// commonPart returns how many of these bytes are common memory.
func (r *Reservation) commonPart(bytes int) int { return max(0, bytes-r.share) }

// usesCommon reports whether the reservation has common memory.
func (r *Reservation) usesCommon() bool { return r.commonPart(r.reserved) > 0 }
