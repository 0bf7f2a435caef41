package leaderelection

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// StallDetector refuses the writes of a leader that did not run for some time, because it was suspended or had no CPU. Leader election ends
// such a process when it runs again. Until then its goroutines continue, and could write while another process leads.
//
// A request that passed the detector before the stall is still sent. If its object has changed, the resourceVersion causes a conflict.
type StallDetector struct {
	limit time.Duration
	clock clock.Clock

	lock    sync.Mutex
	checked time.Time
	stalled error
}

// NewStallDetector returns a detector for a process that is the leader now. After a stall that is longer than limit, the detector refuses
// all writes.
func NewStallDetector(limit time.Duration, clock clock.Clock) *StallDetector {
	return &StallDetector{limit: limit, clock: clock, checked: clock.Now()}
}

// Run records that the process is running, at intervals of a tenth of the limit. It blocks until the context ends, and then returns nil.
// After a stall it returns an error, and the process must exit, because the detector refuses all its further writes.
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

// check returns an error if the process is found to have stalled, now or in an earlier call. If alive is true, check records that the
// process is running now.
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

// Wrap returns a transport that sends requests through next. After a stall, it returns an error for each request except GET.
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

// WrappedRoundTripper returns the wrapped transport. client-go calls it.
func (t stallTransport) WrappedRoundTripper() http.RoundTripper { return t.next }
