package upgrade

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// chainOf returns a package with this number of versions, each of which replaces the previous one.
func chainOf(tb testing.TB, versions int) Package {
	tb.Helper()
	var lines strings.Builder
	for i := range versions {
		fmt.Fprintf(&lines, "1.%d.0\n", i)
		if i > 0 {
			fmt.Fprintf(&lines, "stable: 1.%d.0 replaces 1.%d.0\n", i, i-1)
		}
	}
	return parsePackage(tb, lines.String())
}

// work returns the number of work steps of a search from the first bundle, including the reasons of all refusals.
func work(tb testing.TB, pkg Package) int {
	tb.Helper()
	pkg.Limit = Limit{Steps: 1 << 40}
	r := New(pkg).From(pkg.Bundles[0], nil)
	for to := range pkg.Bundles {
		r.Reason(to)
	}
	r.Refusal(len(pkg.Bundles) - 1)
	return r.WorkDone()
}

// Promise HRD-B1: A package with ten times the versions takes at most 15 times the work, also under 32 rules that nothing can meet. A
// search over its budget ends with a condition that names the package, and other operators are evaluated.
func TestHRD_B1_WorkGrowsAsTheVersionsDo(t *testing.T) {
	guarded := func(versions int) Package {
		var lines []string
		for i := range maxSteps {
			lines = append(lines, fmt.Sprintf("* → 3.%d.x → >=1.%d.0", i, versions/2))
		}
		return steps(t, chainOf(t, versions), Channel, lines...)
	}
	ranged := func(entries int) Package {
		pkg := chainOf(t, 100)
		for i := range entries {
			pkg.Entries = append(pkg.Entries, Entry{Channel: "stable", Entry: parseEntry(t, fmt.Sprintf("9.%d.0 skipRange >=1.0.0 <9.%d.0", i, i))})
		}
		return pkg
	}
	for name, test := range map[string]struct {
		make    func(int) Package
		small   int
		largest float64
	}{
		"a chain": {func(n int) Package { return chainOf(t, n) }, 300, 15},
		"a chain under 32 steps that cannot be met":    {guarded, 300, 15},
		"entries without bundles, each with its range": {ranged, 1000, 1.1},
	} {
		t.Run(name, func(t *testing.T) {
			few, many := work(t, test.make(test.small)), work(t, test.make(10*test.small))
			if growth := float64(many) / float64(few); growth > test.largest {
				t.Errorf("ten times as many take %.1f times the work, want at most %.1f times: %d and %d", growth, test.largest, few, many)
			}
		})
	}
}

func TestHRD_B1_LimitEndsTheSearchAndRefusalNamesIt(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	pkg := chainOf(t, 200)
	tooLarge := []string{`package "p" is too large`, "after 1000 steps", "200 bundles", "199 channel entries", "spec.package.channels", "SelfCertified"}
	for name, test := range map[string]struct {
		limit Limit
		says  []string
	}{
		"too few steps":                        {Limit{Steps: 1000}, tooLarge},
		"too few steps, and somebody waits":    {Limit{Steps: 1000, Done: make(chan struct{})}, tooLarge},
		"canceled before all steps were spent": {Limit{Steps: 1 << 30, Done: closed}, []string{`package "p" was canceled after`}},
		"canceled without a bound of steps":    {Limit{Done: closed}, []string{`package "p" was canceled after`}},
	} {
		t.Run(name, func(t *testing.T) {
			pkg := pkg
			pkg.Limit = test.limit
			g := New(pkg)
			g.budget.poll = 100
			r := g.From(pkg.Bundles[0], nil)
			for to := 1; to < len(pkg.Bundles); to++ {
				refusal := r.Refusal(to)
				if r.IsReachable(to) || refusal.Reason != SearchLimit {
					t.Fatalf("to %s: reached %v, %+v", pkg.Bundles[to].Version, r.IsReachable(to), refusal)
				}
				contains(t, refusal.Message, test.says...)
			}
		})
	}
}

func TestHRD_B1_StepsAreCompiledWithinTheLimit(t *testing.T) {
	closed := make(chan struct{})
	close(closed)
	var lines []string
	for i := range maxSteps {
		lines = append(lines, fmt.Sprintf("<1.%d.0 || >8.0.0, <9.0.0 → 3.%d.x → >=4.%d.0", i, i, i))
	}
	pkg := steps(t, chainOf(t, 1000), Channel, lines...)
	const perVersion = maxSteps * (3 + 1 + 1) * comparisonCost
	for name, test := range map[string]struct {
		limit         Limit
		selfCertified bool
		least, most   int
		ended         bool
	}{
		"all ranges of all steps are charged for":          {limit: Limit{Steps: 1 << 30}, least: perVersion * 1000, most: perVersion * 1000},
		"too few steps of work end it":                     {limit: Limit{Steps: 5000}, least: 5000, most: 5000 + 3*comparisonCost, ended: true},
		"so does a context that is canceled":               {limit: Limit{Done: closed}, least: pollEvery, most: 2 * pollEvery, ended: true},
		"who is self-certified passes no step":             {limit: Limit{Steps: 5000}, selfCertified: true, most: 0},
		"nor waits for one, when the context was canceled": {limit: Limit{Done: closed}, selfCertified: true, most: 0},
		"without a limit nothing is counted, and all done": {most: 0},
	} {
		t.Run(name, func(t *testing.T) {
			pkg := pkg
			pkg.Limit, pkg.SelfCertified = test.limit, test.selfCertified
			g := New(pkg)
			spent := 0
			if g.budget != nil {
				spent = g.budget.spent
			}
			if spent < test.least || spent > test.most || g.budget.exhausted() != test.ended {
				t.Errorf("New spent %d steps, want %d to %d; exhausted is %t", spent, test.least, test.most, g.budget.exhausted())
			}
			r := g.From(pkg.Bundles[0], nil)
			for to := range g.bundles[1:] {
				if test.ended == r.IsReachable(1+to) || test.ended && r.Reason(1+to) != SearchLimit {
					t.Fatalf("%s: reached is %t, reason %q", g.bundles[1+to].Version, r.IsReachable(1+to), r.Reason(1+to))
				}
			}
		})
	}
}

func TestStepsBeyondTheLimitAreNotCompiled(t *testing.T) {
	pkg := chainOf(t, 10)
	for range 4 {
		var lines []string
		for i := range maxSteps {
			lines = append(lines, fmt.Sprintf("* → 3.%d.x → >=4.0.0", i))
		}
		pkg = steps(t, pkg, Channel, lines...)
	}
	pkg.Limit = Limit{Steps: 1 << 30}
	g := New(pkg)
	if most := 10 * maxAllSteps * 3 * comparisonCost; len(g.steps) != maxAllSteps || g.budget.spent > most {
		t.Errorf("%d steps took %d steps of work, want at most %d", len(g.steps), g.budget.spent, most)
	}
	contains(t, g.From(pkg.Bundles[0], nil).Refusal(5).Message, "there are 128 steps in all, and at most 64 are judged")
}

func TestHRD_B1_UPG_V14_CountsAndReachabilityAreThoseOfTheEdgesAndPaths(t *testing.T) {
	base := baseSeed(t)
	for i := range uint64(cases) {
		random := rand.New(rand.NewPCG(base, i))
		o := generate(t, random)
		g := New(o.pkg)
		if edges := len(g.Edges()); g.EdgeCount() != edges {
			t.Fatalf("case %d: %d edges are counted of %d\n%s", i, g.EdgeCount(), edges, o.describe())
		}
		for to := range g.bundles {
			var want []int
			for from, bundle := range g.bundles {
				if from != to && g.From(bundle, nil).IsReachable(to) {
					want = append(want, from)
				}
			}
			if got := g.Ancestors(to); !slices.Equal(got, want) {
				t.Fatalf("case %d: %s is reached from %v, want %v\n%s", i, g.bundles[to].Version, got, want, o.describe())
			}
		}
		r := g.From(o.installed, o.ready)
		first, avoided := r.FirstHops(), r.FirstMatch(func(at int) bool { return g.bundles[at].Deprecated })
		for to := range g.bundles {
			path, _ := r.Path(to)
			wantFirst, wantAvoided := -1, slices.IndexFunc(path, func(hop Hop) bool { return g.bundles[hop.Bundle].Deprecated })
			if len(path) > 0 {
				wantFirst = path[0].Bundle
			}
			if wantAvoided >= 0 {
				wantAvoided = path[wantAvoided].Bundle
			}
			if first[to] != wantFirst || avoided[to] != wantAvoided {
				t.Fatalf("case %d: to %s first %d, deprecated %d; want %d, %d\n%s", i, g.bundles[to].Version, first[to], avoided[to], wantFirst, wantAvoided, o.describe())
			}
		}
	}
}
