package catalogsource

import (
	"context"
	"fmt"
	"sync"
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
	// large holds the reading whose messages may be large.
	large chan struct{}
}

// NewBudget returns the budget for one process.
func NewBudget() *Budget {
	return &Budget{own: readings, common: commonShare, large: make(chan struct{}, 1)}
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
	return r
}

// Reading is what one reading has of a Budget: a catalog.Memory. A nil one lends without a bound. It is safe for concurrent use.
type Reading struct {
	budget *Budget
	// share is its own, taken what it has now, of which what is beyond its share is common.
	share, taken int
}

// Take reserves bytes, or says that they are more than is left.
func (r *Reading) Take(bytes int) error {
	if r == nil {
		return nil
	}
	r.budget.lock.Lock()
	defer r.budget.lock.Unlock()
	more := r.beyond(r.taken+bytes) - r.beyond(r.taken)
	if more > r.budget.common {
		// No figure that differs from one try to the next: the text is a condition's.
		return fmt.Errorf("reading it takes more than %d KiB of memory, and too little is free of the further %d MiB that all catalogs share: "+
			"the manager reads it again later; if that fails too, ask the catalog's publisher to prune it",
			ownShare>>10, commonShare>>20)
	}
	r.budget.common -= more
	r.taken += bytes
	return nil
}

// Return gives bytes back that were taken.
func (r *Reading) Return(bytes int) {
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
}

// Large waits until no other reading's messages may be large. release is to be called when those of this one may not be any more.
func (r *Reading) Large(ctx context.Context) (release func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	select {
	case r.budget.large <- struct{}{}:
		return func() { <-r.budget.large }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for other catalogs with large messages: %w", ctx.Err())
	}
}

func (r *Reading) give(bytes int) {
	r.budget.common += r.beyond(r.taken) - r.beyond(r.taken-bytes)
	r.taken -= bytes
}

// beyond is how much of so many bytes is common.
func (r *Reading) beyond(bytes int) int { return max(0, bytes-r.share) }
