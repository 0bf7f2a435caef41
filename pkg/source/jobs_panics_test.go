package source_test

import (
	"context"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/source"
)

func TestJobsThatPanicAreTriedAgainAndHoldNobodyElseUp(t *testing.T) {
	woken := make(chan string, 10)
	clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	jobs, err := source.NewJobs(t.Context(), source.JobsConfig[string, string]{
		PerHost: 1, Total: 1, Clock: clock, Tasks: &background.Tasks{},
		Backoff: source.Backoff{First: 5 * time.Second, Last: 5 * time.Minute},
		Host:    func(string) string { return "only" },
		Done:    func(name string) { woken <- name },
		Do: func(_ context.Context, request string) (*string, error) {
			if request == "hostile" {
				panic("index out of range")
			}
			return &request, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{5 * time.Second, 10 * time.Second} {
		jobs.Request("evil", "hostile")
		<-woken
		if got := jobs.Request("evil", "hostile"); got.Err == nil || !strings.Contains(got.Err.Error(), `"evil"`) || got.Retry != wait {
			t.Fatalf("progress is %+v, want the panic and another try after %s", got, wait)
		}
		clock.SetTime(clock.Now().Add(wait))
	}
	jobs.Request("memo", "good")
	<-woken
	if got := jobs.Request("memo", "good"); got.Result == nil {
		t.Errorf("progress is %+v: the only slot was not given back", got)
	}
}
