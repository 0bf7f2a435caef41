package scenario

import (
	"fmt"
	"maps"
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
	// inFlight are the requests without an answer, by the order in which they were sent.
	inFlight map[int]Request
	sent     int
	// inSecond counts the requests since second began, of which there may be maxPerSecond. loop is the one that was too many.
	second       time.Time
	inSecond     int
	maxPerSecond int
	loop         *Request
	// lastWrite is the time of the last write, except of a Lease: leaders renew theirs for ever.
	lastWrite time.Time
}

func newRecorder(maxPerSecond int) *recorder {
	return &recorder{inFlight: map[int]Request{}, lastWrite: time.Now(), maxPerSecond: maxPerSecond}
}

// count counts a request. It returns false once there were too many in a second: virtual time goes on only when everything waits, so an
// endless loop of requests would never end.
func (r *recorder) count(request Request) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.second) >= time.Second {
		r.second, r.inSecond = now, 0
	}
	if r.inSecond++; r.inSecond > r.maxPerSecond && r.loop == nil {
		r.loop = &request
	}
	return r.loop == nil
}

// begin records that a request is in flight. The answer must be passed to end with the number that begin returns.
func (r *recorder) begin(request Request) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent++
	r.inFlight[r.sent] = request
	return r.sent
}

// endless returns an error if requests were sent in an endless loop.
func (r *recorder) endless() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.loop == nil {
		return nil
	}
	return fmt.Errorf("more than %d requests were sent within a second of virtual time; process %d sends requests in a loop without a back-off, the last one was %s", r.maxPerSecond, r.loop.Process, *r.loop)
}

func (r *recorder) end(number int, answered Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.inFlight, number)
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
	return len(r.inFlight) == 0 && !r.lastWrite.After(since)
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
	waiting := make([]string, 0, settleInFlight)
	for _, number := range slices.Sorted(maps.Keys(r.inFlight)) {
		if request := r.inFlight[number]; len(waiting) < settleInFlight {
			waiting = append(waiting, fmt.Sprintf("%s %s\n", request.Time.UTC().Format(time.TimeOnly), request))
		}
	}
	return fmt.Sprintf("%d requests are in flight:\n%sthe last writes were:\n%s", len(r.inFlight), strings.Join(waiting, ""), strings.Join(writes, "\n"))
}
