package upgrade

import "slices"

// successors finds the bundles that may follow each bundle according to a package's semantics alone. It does not store all edges, because
// there may be one for each pair of bundles. It stores names for entries, and spans of versions for skipRanges and semantic versioning.
// Successors are identified by their ranks.
type successors struct {
	graph *Graph
	// byName holds, for each bundle, the ranks of the bundles whose entries replace or skip it by name, ascending. Only the higher of these
	// bundles are successors and, with requireSemver, only those that semantic versioning permits.
	byName        [][]int32
	requireSemver bool
	// all finds the spans of bundles, and prereleases finds the spans of positions among the pre-releases. The target of a span is higher
	// than all bundles in the span.
	all, prereleases          *spanIndex
	spans, spansOfPrereleases []targetSpan
}

// take appends the unvisited ranks that may follow a bundle to the given slice (into), in ascending order, and returns the slice. It marks
// these ranks as visited. looked is the number of ranks and nodes that it checked.
func (x *successors) take(from int, u *visited, into []int32) (taken []int32, looked int) {
	taken, looked = x.collect(from, u, into)
	slices.Sort(taken)
	return taken, looked
}

// collect is like take, but does not sort the ranks.
func (x *successors) collect(from int, u *visited, into []int32) (taken []int32, looked int) {
	taken = into
	take := func(rank int32) {
		if !u.ranks.has(int(rank)) {
			u.ranks.add(int(rank))
			taken = append(taken, rank)
		}
	}
	g := x.graph
	if x.byName != nil {
		looked += len(x.byName[from])
		for _, rank := range x.byName[from] {
			if to := g.order[rank]; g.levels[to] > g.levels[from] && (!x.requireSemver || g.isSemverCompatible(g.bundles[from].Version, g.bundles[to].Version)) {
				take(rank)
			}
		}
	}
	climb := func(index *spanIndex, at int, passed set) {
		for node := at + index.size; node > 0; node /= 2 {
			looked++
			if passed.has(node) {
				continue
			}
			passed.add(node)
			targets := index.at(node)
			looked += len(targets)
			for _, rank := range targets {
				take(rank)
			}
		}
	}
	climb(x.all, from, u.all)
	if g.bundles[from].Version.IsPrerelease() {
		climb(x.prereleases, g.prereleasesBefore[from], u.prereleases)
	}
	return taken, looked
}

// each calls f with every bundle and the ranks that may follow it, in any order. The slice is valid only during the call. each ends early
// if the budget is exhausted.
func (x *successors) each(f func(from int, ranks []int32)) {
	u := x.newVisited()
	var ranks []int32
	var looked int
	for from := range x.graph.bundles {
		u.clear()
		if ranks, looked = x.collect(from, u, ranks[:0]); !x.graph.budget.spend(looked + len(u.all)/32) {
			return
		}
		f(from, ranks)
	}
}

// ancestors returns the indexes of the bundles from which the semantics lead to goal, including goal. Paths lead only through bundles for
// which passable returns true.
func (x *successors) ancestors(goal int, passable func(at int) bool) set {
	g := x.graph
	arriving, passed := newSet(len(g.bundles)), x.newVisited() // passed.ranks has the ranks that lead on to goal
	spans, spansOfPrereleases := byTarget(x.spans, len(g.bundles)), byTarget(x.spansOfPrereleases, len(g.bundles))
	leadsOn := func(index *spanIndex, at int, marked set) bool {
		for node := at + index.size; node > 0; node /= 2 {
			if marked.has(node) {
				return true
			}
		}
		return false
	}
	for at := len(g.bundles) - 1; at >= 0; at-- { // edges lead to higher bundles, so the successors are already known
		arrives := at == goal || leadsOn(x.all, at, passed.all) ||
			g.bundles[at].Version.IsPrerelease() && leadsOn(x.prereleases, g.prereleasesBefore[at], passed.prereleases) ||
			x.byName != nil && slices.ContainsFunc(x.byName[at], func(rank int32) bool {
				to := g.order[rank]
				return passed.ranks.has(int(rank)) && g.levels[to] > g.levels[at] && (!x.requireSemver || g.isSemverCompatible(g.bundles[at].Version, g.bundles[to].Version))
			})
		if !arrives {
			continue
		}
		arriving.add(at)
		if !passable(at) {
			continue
		}
		rank := g.rank[at]
		passed.ranks.add(rank)
		for _, each := range spans[rank] {
			x.all.nodes(each.span, passed.all.add)
		}
		for _, each := range spansOfPrereleases[rank] {
			x.prereleases.nodes(each.span, passed.prereleases.add)
		}
	}
	return arriving
}

// byTarget groups spans, which must be sorted by target: element t holds the spans with target t. The groups share memory with spans.
func byTarget(spans []targetSpan, targets int) [][]targetSpan {
	parts := make([][]targetSpan, targets)
	for begin := 0; begin < len(spans); {
		end := begin
		for end < len(spans) && spans[end].target == spans[begin].target {
			end++
		}
		parts[spans[begin].target] = spans[begin:end]
		begin = end
	}
	return parts
}
