package leaderelection

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"
	testingclock "k8s.io/utils/clock/testing"
)

func TestStallDetectorRefusesWritesAfterAStall(t *testing.T) {
	const limit = 30 * time.Second
	for name, test := range map[string]struct {
		gaps    []time.Duration // between two signs of life; the last is until the request
		method  string
		refused bool
	}{
		"a write of a process that runs":               {[]time.Duration{limit / 10}, http.MethodPut, false},
		"a write after many signs of life":             {[]time.Duration{limit, limit, limit, limit}, http.MethodPut, false},
		"a write after a stall":                        {[]time.Duration{limit + 1}, http.MethodPut, true},
		"a creation after a stall":                     {[]time.Duration{limit + 1}, http.MethodPost, true},
		"a deletion after a stall":                     {[]time.Duration{limit + 1}, http.MethodDelete, true},
		"a read after a stall":                         {[]time.Duration{limit + 1}, http.MethodGet, false},
		"a write after a stall and more signs of life": {[]time.Duration{limit + 1, 1, 1}, http.MethodPatch, true},
	} {
		t.Run(name, func(t *testing.T) {
			now := testingclock.NewFakeClock(time.Unix(1e9, 0))
			detector := NewStallDetector(limit, now)
			for i, gap := range test.gaps {
				now.Step(gap)
				if i < len(test.gaps)-1 {
					_ = detector.check(true)
				}
			}
			sent := false
			transport := detector.Wrap(roundTrips(func(*http.Request) (*http.Response, error) {
				sent = true
				return &http.Response{}, nil
			}))
			_, err := transport.RoundTrip(httptest.NewRequest(test.method, "/", strings.NewReader("body")))
			if (err != nil) != test.refused || sent == test.refused {
				t.Errorf("error %v, sent: %t; want refused: %t", err, sent, test.refused)
			}
		})
	}
}

type roundTrips func(*http.Request) (*http.Response, error)

func (f roundTrips) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestStallDetectorRuns(t *testing.T) {
	t.Run("until the context ends", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			detector := NewStallDetector(time.Second, clock.RealClock{})
			ended := make(chan error, 1)
			go func() { ended <- detector.Run(t.Context()) }()
			time.Sleep(time.Hour)
			select {
			case err := <-ended:
				t.Errorf("it ended with error %v in a process that runs", err)
			default:
			}
		})
	})
	t.Run("until a stall", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			now := testingclock.NewFakeClock(time.Unix(1e9, 0))
			detector := NewStallDetector(30*time.Second, now)
			ended := make(chan error, 1)
			go func() { ended <- detector.Run(t.Context()) }()
			synctest.Wait() // until it waits for the ticker
			now.Step(31 * time.Second)
			if err := <-ended; err == nil || !strings.Contains(err.Error(), "did not run for 31s") {
				t.Errorf("it ended with error %v", err)
			}
		})
	})
}
