package source_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/source"
)

func TestGuardMakesAnErrorOfAPanic(t *testing.T) {
	fault := errors.New("registry down")
	var nothing map[string]int
	cases := map[string]struct {
		work func() error
		want string
	}{
		"work that succeeds":            {func() error { return nil }, ""},
		"work that fails":               {func() error { return fault }, "registry down"},
		"a fault of the program":        {func() error { nothing["x"] = 1; return nil }, "assignment to entry in nil map"},
		"a panic with a page of text":   {func() error { panic(strings.Repeat("é", 10_000)) }, "…"},
		"a panic with an error":         {func() error { panic(fault) }, "registry down"},
		"a panic with nothing, as such": {func() error { panic(nil) }, "panic called with nil"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			err := source.Guard(`rendering "memo"`, c.work)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || len(err.Error()) > 500 {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if strings.HasPrefix(name, "a ") && !strings.Contains(err.Error(), `rendering "memo"`) {
				t.Errorf("%v does not say what was done", err)
			}
		})
	}
}

func TestJobsThatPanicAreTriedAgainAndHoldNobodyElseUp(t *testing.T) {
	woken := make(chan string, 10)
	clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	jobs, err := source.NewJobs(t.Context(), source.JobsConfig[string, string]{
		PerLane: 1, Total: 1, Clock: clock,
		Backoff: source.Backoff{First: 5 * time.Second, Last: 5 * time.Minute},
		Lane:    func(string) string { return "only" },
		Done:    func(name string) { woken <- name },
		Do: func(_ context.Context, wish string) (*string, error) {
			if wish == "hostile" {
				panic("index out of range")
			}
			return &wish, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{5 * time.Second, 10 * time.Second} {
		jobs.Ask("evil", "hostile")
		<-woken
		if got := jobs.Ask("evil", "hostile"); got.Err == nil || !strings.Contains(got.Err.Error(), `"evil"`) || got.Retry != wait {
			t.Fatalf("answer is %+v, want the panic and another try after %s", got, wait)
		}
		clock.SetTime(clock.Now().Add(wait))
	}
	jobs.Ask("memo", "good")
	<-woken
	if got := jobs.Ask("memo", "good"); got.Result == nil {
		t.Errorf("answer is %+v: the only slot was not given back", got)
	}
}
