package source_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/source"
)

// bench runs jobs whose results come from the test. A request is "host/name".
type bench struct {
	*source.Jobs[string, string]
	clock   *clocktesting.FakePassiveClock
	started chan string
	answers chan error
	woken   chan string
	running atomic.Int32
	tasks   background.Tasks
}

func newBench(t *testing.T, perHost, total int) *bench {
	t.Helper()
	b := &bench{
		clock:   clocktesting.NewFakePassiveClock(time.Unix(1000, 0)),
		started: make(chan string, 100), answers: make(chan error), woken: make(chan string, 100),
	}
	jobs, err := source.NewJobs(t.Context(), source.JobsConfig[string, string]{
		PerHost: perHost, Total: total, Clock: b.clock, Tasks: &b.tasks,
		Backoff: source.Backoff{First: 5 * time.Second, Last: 5 * time.Minute},
		Host:    func(request string) string { return strings.Split(request, "/")[0] },
		Done:    func(name string) { b.woken <- name },
		Do: func(ctx context.Context, request string) (*string, error) {
			b.running.Add(1)
			defer b.running.Add(-1)
			b.started <- request
			select {
			case err := <-b.answers:
				result := "done: " + request
				return &result, err
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.Jobs = jobs
	return b
}

func TestJobsAnswerWithoutBlocking(t *testing.T) {
	b := newBench(t, 1, 1)
	if got := b.Request("memo", "a/memo"); got.Result != nil || got.Err != nil {
		t.Errorf("first progress is %+v, want nothing yet", got)
	}
	<-b.started
	b.answers <- nil
	if name := <-b.woken; name != "memo" {
		t.Errorf("woke up %q", name)
	}
	if got := b.Request("memo", "a/memo"); got.Result == nil || *got.Result != "done: a/memo" {
		t.Errorf("progress is %+v", got)
	}
}

func TestJobsAreTriedAgainWithBackOff(t *testing.T) {
	b := newBench(t, 1, 1)
	fault := errors.New("registry down")
	for _, wait := range []time.Duration{5 * time.Second, 10 * time.Second} {
		b.Request("memo", "a/memo")
		<-b.started
		b.answers <- fault
		<-b.woken
		if got := b.Request("memo", "a/memo"); !errors.Is(got.Err, fault) || got.Retry != wait || got.Result != nil {
			t.Fatalf("progress is %+v, want the fault and another try after %s", got, wait)
		}
		if b.running.Load() != 0 {
			t.Fatal("tried again before its time")
		}
		b.clock.SetTime(b.clock.Now().Add(wait))
	}
	if got := b.Request("memo", "a/memo"); !errors.Is(got.Err, fault) || got.Retry != 0 {
		t.Errorf("progress while it is tried again is %+v, want the fault of before, so that status does not flap", got)
	}
	<-b.started
	b.answers <- nil
	<-b.woken
	if got := b.Request("memo", "a/memo"); got.Result == nil {
		t.Errorf("progress is %+v, want the result", got)
	}
}

func TestENG_S13_FailedJobsAreRetriedWhenTheCauseMayBeGone(t *testing.T) {
	b := newBench(t, 2, 2)
	for _, name := range []string{"failed", "done"} {
		b.Request(name, "a/"+name)
		<-b.started
		var err error
		if name == "failed" {
			err = errors.New("no mirror")
		}
		b.answers <- err
		<-b.woken
	}
	b.Request("running", "b/running")
	<-b.started
	if got := b.Request("failed", "a/failed"); got.Retry != 5*time.Second {
		t.Errorf("progress is %+v, want a pause", got)
	}
	b.RetryFailed(func(request string) bool { return request != "a/failed" })
	select {
	case name := <-b.woken:
		t.Errorf("woke up %q, which is not affected", name)
	default:
	}
	b.RetryFailed(func(string) bool { return true })
	if name := <-b.woken; name != "failed" {
		t.Errorf("woke up %q", name)
	}
	if got := b.Request("failed", "a/failed"); got.Retry != 0 || got.Err == nil {
		t.Errorf("progress is %+v, want the former error during another attempt", got)
	}
	if request := <-b.started; request != "a/failed" {
		t.Errorf("started %q", request)
	}
	b.RetryFailed(func(string) bool { return true }) // what runs is not woken up
	select {
	case name := <-b.woken:
		t.Errorf("woke up %q", name)
	default:
	}
	b.answers <- errors.New("no mirror")
	name := <-b.woken
	if got := b.Request(name, map[string]string{"failed": "a/failed", "running": "b/running"}[name]); got.Retry != 0 || got.Err == nil {
		t.Errorf("progress of %q, which failed while the cause was removed, is %+v; want another attempt at once", name, got)
	}
}

func TestJobsDropWhatIsNotWantedAnyMore(t *testing.T) {
	b := newBench(t, 1, 1)
	b.Request("memo", "a/slow")
	<-b.started
	b.Request("memo", "a/good") // the only slot is taken by the slow request, which this request cancels
	if next := <-b.started; next != "a/good" {
		t.Fatalf("works on %q", next)
	}
	b.Cancel("memo")
	<-b.woken
	<-b.woken
	b.Request("memo", "a/good")
	if next := <-b.started; next != "a/good" {
		t.Errorf("works on %q; what was cancelled is forgotten, and asked for anew", next)
	}
}

func TestJobsOfASlowRegistryHoldNobodyElseUp(t *testing.T) {
	b := newBench(t, 2, 4)
	for i := range 10 {
		b.Request(fmt.Sprintf("slow-%d", i), fmt.Sprintf("slow/%d", i))
	}
	for range 2 {
		if next := <-b.started; !strings.HasPrefix(next, "slow/") {
			t.Fatalf("works on %q", next)
		}
	}
	b.Request("memo", "fast/memo")
	if next := <-b.started; next != "fast/memo" {
		t.Errorf("works on %q; eight that wait for the slow registry are before it", next)
	}
	if running := b.running.Load(); running != 3 {
		t.Errorf("%d are worked on, want two of the slow registry's and one of the other's", running)
	}
}

func TestJobsAreNeverMoreThanTheirTotal(t *testing.T) {
	b := newBench(t, 2, 3)
	for i := range 10 {
		b.Request(fmt.Sprint(i), fmt.Sprintf("host-%d/x", i))
	}
	for range 10 {
		<-b.started
		if running := b.running.Load(); running > 3 {
			t.Errorf("%d are worked on at once, want 3 at most", running)
		}
		b.answers <- nil
		<-b.woken
	}
}

func TestJobsNeedAWholeConfig(t *testing.T) {
	if _, err := source.NewJobs(t.Context(), source.JobsConfig[string, string]{}); err == nil {
		t.Error("jobs that can do nothing were made")
	}
}

func TestBackoffDoublesToItsEnd(t *testing.T) {
	b := source.Backoff{First: 5 * time.Second, Last: 5 * time.Minute}
	for failures, want := range map[int]time.Duration{0: 5 * time.Second, 1: 5 * time.Second, 2: 10 * time.Second, 3: 20 * time.Second, 7: 5 * time.Minute, 1 << 40: 5 * time.Minute} {
		if got := b.After(failures); got != want {
			t.Errorf("after %d failures it waits %s, want %s", failures, got, want)
		}
	}
}

func ExampleJobs() {
	woken := make(chan string)
	jobs, err := source.NewJobs(context.Background(), source.JobsConfig[string, int]{
		PerHost: 1, Total: 4, Clock: clock.RealClock{}, Tasks: &background.Tasks{},
		Backoff: source.Backoff{First: time.Second, Last: time.Minute},
		Host:    func(string) string { return "only" },
		Done:    func(name string) { woken <- name },
		Do:      func(_ context.Context, request string) (*int, error) { size := len(request); return &size, nil },
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(jobs.Request("memo", "four").Result == nil)
	fmt.Println(<-woken, *jobs.Request("memo", "four").Result)
	// Output:
	// true
	// memo 4
}

func TestACallerCanWaitForRequests(t *testing.T) {
	b := newBench(t, 1, 1)
	b.Request("memo", "r/memo:v1")
	<-b.started
	waited := make(chan error, 1)
	go func() { waited <- b.tasks.Wait(t.Context()) }()
	b.answers <- nil
	if err := <-waited; err != nil {
		t.Error(err)
	}
	if name, got := <-b.woken, b.Request("memo", "r/memo:v1"); name != "memo" || got.Result == nil {
		t.Errorf("after the wait %q is woken, and has %+v", name, got)
	}
}
