package upgrade

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// lineages returns a package in which many paths with different satisfied steps lead to each version. Every second generation of versions
// satisfies one more step, and random versions of the previous generation lead to the versions of each generation.
func lineages(tb testing.TB, count int) Package {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	pkg := parsePackage(tb, "0.1.0\nstable: 0.1.0")
	add := func(text string, skips []string) string {
		bundle := Bundle{Name: "p.v" + text, Version: mustVersion(tb, text)}
		pkg.Bundles = append(pkg.Bundles, bundle)
		pkg.Entries = append(pkg.Entries, Entry{Channel: "stable", Entry: catalog.Entry{Name: bundle.Name, Skips: skips}})
		return bundle.Name
	}
	for lineage := range count {
		before := []string{pkg.Bundles[0].Name}
		for generation := range maxSteps {
			var now []string
			for version := range 4 {
				skips := []string{before[random.IntN(len(before))], before[random.IntN(len(before))]}
				now = append(now, add(fmt.Sprintf("1.%d.%d", 2*generation+version/2, 2*lineage+version%2), skips))
			}
			before = now
		}
	}
	var lines []string
	for generation := range maxSteps {
		lines = append(lines, fmt.Sprintf("* → 1.%d.x → >=9.0.0", 2*generation))
	}
	return steps(tb, pkg, Channel, lines...)
}

func TestHRD_B1_SearchMemoryIsLimitedAndCounted(t *testing.T) {
	pkg := lineages(t, 75)
	pkg.Limit = Limit{Steps: 1 << 28}
	g := New(pkg)
	g.successors() // computed once for all searches
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := g.From(pkg.Bundles[0], nil)
	runtime.ReadMemStats(&after)
	const most = 32 << 20
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > most {
		t.Errorf("one search among %d bundles allocated %d MiB, want at most %d MiB", len(pkg.Bundles), allocated>>20, most>>20)
	}
	accounts := map[progress]bool{}
	for to, visit := range r.best[1:] {
		if visit == nil {
			t.Fatalf("%s is not reached", g.bundles[1+to].Version)
		}
		accounts[visit.progress] = true
	}
	if words := len(accounts) * g.successors().newVisited().words(); r.WorkDone() < words {
		t.Errorf("the sets of %d accounts, %d words in all, cost %d steps", len(accounts), words, r.WorkDone())
	}
}

func TestSearchWithLittleMemoryHasTheSameResult(t *testing.T) {
	find := func(o generated, bytes int) (found []string) {
		g := New(o.pkg)
		g.maxVisitedBytes = bytes
		r := g.From(o.installed, o.ready)
		for to := range g.bundles {
			path, _ := r.Path(to)
			found = append(found, fmt.Sprint(path, r.Refusal(to)))
		}
		return found
	}
	packages := map[string]generated{"lineages": {pkg: lineages(t, 2), installed: lineages(t, 2).Bundles[0]}}
	for seed := range uint64(300) {
		packages[fmt.Sprint("seed ", seed)] = generate(t, rand.New(rand.NewPCG(seed, 9)))
	}
	for name, o := range packages {
		if one, all := find(o, 1), find(o, maxVisitedBytes); !slices.Equal(one, all) {
			t.Errorf("%s: with one visited set\n%v\nwith one for each progress\n%v\n%s", name, one, all, o.describe())
		}
	}
}
