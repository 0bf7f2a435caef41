package scenario

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// recorder keeps the requests that were answered, and counts those in flight. Watches, which last, are kept apart.
type recorder struct {
	mu       sync.Mutex
	requests []Request
	watches  []Request
	inFlight int
	// lastWrite is the time of the last write, except of a Lease: leaders renew theirs for ever.
	lastWrite time.Time
}

func newRecorder() *recorder { return &recorder{lastWrite: time.Now()} }

func (r *recorder) begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight++
}

func (r *recorder) end(answered Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight--
	r.requests = append(r.requests, answered)
	if answered.IsWrite() && !answered.isElection() {
		r.lastWrite = time.Now()
	}
}

// watch records the beginning of a watch.
func (r *recorder) watch(answered Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watches = append(r.watches, answered)
}

func (r *recorder) allWatches() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.watches)
}

func (r *recorder) all() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

func (r *recorder) quietSince(since time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.inFlight == 0 && !r.lastWrite.After(since)
}

// busy lists the requests in flight and the last writes.
func (r *recorder) busy() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var writes []string
	for _, request := range slices.Backward(r.requests) {
		if request.IsWrite() && !request.isElection() && len(writes) < settleLastWrites {
			writes = append(writes, fmt.Sprintf("%s %s", request.Time.UTC().Format(time.TimeOnly), request))
		}
	}
	slices.Reverse(writes)
	return fmt.Sprintf("%d requests are in flight; the last writes were:\n%s", r.inFlight, strings.Join(writes, "\n"))
}
