package faults

import (
	"sync"
)

// Always is for Fault.Times: every time from the Nth on.
const Always = -1

// Fault is something that goes wrong.
type Fault struct {
	// On picks the requests; required.
	On Match
	// Nth of them is the first that it happens to, counted from 1; 0 is 1.
	Nth int
	// Times is to how many in a row; 0 is 1, Always is all.
	Times int
	// Do is what happens; required.
	Do Act
}

// Injection is a fault that is in place.
type Injection struct {
	fault  Fault
	lifted chan struct{}
	done   chan struct{}

	mu      sync.Mutex
	seen    int
	pending int
	struck  []Request
	lift    sync.Once
}

// Done is closed when the fault has happened as often as it was to happen, and what it did is done.
func (i *Injection) Done() <-chan struct{} { return i.done }

// Lift takes the fault out again; requests that it holds are let go.
func (i *Injection) Lift() { i.lift.Do(func() { close(i.lifted) }) }

// Struck are the requests that it happened to so far.
func (i *Injection) Struck() []Request {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]Request{}, i.struck...)
}

// takes says whether the fault happens to this request, which counts it.
func (i *Injection) takes(r Request) bool {
	select {
	case <-i.lifted:
		return false
	default:
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.fault.On(r) {
		return false
	}
	i.seen++
	first, times := max(i.fault.Nth, 1), i.fault.Times
	if times == 0 {
		times = 1
	}
	if i.seen < first || times != Always && i.seen >= first+times {
		return false
	}
	i.struck = append(i.struck, r)
	i.pending++
	return true
}

// finished is called when what happened to a request is over.
func (i *Injection) finished() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pending--
	if i.pending == 0 && i.fault.Times != Always && len(i.struck) == max(i.fault.Times, 1) {
		close(i.done)
	}
}
