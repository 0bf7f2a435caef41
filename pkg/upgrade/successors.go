package upgrade

import "slices"

// successors finds what may follow each bundle by a package's semantics alone. It holds no list of all edges, of which there may be as
// many as pairs of bundles: what an entry names is kept by the name, and what a skipRange or semantic versioning covers as a span of
// versions. Bundles that follow are named by their ranks.
type successors struct {
	graph *Graph
	// named are, for each bundle, the ranks of those whose entries replace or skip it by its name, ascending. Lower ones do not count, and
	// with alsoPromised only those do that semantic versioning promises, too.
	named        [][]int32
	alsoPromised bool
	// all has the spans over all bundles, prereleases those over the pre-releases among them. Both hold higher targets only.
	all, prereleases          *spanIndex
	spans, spansOfPrereleases []targetSpan
}

// take appends the ranks that may follow a bundle and were not tried before, in ascending order, and from now on they are. looked is how
// many it had to look at.
func (x *successors) take(from int, u *untried, into []int32) (taken []int32, looked int) {
	taken, looked = x.collect(from, u, into)
	slices.Sort(taken)
	return taken, looked
}

// collect is take in no order.
func (x *successors) collect(from int, u *untried, into []int32) (taken []int32, looked int) {
	taken = into
	take := func(rank int32) {
		if !u.done.has(int(rank)) {
			u.done.add(int(rank))
			taken = append(taken, rank)
		}
	}
	g := x.graph
	if x.named != nil {
		looked += len(x.named[from])
		for _, rank := range x.named[from] {
			if to := g.order[rank]; g.levels[to] > g.levels[from] && (!x.alsoPromised || g.promised(g.bundles[from].Version, g.bundles[to].Version)) {
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
	if g.bundles[from].Version.Prerelease() {
		climb(x.prereleases, g.prereleasesBefore[from], u.prereleases)
	}
	return taken, looked
}

// each calls f with every bundle and the ranks that may follow it, in no order.
func (x *successors) each(f func(from int, ranks []int32)) {
	u := x.untried()
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

// arriving are the bundles, by their indices, from which the semantics lead to one, itself among them. Only those are passed through
// that may be.
func (x *successors) arriving(goal int, passable func(at int) bool) set {
	g := x.graph
	arriving, passed := newSet(len(g.bundles)), x.untried() // whose done are the ranks that lead on to the goal
	spans, spansOfPrereleases := byTarget(x.spans, len(g.bundles)), byTarget(x.spansOfPrereleases, len(g.bundles))
	leadsOn := func(index *spanIndex, at int, marked set) bool {
		for node := at + index.size; node > 0; node /= 2 {
			if marked.has(node) {
				return true
			}
		}
		return false
	}
	for at := len(g.bundles) - 1; at >= 0; at-- { // edges lead up: what may follow is known already
		arrives := at == goal || leadsOn(x.all, at, passed.all) ||
			g.bundles[at].Version.Prerelease() && leadsOn(x.prereleases, g.prereleasesBefore[at], passed.prereleases) ||
			x.named != nil && slices.ContainsFunc(x.named[at], func(rank int32) bool {
				to := g.order[rank]
				return passed.done.has(int(rank)) && g.levels[to] > g.levels[at] && (!x.alsoPromised || g.promised(g.bundles[at].Version, g.bundles[to].Version))
			})
		if !arrives {
			continue
		}
		arriving.add(at)
		if !passable(at) {
			continue
		}
		rank := g.rank[at]
		passed.done.add(rank)
		for _, each := range spans[rank] {
			x.all.nodes(each.span, passed.all.add)
		}
		for _, each := range spansOfPrereleases[rank] {
			x.prereleases.nodes(each.span, passed.prereleases.add)
		}
	}
	return arriving
}

// byTarget parts spans that are ordered by their targets.
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
