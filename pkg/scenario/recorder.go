package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// recorder records the requests that have ended, the requests in flight, and the watches that started.
type recorder struct {
	mu       sync.Mutex
	requests []Request
	watches  []Request
	// inFlight holds the requests that have not ended, keyed by the numbers that begin returned. sent is the last such number.
	inFlight map[int]Request
	sent     int
	// second is the beginning of the current second. inSecond is the number of requests since then. loop is the first request that exceeded
	// maxPerSecond, or nil.
	second       time.Time
	inSecond     int
	maxPerSecond int
	loop         *Request
	// lastWrite is the time at which the last write ended. It ignores writes to Leases, because leaders renew Leases forever.
	lastWrite time.Time
}

func newRecorder(maxPerSecond int) *recorder {
	return &recorder{inFlight: map[int]Request{}, lastWrite: time.Now(), maxPerSecond: maxPerSecond}
}

// count counts a request, and reports whether it may be sent. Once a second had more than maxPerSecond requests, count always returns
// false. Virtual time only advances when all goroutines wait, so an endless loop of requests would never end by itself.
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

// begin records that a request is in flight. It returns a number for end, which the caller must call when the request is complete.
func (r *recorder) begin(request Request) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent++
	r.inFlight[r.sent] = request
	return r.sent
}

// endless returns an error if some second of virtual time had more than maxPerSecond requests, otherwise nil.
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

// watch records a watch that the API server has answered.
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

// busy describes the oldest requests in flight and the last writes, for the error of Settle.
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
