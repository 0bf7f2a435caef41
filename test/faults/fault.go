package faults

import (
	"sync"
)

// Always is a value for Fault.Times: the fault affects every selected request from the Nth on.
const Always = -1

// Fault selects requests and defines what happens to them.
type Fault struct {
	// On selects the requests. It is required.
	On Match
	// Nth is the first selected request that the fault affects, counted from 1. 0 means 1.
	Nth int
	// Times is the number of consecutive selected requests that the fault affects. 0 means 1; Always means all.
	Times int
	// Do is the action for an affected request. It is required.
	Do Action
}

// Injection is a fault that a Proxy injects. Its methods may be called concurrently.
type Injection struct {
	fault   Fault
	removed chan struct{}
	done    chan struct{}

	mu       sync.Mutex
	seen     int
	pending  int
	affected []Request
	once     sync.Once
}

// Done returns a channel that is closed when the fault has affected Times requests and their actions have ended. It is never
// closed if Times is Always.
func (i *Injection) Done() <-chan struct{} { return i.done }

// Remove removes the fault, which then affects no more requests. For a request that an action is holding, the Action defines what happens.
// Further calls of Remove do nothing.
func (i *Injection) Remove() { i.once.Do(func() { close(i.removed) }) }

// Affected returns the requests that the fault has affected so far.
func (i *Injection) Affected() []Request {
	i.mu.Lock()
	defer i.mu.Unlock()
	return append([]Request{}, i.affected...)
}

// claimRequest counts the request if the fault selects it. It reports whether the fault affects the request.
func (i *Injection) claimRequest(r Request) bool {
	select {
	case <-i.removed:
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
	i.affected = append(i.affected, r)
	i.pending++
	return true
}

// finished must be called when the action for an affected request has ended. After the last action, it closes the channel that Done
// returns.
func (i *Injection) finished() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.pending--
	if i.pending == 0 && i.fault.Times != Always && len(i.affected) == max(i.fault.Times, 1) {
		close(i.done)
	}
}
