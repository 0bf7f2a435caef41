package catalogsource

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Memory of all readings of catalogs together. With what the messages of readings take (package grpc) it is below 64 MiB.
const (
	// readings is how many readings run at a time at most; more share what is common.
	readings = 16
	// ownShare is what a reading has for itself, whatever others keep: the window of a stream, also while it grows, and some packages.
	ownShare = 3 << 19
	// commonShare is what readings take from beyond their own shares. A package of the largest size that is kept fits once.
	commonShare = 14 << 20
)

// Budget bounds the memory that all readings of catalogs take together for what they keep. What streams through is none of it.
type Budget struct {
	lock sync.Mutex
	// own is how many shares are left, common how many bytes beyond them.
	own, common int
	// large is the reading whose messages may be large; nil for none.
	large *Reading
	// open are the readings that are not closed.
	open map[*Reading]bool
	// queue are the requests that wait, the oldest first.
	queue []*request
	// now measures how long a timer has run.
	now func() time.Time
}

// NewBudget returns the budget for one process.
func NewBudget() *Budget {
	return &Budget{own: readings, common: commonShare, open: map[*Reading]bool{}, now: clock.RealClock{}.Now}
}

// Reading lends to one reading. It is to be closed when that has ended, well or not.
func (b *Budget) Reading() *Reading {
	b.lock.Lock()
	defer b.lock.Unlock()
	r := &Reading{budget: b}
	if b.own > 0 {
		b.own--
		r.share = ownShare
	}
	b.open[r] = true
	return r
}

// Reading is what one reading has of a Budget: a catalog.Memory. A nil one lends without a bound. It is safe for concurrent use.
type Reading struct {
	budget *Budget
	// share is its own, taken what it has now, of which what is beyond its share is common.
	share, taken int
	// waiting is how many of its requests are in the queue.
	waiting int
	// read is the read in progress; nil before Begin and after its end.
	read *read
}

// Reserve reserves bytes, or returns an error when more are needed than are left. During a read it first waits for other readings to end,
// for at most MaxWait in all waits of the read.
func (r *Reading) Reserve(bytes int) error {
	if r == nil {
		return nil
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	wanted := &request{reading: r, bytes: bytes}
	switch {
	case r.budget.fits(wanted, r.budget.isWanted(false)):
		r.budget.lend(wanted)
		return nil
	case r.read == nil || r.beyond(r.taken+bytes) > commonShare:
		return errNoMemory()
	}
	return r.budget.wait(r.read.ctx, wanted)
}

// errNoMemory is the error of a reading that needs more memory than is left.
func errNoMemory() error {
	// No figure that differs from one try to the next: the text is a condition's.
	return fmt.Errorf("reading it takes more than %d KiB of memory, and too little is free of the further %d MiB that all catalogs share: "+
		"the manager reads it again later; if that fails too, ask the catalog's publisher to prune it",
		ownShare>>10, commonShare>>20)
}

// Release gives bytes back that were taken.
func (r *Reading) Release(bytes int) {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	r.give(bytes)
}

// Reset gives back all that was taken: the reading begins again.
func (r *Reading) Reset() {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	r.give(r.taken)
}

// Close gives back all that was taken, and the share.
func (r *Reading) Close() {
	if r == nil {
		return
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	r.give(r.taken)
	if r.share > 0 {
		r.budget.own++
		r.share = 0
	}
	delete(r.budget.open, r)
}

// Large waits until no other reading's messages may be large, during a read for at most MaxWait in all waits of the read. release is
// to be called when those of this one may not be any more.
func (r *Reading) Large(ctx context.Context) (release func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	b := r.budget
	b.lock.Lock()
	defer b.lock.Unlock()
	wanted := &request{reading: r, large: true}
	if b.fits(wanted, b.isWanted(true)) {
		b.lend(wanted)
	} else if err := b.wait(ctx, wanted); err != nil {
		return nil, fmt.Errorf("waiting for other catalogs with large messages: %w", err)
	}
	return func() {
		b.lock.Lock()
		defer b.lock.Unlock()
		b.large = nil
		b.settle()
	}, nil
}

// errWaited is the error of a reading that has waited for MaxWait for its turn with large messages.
var errWaited = errors.New("its turn has not come within " + MaxWait.String() + "; it is read again later")

func (r *Reading) give(bytes int) {
	returned := r.beyond(r.taken) - r.beyond(r.taken-bytes)
	r.budget.common += returned
	r.taken -= bytes
	if returned > 0 && (len(r.budget.queue) > 0 || !r.usesCommon()) {
		r.budget.settle()
	}
}

// beyond is how much of so many bytes is common.
func (r *Reading) beyond(bytes int) int { return max(0, bytes-r.share) }

// usesCommon is whether it has memory that is common.
func (r *Reading) usesCommon() bool { return r.beyond(r.taken) > 0 }
