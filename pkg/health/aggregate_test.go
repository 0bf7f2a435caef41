package health_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/health"
)

var now = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

const degradedAfter = 10 * time.Minute

func ago(minutes int) time.Time { return now.Add(-time.Duration(minutes) * time.Minute) }

func view(status, reason, message string, minutes int) health.ConditionView {
	return health.ConditionView{Status: status, Reason: reason, Message: message, Since: ago(minutes)}
}

// working returns the state of an operator that has been installed and healthy for an hour.
func working(name string) health.OperatorState {
	return health.OperatorState{
		Name:          name,
		Installed:     view("True", "InstallSuccessful", "", 60),
		Progressing:   view("False", "AsExpected", "", 60),
		Healthy:       view("True", "AsExpected", "", 60),
		EverInstalled: true,
	}
}

func with(s health.OperatorState, change func(*health.OperatorState)) health.OperatorState {
	change(&s)
	return s
}

func fresh(name string) health.OperatorState {
	return health.OperatorState{Name: name, Installed: view("False", "InstallPending", "applying 3 objects", 1), Progressing: view("True", "Installing", "", 1), Healthy: view("Unknown", "Unknown", "", 1)}
}

func broken(name string, minutes int) health.OperatorState {
	return with(working(name), func(s *health.OperatorState) {
		s.Healthy = view("False", "Unhealthy", "Deployment ns/"+name+": 0 of 1 updated replicas available", minutes)
	})
}

// aggregate returns the conditions of operators without a rate limit.
func aggregate(states []health.OperatorState, clusterInstalled bool, at time.Time) []health.Condition {
	var all []health.Contribution
	for _, state := range states {
		all = append(all, health.Contribute(state, clusterInstalled, at, degradedAfter))
	}
	return health.Aggregate(all, degradedAfter)
}

func TestAggregate(t *testing.T) {
	allAsExpected := []string{"Available=True AsExpected ", "Progressing=False AsExpected ", "Degraded=False AsExpected "}
	cases := map[string]struct {
		installing bool // the cluster has never completed its installation
		states     []health.OperatorState
		want       []string
	}{
		"no operators: everything as expected":                     {want: allAsExpected},
		"no operators while the cluster is installed: as expected": {installing: true, want: allAsExpected},
		"healthy operators: everything as expected":                {states: []health.OperatorState{working("a"), working("b")}, want: allAsExpected},
		"a cluster installation waits for its operators and says for which": {
			installing: true, states: []health.OperatorState{fresh("b"), working("c"), {Name: "a"}},
			want: []string{"Available=False WaitingForOperators Cluster installation waits for 2 platform operators. If one cannot become ready, correct its spec, or set its spec.paused to true to continue without it. a: not evaluated yet; b: InstallPending: applying 3 objects. To see why, run \"kubectl describe plop a b\" or, with the plugin, \"oc platform status\".",
				"Progressing=True OperatorsChanging Installing 1 platform operator: b", "Degraded=False AsExpected "},
		},
		"a cluster installation waits for health, not only for objects": {
			installing: true, states: []health.OperatorState{with(broken("a", 1), func(s *health.OperatorState) { s.EverInstalled = false })},
			want: []string{"Available=False WaitingForOperators Cluster installation waits for 1 platform operator. If it cannot become ready, correct its spec, or set its spec.paused to true to continue without it. a: Unhealthy: Deployment ns/a: 0 of 1 updated replicas available. To see why, run \"kubectl describe plop a\" or, with the plugin, \"oc platform status\".",
				"Progressing=False AsExpected ", "Degraded=False AsExpected "},
		},
		"nobody waits for a paused operator": {
			installing: true, states: []health.OperatorState{with(fresh("a"), func(s *health.OperatorState) { s.Paused = true; s.Progressing = view("False", "Paused", "", 1) })},
			want: allAsExpected,
		},
		"nobody waits for an operator that waits for approval itself": {
			installing: true, states: []health.OperatorState{with(broken("a", 1), func(s *health.OperatorState) {
				s.EverInstalled = false
				s.Progressing = view("False", "AwaitingApproval", "", 1)
			})},
			want: allAsExpected,
		},
		"nobody waits for an operator that goes away": {
			installing: true, states: []health.OperatorState{with(fresh("a"), func(s *health.OperatorState) { s.Removing, s.Progressing = true, view("False", "Blocked", "", 1) })},
			want: allAsExpected,
		},
		"a removal that waits for somebody is no progress, and what is left of the operator degrades nothing": {
			states: []health.OperatorState{with(broken("a", 50), func(s *health.OperatorState) {
				s.Removing, s.Progressing = true, view("False", "Blocked", "The removal waits: nothing is taken down", 50)
			})},
			want: allAsExpected,
		},
		"an operator that was ready once is not waited for again": {
			installing: true, states: []health.OperatorState{broken("a", 1)}, want: allAsExpected,
		},
		"on day 2 a typo, a registry or a range changes no status": {
			states: []health.OperatorState{
				with(fresh("typo"), func(s *health.OperatorState) {
					s.Installed = view("False", "SourceFailed", "", 99)
					s.Progressing = view("False", "Blocked", "", 99)
				}),
				with(fresh("registry"), func(s *health.OperatorState) {
					s.Installed = view("False", "UnpackFailed", "", 99)
					s.Progressing = view("False", "Blocked", "", 99)
				}),
				with(working("range"), func(s *health.OperatorState) { s.Progressing = view("False", "Blocked", "", 99) }),
			},
			want: []string{`Available=True AsExpected 2 platform operators need attention: registry, typo. To see why, run "kubectl describe plop registry typo" or, with the plugin, "oc platform status".`,
				"Progressing=False AsExpected ", "Degraded=False AsExpected "},
		},
		// Promise HRD-M8: PlatformOperators that fail leave the ClusterOperator Available and not Degraded. The message of Available has their
		// number and the first three names.
		"HRD-M8 many operators that cannot be installed are counted, and the first three are named": {
			states: slices.Collect(func(yield func(health.OperatorState) bool) {
				for _, name := range []string{"e", "d", "c", "b", "a"} {
					if !yield(with(fresh(name), func(s *health.OperatorState) {
						s.Installed, s.Progressing = view("False", "ValidationFailed", "", 99), view("False", "Blocked", "", 99)
					})) {
						return
					}
				}
			}),
			want: []string{`Available=True AsExpected 5 platform operators need attention: a, b, c and 2 more. To see why, run "kubectl describe plop a b c d e" or, with the plugin, "oc platform status".`,
				"Progressing=False AsExpected ", "Degraded=False AsExpected "},
		},
		"an unhealthy operator degrades after ten minutes": {
			states: []health.OperatorState{broken("b", 10), broken("a", 30), broken("young", 9)},
			want: []string{"Available=True AsExpected ", "Progressing=False AsExpected ",
				"Degraded=True OperatorsUnhealthy 2 installed platform operators unhealthy for 10m0s or longer: a: Unhealthy: Deployment ns/a: 0 of 1 updated replicas available; b: Unhealthy: Deployment ns/b: 0 of 1 updated replicas available. To see why, run \"kubectl describe plop a b\" or, with the plugin, \"oc platform status\"."},
		},
		"the full stop of what an operator says is not doubled": {
			states: []health.OperatorState{with(broken("a", 10), func(s *health.OperatorState) { s.Healthy.Message = "Job ns/a: failed." })},
			want: []string{"Available=True AsExpected ", "Progressing=False AsExpected ",
				"Degraded=True OperatorsUnhealthy 1 installed platform operator unhealthy for 10m0s or longer: a: Unhealthy: Job ns/a: failed. To see why, run \"kubectl describe plop a\" or, with the plugin, \"oc platform status\"."},
		},
		"names that are too long for a command are left out of it": {
			states: []health.OperatorState{broken(strings.Repeat("n", 180), 10)},
			want: []string{"Available=True AsExpected ", "Progressing=False AsExpected ",
				"Degraded=True OperatorsUnhealthy 1 installed platform operator unhealthy for 10m0s or longer: " + strings.Repeat("n", 180) + ": Unhealthy: Depl…. To see why, run \"kubectl describe plop\" or, with the plugin, \"oc platform status\"."},
		},
		"not a second before ten minutes": {
			states: []health.OperatorState{with(broken("a", 10), func(s *health.OperatorState) { s.Healthy.Since = ago(10).Add(time.Second) })}, want: allAsExpected,
		},
		"never during a hop": {
			states: []health.OperatorState{with(broken("a", 30), func(s *health.OperatorState) { s.Progressing = view("True", "Upgrading", "", 40) })},
			want:   []string{"Available=True AsExpected ", "Progressing=True OperatorsChanging Upgrading 1 platform operator: a", "Degraded=False AsExpected "},
		},
		"after a hop that missed its deadline the ten minutes begin anew": {
			states: []health.OperatorState{with(broken("a", 30), func(s *health.OperatorState) { s.Progressing = view("False", "DeadlineExceeded", "", 9) })}, want: []string{`Available=True AsExpected 1 platform operator needs attention: a. To see why, run "kubectl describe plop a" or, with the plugin, "oc platform status".`, "Progressing=False AsExpected ", "Degraded=False AsExpected "},
		},
		"and end ten minutes later": {
			states: []health.OperatorState{with(broken("a", 30), func(s *health.OperatorState) { s.Progressing = view("False", "DeadlineExceeded", "", 10) })},
			want: []string{`Available=True AsExpected 1 platform operator needs attention: a. To see why, run "kubectl describe plop a" or, with the plugin, "oc platform status".`, "Progressing=False AsExpected ",
				"Degraded=True OperatorsUnhealthy 1 installed platform operator unhealthy for 10m0s or longer: a: Unhealthy: Deployment ns/a: 0 of 1 updated replicas available. To see why, run \"kubectl describe plop a\" or, with the plugin, \"oc platform status\"."},
		},
		"an operator that never worked does not degrade the cluster on day 2": {
			states: []health.OperatorState{with(broken("a", 30), func(s *health.OperatorState) { s.EverInstalled = false })}, want: allAsExpected,
		},
		"a repair is no progress": {
			states: []health.OperatorState{broken("a", 1)}, want: allAsExpected,
		},
		"removal is progress": {
			states: []health.OperatorState{with(working("a"), func(s *health.OperatorState) { s.Progressing = view("True", "Removing", "", 1) })},
			want:   []string{"Available=True AsExpected ", "Progressing=True OperatorsChanging Removing 1 platform operator: a", "Degraded=False AsExpected "},
		},
		"different hops are told together": {
			states: []health.OperatorState{fresh("d"), fresh("c"), with(working("b"), func(s *health.OperatorState) { s.Progressing = view("True", "Upgrading", "", 1) }), fresh("a")},
			want:   []string{"Available=True AsExpected ", "Progressing=True OperatorsChanging Changing 4 platform operators: a, b and 2 more", "Degraded=False AsExpected "},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, condition := range aggregate(c.states, !c.installing, now) {
				got = append(got, fmt.Sprintf("%s=%s %s %s", condition.Type, condition.Status, condition.Reason, condition.Message))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAggregateIsLimitedAndDoesNotDependOnTheOrder(t *testing.T) {
	for _, n := range []int{1, 5, 60, 1000} {
		var states []health.OperatorState
		for i := range n {
			states = append(states, with(broken(fmt.Sprintf("operator-%04d", i), 20), func(s *health.OperatorState) {
				s.Healthy.Message = strings.Repeat("long\n", 200)
			}))
		}
		before := aggregate(states, false, now)
		rand.New(rand.NewSource(1)).Shuffle(n, func(i, j int) { states[i], states[j] = states[j], states[i] })
		after := aggregate(states, false, now)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%d operators in another order (-before +after):\n%s", n, diff)
		}
		for _, c := range after {
			if len(c.Message) > 1024 || strings.Contains(c.Message, "\n") {
				t.Errorf("%d operators: %s has %d bytes: %q", n, c.Type, len(c.Message), c.Message)
			}
		}
		if n > 5 && !strings.HasSuffix(after[2].Message, ` more. To see why, run "kubectl describe plop operator-0000 operator-0001 operator-0002 operator-0003 operator-0004" or, with the plugin, "oc platform status".`) {
			t.Errorf("%d operators: the rest is not counted: %q", n, after[2].Message)
		}
	}
}

// TestProgressingHasFiveToNineWords leaves space for one more word, because library-go puts the condition's type before the message of the
// ClusterOperator.
func TestProgressingHasFiveToNineWords(t *testing.T) {
	for _, reason := range []string{"Installing", "Upgrading", "RollingBack", "Removing"} {
		for n := 1; n <= 12; n++ {
			var states []health.OperatorState
			for i := range n {
				states = append(states, with(working(fmt.Sprintf("o%d", i)), func(s *health.OperatorState) { s.Progressing = view("True", reason, "", 1) }))
			}
			condition := aggregate(states, true, now)[1]
			if words := len(strings.Fields(condition.Message)); condition.Status != "True" || words < 5 || words > 9 {
				t.Errorf("%s, %d words: %q", condition.Status, words, condition.Message)
			}
		}
	}
}

func TestNextChange(t *testing.T) {
	cases := map[string]struct {
		states []health.OperatorState
		want   time.Duration
		found  bool
	}{
		"nobody is unhealthy":              {states: []health.OperatorState{working("a")}},
		"the one nearest to its time":      {states: []health.OperatorState{broken("a", 3), broken("b", 8), broken("c", 50)}, want: 2 * time.Minute, found: true},
		"nobody, once all are degraded":    {states: []health.OperatorState{broken("c", 50)}},
		"nobody, while a hop is under way": {states: []health.OperatorState{with(broken("a", 3), func(s *health.OperatorState) { s.Progressing = view("True", "Upgrading", "", 1) })}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, found := health.NextChange(c.states, now, degradedAfter)
			if got != c.want || found != c.found {
				t.Fatalf("got %s, %t; want %s, %t", got, found, c.want, c.found)
			}
			if !found {
				return
			}
			before := aggregate(c.states, true, now.Add(got-time.Nanosecond))
			if after := aggregate(c.states, true, now.Add(got)); cmp.Equal(before, after) {
				t.Errorf("nothing changes %s later", got)
			}
		})
	}
}

func ExampleAggregate() {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	state := health.OperatorState{
		Name:        "project-quay",
		Installed:   health.ConditionView{Status: "True", Reason: "InstallSuccessful", Since: at.Add(-time.Hour)},
		Progressing: health.ConditionView{Status: "True", Reason: "Upgrading", Since: at},
		Healthy:     health.ConditionView{Status: "True", Reason: "AsExpected", Since: at.Add(-time.Hour)},
	}
	contribution := health.Contribute(state, true, at, 10*time.Minute)
	for _, c := range health.Aggregate([]health.Contribution{contribution}, 10*time.Minute) {
		fmt.Printf("%s=%s %s %q\n", c.Type, c.Status, c.Reason, c.Message)
	}
	// Output:
	// Available=True AsExpected ""
	// Progressing=True OperatorsChanging "Upgrading 1 platform operator: project-quay"
	// Degraded=False AsExpected ""
}
