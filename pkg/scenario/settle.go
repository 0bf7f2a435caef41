package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"
)

const (
	// settleStep is how far Settle lets time go on before it looks again.
	settleStep = time.Second
	// settleQuiet is for how long nothing may be written in a cluster that has settled. Controllers pace some writes by seconds.
	settleQuiet = 10 * time.Second
	// settleWithin bounds how long a cluster may take to settle.
	settleWithin = 10 * time.Minute
	// settleShown is how many of the last writes an error shows.
	settleShown = 10
)

// Settle lets time go on until nothing was written for 10 seconds and no request is under way, leases of leader election aside. A cluster
// that does not settle within 10 minutes is an error, which shows what was written last. It must be called in a bubble; all times are
// the bubble's.
func (c *Cluster) Settle() error {
	deadline := time.Now().Add(settleWithin)
	for {
		time.Sleep(settleStep)
		synctest.Wait()
		if c.recorder.quietSince(time.Now().Add(-settleQuiet)) {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the cluster has not settled within %s; %s", settleWithin, c.recorder.busy())
		}
	}
}

func (r *recorder) quietSince(since time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pending == 0 && !r.lastWrite.After(since)
}

// busy says what goes on: requests without an answer, and the last writes.
func (r *recorder) busy() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var writes []string
	for _, request := range slices.Backward(r.requests) {
		if request.IsWrite() && request.Resource != leases && len(writes) < settleShown {
			writes = append(writes, fmt.Sprintf("%s %s", request.Time.UTC().Format(time.TimeOnly), request))
		}
	}
	slices.Reverse(writes)
	return fmt.Sprintf("%d requests have no answer; the last writes were:\n%s", r.pending, strings.Join(writes, "\n"))
}
