package source_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/source"
)

// awaited are jobs whose attempts Request awaits. do carries out an attempt.
type awaited struct {
	*source.Jobs[string, string]
	clock    *clocktesting.FakePassiveClock
	do       func(request string) (*string, error)
	attempts []string
	done     []string
}

func newAwaited(t *testing.T) *awaited {
	t.Helper()
	a := &awaited{clock: clocktesting.NewFakePassiveClock(time.Unix(1000, 0))}
	jobs, err := source.NewJobs(t.Context(), source.JobsConfig[string, string]{
		PerHost: 1, Total: 1, Clock: a.clock, Tasks: &background.Tasks{Await: true},
		Backoff: source.Backoff{First: 5 * time.Second, Last: 5 * time.Minute},
		Host:    func(string) string { return "only" },
		Done:    func(name string) { a.done = append(a.done, name) },
		Do: func(_ context.Context, request string) (*string, error) {
			a.attempts = append(a.attempts, request)
			return a.do(request)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Jobs = jobs
	return a
}

func succeed(request string) (*string, error) {
	result := "done: " + request
	return &result, nil
}

func TestAnAwaitedRequestReturnsItsResult(t *testing.T) {
	a := newAwaited(t)
	a.do = succeed
	for range 2 { // the second request has the result of the only attempt
		if got := a.Request("memo", "a"); got.Err != nil || got.Result == nil || *got.Result != "done: a" || got.Retry != 0 {
			t.Errorf("progress is %+v, want the result", got)
		}
	}
	if !slices.Equal(a.attempts, []string{"a"}) || !slices.Equal(a.done, []string{"memo"}) {
		t.Errorf("attempts %q, done %q", a.attempts, a.done)
	}
}

func TestAnAwaitedRequestReturnsTheErrorAndTheRetryOfTheAttemptThatItStarted(t *testing.T) {
	a := newAwaited(t)
	first, second := errors.New("registry down"), errors.New("registry full")
	for _, attempt := range []struct {
		fault error
		retry time.Duration
	}{{first, 5 * time.Second}, {second, 10 * time.Second}} {
		a.do = func(string) (*string, error) { return nil, attempt.fault }
		for range 2 { // the clock does not move, so that the second request starts no attempt
			if got := a.Request("memo", "a"); !errors.Is(got.Err, attempt.fault) || got.Retry != attempt.retry || got.Result != nil {
				t.Errorf("progress is %+v, want %v and the next try after %s", got, attempt.fault, attempt.retry)
			}
		}
		a.clock.SetTime(a.clock.Now().Add(attempt.retry))
	}
	if len(a.attempts) != 2 {
		t.Errorf("%d attempts, want 2", len(a.attempts))
	}
	a.do = succeed
	if got := a.Request("memo", "a"); got.Err != nil || got.Result == nil || got.Retry != 0 {
		t.Errorf("progress after a good attempt is %+v, want its result only", got)
	}
}

func TestThePanicOfAnAwaitedAttemptIsItsError(t *testing.T) {
	a := newAwaited(t)
	a.do = func(string) (*string, error) { panic("a bundle that nobody expected") }
	if got := a.Request("memo", "a"); got.Err == nil || got.Retry != 5*time.Second || got.Result != nil {
		t.Errorf("progress is %+v, want the panic as an error and another try", got)
	}
	a.do = succeed
	if got := a.Request("other", "b"); got.Result == nil {
		t.Errorf("progress of the next request is %+v, want its result", got)
	}
}
