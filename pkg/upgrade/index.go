package upgrade

import (
	"cmp"
	"slices"
	"sync"

	blang "github.com/blang/semver/v4"
)

// edgeSet identifies the set of edges that a combination of semantics permits.
type edgeSet int

const (
	channelEdges edgeSet = iota
	semverEdges
	eitherEdges
	bothEdges
	edgeSets
)

// edgeSetOf returns the set of edges that all of these semantics permit.
func edgeSetOf(all []Semantics) edgeSet {
	channel, semver := slices.Contains(all, Channel), slices.Contains(all, Semver)
	switch {
	case channel && semver:
		return bothEdges
	case channel:
		return channelEdges
	case semver:
		return semverEdges
	}
	return eitherEdges
}

// index prepares the successors under each set of edges. They are computed once for each set, when they are first needed.
func (g *Graph) index() {
	covered := sync.OnceValue(g.coveredSpans)
	promised := sync.OnceValues(g.semverSpans)
	named := sync.OnceValue(g.namedRanks)
	for set := range edgeSets {
		g.byEdges[set] = sync.OnceValue(func() *successors {
			x := &successors{graph: g, requireSemver: set == bothEdges}
			if set != semverEdges {
				x.byName = named()
			}
			switch set {
			case channelEdges:
				x.spans = covered()
			case semverEdges:
				x.spans, x.spansOfPrereleases = promised()
			case eitherEdges:
				spans, spansOfPrereleases := promised()
				x.spans, x.spansOfPrereleases = slices.Concat(covered(), spans), spansOfPrereleases
			case bothEdges:
				x.spans, x.spansOfPrereleases = g.intersectSemver(covered())
			}
			byTarget := func(a, b targetSpan) int { return cmp.Or(a.target-b.target, a.lo-b.lo) }
			x.spans, x.spansOfPrereleases = slices.Clone(x.spans), slices.Clone(x.spansOfPrereleases)
			slices.SortFunc(x.spans, byTarget)
			slices.SortFunc(x.spansOfPrereleases, byTarget)
			x.all = newSpanIndex(len(g.bundles), x.spans)
			x.prereleases = newSpanIndex(g.prereleasesBefore[len(g.bundles)], x.spansOfPrereleases)
			return x
		})
	}
}

// successors returns the successors under the graph's semantics.
func (g *Graph) successors() *successors { return g.byEdges[edgeSetOf(g.semantics)]() }

// namedRanks returns, for each bundle, the ranks of the bundles whose entries replace or skip it by name, ascending.
func (g *Graph) namedRanks() [][]int32 {
	byName := map[string][]int32{}
	for i := range g.entries {
		entry := &g.entries[i]
		for _, name := range append(slices.Clone(entry.Skips), entry.Replaces) {
			if len(entry.to) == 0 || len(g.byName[name]) == 0 {
				continue
			}
			for _, to := range entry.to {
				byName[name] = append(byName[name], int32(g.rank[to])) // the number of bundles fits in an int32
			}
		}
	}
	named := make([][]int32, len(g.bundles))
	for name, ranks := range byName {
		slices.Sort(ranks)
		ranks = slices.Compact(ranks)
		for _, from := range g.byName[name] {
			named[from] = ranks
		}
	}
	return named
}

// skipRangeCoverage returns a function that returns the bundles that an entry's skipRange covers, as spans of indexes. The function
// evaluates each distinct skipRange once, because thousands of entries share a few of them.
func (g *Graph) skipRangeCoverage() func(*entry) []span {
	readable := 0 // the number of bundles without a valid version, which are in no range
	for readable < len(g.bundles) && g.bundles[readable].Version.IsZero() {
		readable++
	}
	versions := make([]blang.Version, 0, len(g.bundles)-readable)
	for _, bundle := range g.bundles[readable:] {
		versions = append(versions, bundle.Version.strict)
	}
	known := map[string][]span{}
	return func(e *entry) []span {
		if e.covers == nil || len(versions) == 0 {
			return nil
		}
		covered, seen := known[e.SkipRange]
		if !seen {
			covered = spansOf(e.SkipRange, e.covers, versions, g.budget)
			for i := range covered {
				covered[i].lo, covered[i].hi = covered[i].lo+readable, covered[i].hi+readable
			}
			known[e.SkipRange] = covered
		}
		return covered
	}
}

// coveredSpans returns, as spans, the lower bundles that the skipRanges of each bundle's entries cover. It ignores entries without a
// bundle.
func (g *Graph) coveredSpans() (spans []targetSpan) {
	covered := g.skipRangeCoverage()
	for to := range g.bundles {
		known := map[string]bool{}
		for _, at := range g.entriesOf[to] {
			entry := &g.entries[at]
			if entry.covers == nil || known[entry.SkipRange] {
				continue
			}
			known[entry.SkipRange] = true
			all := covered(entry)
			if !g.budget.spend(1 + len(all)) {
				return spans
			}
			for _, each := range all {
				if lower := (span{each.lo, min(each.hi, g.lowest[to])}); lower.lo < lower.hi {
					spans = append(spans, targetSpan{lower, g.rank[to]})
				}
			}
		}
	}
	return spans
}

// semverSpans returns the lower bundles that each bundle may replace under semantic versioning: spans of indexes and, if the package has
// only pre-releases, also spans of positions among the pre-releases.
func (g *Graph) semverSpans() (spans, spansOfPrereleases []targetSpan) {
	var major, minor, core int // the first indexes of the current major version, minor version and release
	for to, bundle := range g.bundles {
		b := bundle.Version.semantic
		if b == nil {
			major, minor, core = to+1, to+1, to+1
			continue
		}
		if before := to - 1; before >= 0 && g.bundles[before].Version.semantic != nil {
			switch a := g.bundles[before].Version.semantic; {
			case a.Major() != b.Major():
				major, minor, core = to, to, to
			case a.Minor() != b.Minor():
				minor, core = to, to
			case a.Patch() != b.Patch():
				core = to
			}
		}
		begin := core
		switch {
		case b.Major() > 0:
			begin = major
		case b.Minor() > 0:
			begin = minor
		}
		lower := span{begin, g.lowest[to]}
		if b.Prerelease() != "" {
			if first, last := g.prereleasesBefore[lower.lo], g.prereleasesBefore[lower.hi]; g.pkg.OnlyPrereleases && first < last {
				spansOfPrereleases = append(spansOfPrereleases, targetSpan{span{first, last}, g.rank[to]})
			}
			lower.lo = core
		}
		if lower.lo < lower.hi {
			spans = append(spans, targetSpan{lower, g.rank[to]})
		}
	}
	return spans, spansOfPrereleases
}

// intersectSemver returns the parts of the skipRanges' spans that semantic versioning also permits.
func (g *Graph) intersectSemver(covered []targetSpan) (spans, spansOfPrereleases []targetSpan) {
	all, allPrereleases := g.semverSpans()
	promised, promisedOfPrereleases := map[int]span{}, map[int]span{} // keyed by target, because each target has at most one span
	for _, each := range all {
		promised[each.target] = each.span
	}
	for _, each := range allPrereleases {
		promisedOfPrereleases[each.target] = each.span
	}
	for _, each := range covered {
		if both := each.intersect(promised[each.target]); both.lo < both.hi {
			spans = append(spans, targetSpan{both, each.target})
		}
		of := span{g.prereleasesBefore[each.lo], g.prereleasesBefore[each.hi]}
		if both := of.intersect(promisedOfPrereleases[each.target]); both.lo < both.hi {
			spansOfPrereleases = append(spansOfPrereleases, targetSpan{both, each.target})
		}
	}
	return spans, spansOfPrereleases
}

func (s span) intersect(other span) span { return span{max(s.lo, other.lo), min(s.hi, other.hi)} }
