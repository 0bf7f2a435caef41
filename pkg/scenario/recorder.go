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
	// atOnce counts the requests of the moment now, of which there may be maxAtOnce. loop is the one that was too many.
	now       time.Time
	atOnce    int
	maxAtOnce int
	loop      *Request
	// lastWrite is the time of the last write, except of a Lease: leaders renew theirs for ever.
	lastWrite time.Time
}

func newRecorder(maxAtOnce int) *recorder {
	return &recorder{lastWrite: time.Now(), maxAtOnce: maxAtOnce}
}

// begin counts a request. It returns false once there were too many in one moment: virtual time would never go on by itself.
func (r *recorder) begin(request Request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.inFlight++
	if now := time.Now(); now != r.now {
		r.now, r.atOnce = now, 0
	}
	if r.atOnce++; r.atOnce > r.maxAtOnce && r.loop == nil {
		r.loop = &request
	}
	return r.loop == nil
}

// endless returns an error if requests were sent in an endless loop.
func (r *recorder) endless() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loop == nil {
		return nil
	}
	return fmt.Errorf("more than %d requests were sent without a pause, the last of them by process %d: %s", r.maxAtOnce, r.loop.Process, *r.loop)
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
