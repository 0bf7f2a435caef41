package joint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	blang "github.com/blang/semver/v4"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

func TestVersionsHaveTheSameNumberIfTheyAreInTheSameRanges(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 6))
		version := func() string {
			return fmt.Sprintf("%d.%d.0%s", random.IntN(3), random.IntN(4), []string{"", "", "-rc.1"}[random.IntN(3)])
		}
		var versions []string
		for range 1 + random.IntN(12) {
			versions = append(versions, version())
		}
		slices.Sort(versions)
		n := newFleet(append([]string{"other"}, slices.Compact(versions)...))
		index := resolve.NewClusterIndex(n.requests, n.state)
		s := resolve.NewEvaluation(n.requests[0], index)
		var required []catalog.Requirement
		for range random.IntN(8) {
			text := []string{">=%s", "<%s", "!=%s", "%s", "<%[1]s || >%[1]s", "nonsense%s", ""}[random.IntN(7)]
			if text != "" {
				text = fmt.Sprintf(text, version())
			}
			required = append(required, catalog.Requirement{Package: &catalog.PackageRange{Name: []string{"other", "other", "third"}[random.IntN(3)], Range: text}})
		}
		sets := newRangeSets(s, required)
		inside := func(v upgrade.Version) (in []bool) {
			for _, leaf := range required {
				in = append(in, installState{version: v}.satisfies(index, "other", leaf))
			}
			return in
		}
		for _, a := range s.Options {
			for _, b := range s.Options {
				if same := slices.Equal(inside(a.Version), inside(b.Version)); same != (sets.of(a.Version) == sets.of(b.Version)) {
					t.Fatalf("seed %d: %s is in %v, %s in %v, of the ranges %v; their numbers are %d and %d", seed,
						a.Version, inside(a.Version), b.Version, inside(b.Version), required, sets.of(a.Version), sets.of(b.Version))
				}
			}
		}
	}
}

// requiring returns two operators with this number of versions. Each version of the first requires the range of the second that needs
// returns.
func requiring(versions int, needs func(int) string) *fleet {
	one, other := []string{"one@1.0.0"}, []string{"other@1.0.0"}
	for i := range versions {
		one = append(one, fmt.Sprintf("1.%d.0 requires=other:%s", i, needs(i)))
		other = append(other, fmt.Sprintf("1.%d.0", i))
	}
	return newFleet(one, other)
}

// counted returns a function that parses ranges. Each evaluation of such a range increments times.
func counted(times *int) func(string) blang.Range {
	return func(text string) blang.Range {
		covers := upgrade.ReadRange(text)
		if covers == nil {
			return nil
		}
		return func(version blang.Version) bool {
			*times++
			return covers(version)
		}
	}
}

var requirementsOfEach = map[string]func(int) string{
	"the same range, which is met":     func(int) string { return ">=1.0.0" },
	"the same range, which is not met": func(int) string { return ">=9.0.0" },
	"another range each":               func(i int) string { return fmt.Sprintf(">=1.%d.0_<9.0.0", i) },
	"another range each, not met":      func(i int) string { return fmt.Sprintf(">=9.%d.0", i) },
}

func TestHRD_B1_EvaluationsOfRangesGrowLinearly(t *testing.T) {
	for name, needs := range requirementsOfEach {
		t.Run(name, func(t *testing.T) {
			applied := func(versions int) (times int) {
				n := requiring(versions, needs)
				index := resolve.NewClusterIndex(n.requests, n.state)
				evaluations := []*resolve.Evaluation{resolve.NewEvaluation(n.requests[0], index), resolve.NewEvaluation(n.requests[1], index)}
				index.ReadRange = counted(&times)
				decideComponent(index, evaluations)
				return times
			}
			if few, many := applied(50), applied(500); few == 0 || many > 15*few {
				t.Errorf("ranges are evaluated %d times with 50 versions, and %d times with 500", few, many)
			}
		})
	}
}

func TestHRD_B1_EvaluationsOfRangesAreBounded(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	const versions = 3000
	applied := func(limit upgrade.Limit) (times int) {
		n := requiring(versions, requirementsOfEach["another range each, not met"])
		n.state.Limit = limit
		index := resolve.NewClusterIndex(n.requests, n.state)
		evaluations := []*resolve.Evaluation{resolve.NewEvaluation(n.requests[0], index), resolve.NewEvaluation(n.requests[1], index)}
		index.Register(evaluations)
		index.ReadRange = counted(&times)
		evaluations[0].Filter()
		refused := 0
		for _, each := range evaluations[0].Decide().Refused {
			if each.Rule == resolve.RuleRequirement {
				refused++
			}
		}
		if refused > versions-100 {
			t.Errorf("%d of %d versions are refused, although the comparison was not finished", refused, versions)
		}
		newRangeSets(evaluations[1], requiredPackages(evaluations))
		return times
	}
	for name, test := range map[string]struct {
		limit upgrade.Limit
		most  int
	}{
		"few steps of work":           {upgrade.Limit{Steps: 1000}, 500},
		"a context that was canceled": {upgrade.Limit{Done: closed}, versions},
	} {
		t.Run(name, func(t *testing.T) {
			if times := applied(test.limit); times > test.most {
				t.Errorf("ranges are evaluated %d times, want at most %d", times, test.most)
			}
		})
	}
}

func TestASpentBudgetDoesNotChangeDecisions(t *testing.T) {
	decide := func(n *fleet, limit upgrade.Limit) string {
		index := resolve.NewClusterIndex(n.requests, n.state)
		var evaluations []*resolve.Evaluation
		for _, req := range n.requests {
			s := resolve.NewEvaluation(req, index)
			s.Budget = upgrade.NewBudget(limit)
			evaluations = append(evaluations, s)
		}
		return outcome(decideComponent(index, evaluations))
	}
	for seed := range uint64(500) {
		if got, want := decide(random(seed), upgrade.Limit{Steps: 1}), decide(random(seed), upgrade.Limit{}); got != want {
			t.Errorf("seed %d: without a budget for ranges the outcome is %s, want %s", seed, got, want)
		}
	}
	for name, needs := range requirementsOfEach {
		if got, want := decide(requiring(300, needs), upgrade.Limit{Steps: 100}), decide(requiring(300, needs), upgrade.Limit{}); got != want {
			t.Errorf("%s: with a small budget for ranges the outcome is %s, want %s", name, got, want)
		}
	}
}

// BenchmarkRequirements decides two operators. Each version of the first requires the second.
func BenchmarkRequirements(b *testing.B) {
	for _, versions := range []int{300, 3000} {
		for name, needs := range requirementsOfEach {
			b.Run(fmt.Sprintf("%s/%d", name, versions), func(b *testing.B) {
				n := requiring(versions, needs)
				b.ReportAllocs()
				for b.Loop() {
					n.decide()
				}
			})
		}
	}
}
