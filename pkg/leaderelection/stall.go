package leaderelection

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// StallDetector stops the writes of a leader that did not run for some time, because it was suspended or got no CPU. Leader
// election ends such a process when it runs again. Until then its goroutines continue where they were, and would write while
// another process leads.
//
// A request that was already past the detector when the process stopped running is sent all the same. Its object's
// resourceVersion decides about it.
type StallDetector struct {
	limit time.Duration
	clock clock.Clock

	lock    sync.Mutex
	checked time.Time
	stalled error
}

// NewStallDetector returns a detector for a process that leads now and may stall for limit, at most.
func NewStallDetector(limit time.Duration, clock clock.Clock) *StallDetector {
	return &StallDetector{limit: limit, clock: clock, checked: clock.Now()}
}

// Run checks, several times within the limit, that the process runs. It returns an error after a stall, and nil when the context
// ends. The process must end after a stall: its writes are refused from then on.
func (d *StallDetector) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.clock.After(d.limit / 10):
		}
		if err := d.check(true); err != nil {
			return err
		}
	}
}

// check returns an error once the process has stalled. alive notes that the process runs.
func (d *StallDetector) check(alive bool) error {
	d.lock.Lock()
	defer d.lock.Unlock()
	now := d.clock.Now()
	if gap := now.Sub(d.checked); d.stalled == nil && gap > d.limit {
		d.stalled = fmt.Errorf("this process did not run for %s, longer than the limit of %s: another process may lead by now",
			gap.Round(time.Millisecond), d.limit)
	}
	if alive {
		d.checked = now
	}
	return d.stalled
}

// Wrap returns a transport that refuses every request but GET after a stall.
func (d *StallDetector) Wrap(next http.RoundTripper) http.RoundTripper {
	return stallTransport{d, next}
}

type stallTransport struct {
	detector *StallDetector
	next     http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t stallTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Method != http.MethodGet {
		if err := t.detector.check(false); err != nil {
			if request.Body != nil {
				request.Body.Close()
			}
			return nil, err
		}
	}
	return t.next.RoundTrip(request)
}

// WrappedRoundTripper returns the wrapped transport; client-go calls it.
func (t stallTransport) WrappedRoundTripper() http.RoundTripper { return t.next }
