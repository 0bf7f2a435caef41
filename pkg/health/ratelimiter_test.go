package health_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/health"
)

// flapping is a contribution that appears and disappears alternately.
func flapping(name string, flip int) health.Contribution {
	if flip%2 == 0 {
		return health.Contribution{Name: name}
	}
	return health.Contribution{Name: name, Verb: "Upgrading"}
}

// passed returns how often the result changes for this sequence of contributions, from the second one on.
func passed(limiter *health.RateLimiter, start time.Time, every time.Duration, says ...health.Contribution) (changes int) {
	var before health.Contribution
	for i, each := range says {
		shown, _ := limiter.Limit(start.Add(time.Duration(i)*every), []health.Contribution{each})
		if i > 0 && shown[0] != before {
			changes++
		}
		before = shown[0]
	}
	return changes
}

func TestRateLimiterPermitsTenChangesInTenMinutes(t *testing.T) {
	const flips, window = 200, 10 * time.Minute
	says := make([]health.Contribution, flips+1)
	for i := range says {
		says[i] = flapping("a", i)
	}
	changes := passed(&health.RateLimiter{}, now, window/flips, says...)
	if changes > 10 || changes < health.ChangeBurst {
		t.Errorf("%d changes are shown, want %d to 10", changes, health.ChangeBurst)
	}
}

func TestRateLimiterDoesNotDelayFirstChangesAndEndOfInstallation(t *testing.T) {
	says := []health.Contribution{{Name: "a", Waiting: "not evaluated yet"}}
	for i := range 30 { // each with another text
		says = append(says, health.Contribution{Name: "a", Verb: "Installing", Waiting: fmt.Sprintf("%d of 30 objects applied", i)})
	}
	limiter := &health.RateLimiter{}
	passed(limiter, now, time.Second, says...)
	for i, next := range []health.Contribution{{Name: "a", Waiting: "unhealthy"}, {Name: "a"}, {Name: "a", Verb: "Upgrading"}, {Name: "a"}} {
		shown, wait := limiter.Limit(now.Add(time.Minute), []health.Contribution{next})
		if shown[0] != next || wait != 0 {
			t.Errorf("change %d: shown is %+v, %s later something else; want %+v", i, shown[0], wait, next)
		}
	}
}

func TestRateLimiterReturnsSteadyMessagesFirst(t *testing.T) {
	waiting := func(words string) []health.Contribution { return []health.Contribution{{Name: "a", Waiting: words}} }
	limiter := &health.RateLimiter{}
	at := now
	var wait time.Duration
	for _, words := range []string{"not evaluated yet", "unpacking", "unpacked", "3 of 4 applied"} {
		_, wait = limiter.Limit(at, waiting(words))
		at = at.Add(time.Second)
	}
	at = at.Add(-time.Second)
	if wait <= 0 || wait > 15*time.Second {
		t.Fatalf("words that stand are shown %s later", wait)
	}
	if shown, _ := limiter.Limit(at.Add(wait-time.Second), waiting("3 of 4 applied")); shown[0].Waiting == "3 of 4 applied" {
		t.Error("they are shown before they have stood for some time")
	}
	if shown, _ := limiter.Limit(at.Add(wait), waiting("3 of 4 applied")); shown[0].Waiting != "3 of 4 applied" {
		t.Errorf("after the wait it says %q", shown[0].Waiting)
	}
}

func TestRateLimiterReturnsTheCurrentContributionWhenPermitted(t *testing.T) {
	limiter := &health.RateLimiter{}
	var wait time.Duration
	var shown []health.Contribution
	last := health.ChangeBurst + 1
	for i := range last + 1 { // the first one changes nothing
		shown, wait = limiter.Limit(now, []health.Contribution{flapping("a", i)})
	}
	if want := flapping("a", last); shown[0] == want {
		t.Fatalf("%+v is shown at once, after as many changes as may be", want)
	}
	if wait <= 0 || wait > health.ChangeInterval+time.Second {
		t.Fatalf("it may be shown %s later, want %s", wait, health.ChangeInterval)
	}
	shown, _ = limiter.Limit(now.Add(wait-time.Second), []health.Contribution{flapping("a", last)})
	if shown[0] == flapping("a", last) {
		t.Errorf("it is shown before it may be")
	}
	shown, left := limiter.Limit(now.Add(wait), []health.Contribution{flapping("a", last)})
	if shown[0] != flapping("a", last) || left != 0 {
		t.Errorf("after the wait %+v is shown, and %s more to wait", shown[0], left)
	}
}

func TestRateLimiterIsIndependentForEachOperator(t *testing.T) {
	limiter := &health.RateLimiter{}
	for i := range 50 {
		limiter.Limit(now, []health.Contribution{flapping("a", i), {Name: "b"}})
	}
	want := []health.Contribution{{Name: "c", Verb: "Installing"}, {Name: "b", Unhealthy: "down"}}
	got, _ := limiter.Limit(now, want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRateLimiterCountsChangesOfDeletedOperators(t *testing.T) {
	limiter := &health.RateLimiter{}
	appearances, seen := 0, false
	for i := range 100 { // created and deleted repeatedly
		var current []health.Contribution
		if i%2 == 0 {
			current = append(current, health.Contribution{Name: "a", Verb: "Installing"})
		}
		shown, _ := limiter.Limit(now, current)
		visible := len(shown) > 0 && shown[0].Verb != ""
		if visible && i%2 == 1 {
			t.Fatal("an operator is shown that is gone")
		}
		if visible && !seen {
			appearances++
		}
		seen = visible
	}
	if appearances > health.ChangeBurst {
		t.Errorf("it appears %d times", appearances)
	}
	later := now.Add((health.ChangeBurst + 1) * health.ChangeInterval)
	limiter.Limit(later, nil)
	if changes := passed(limiter, later, 0, flapping("a", 0), flapping("a", 1), flapping("a", 2)); changes != 2 {
		t.Errorf("an operator of the same name, much later, has %d changes shown, want 2", changes)
	}
}

func ExampleRateLimiter() {
	limiter, at := &health.RateLimiter{}, time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	limiter.Limit(at, []health.Contribution{{Name: "quay"}})
	for i := 1; i <= 8; i++ { // eight upgrades start and end within a minute
		says := health.Contribution{Name: "quay"}
		if i%2 == 1 {
			says.Verb = "Upgrading"
		}
		shown, wait := limiter.Limit(at, []health.Contribution{says})
		fmt.Printf("%q: %q is shown, %s to wait\n", says.Verb, shown[0].Verb, wait.Round(time.Minute))
	}
	// Output:
	// "Upgrading": "Upgrading" is shown, 0s to wait
	// "": "" is shown, 0s to wait
	// "Upgrading": "Upgrading" is shown, 0s to wait
	// "": "" is shown, 0s to wait
	// "Upgrading": "Upgrading" is shown, 0s to wait
	// "": "" is shown, 0s to wait
	// "Upgrading": "" is shown, 3m0s to wait
	// "": "" is shown, 0s to wait
}
