package upgrade

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Edge leads from one bundle of a Graph to another. From and To are indexes into Bundles.
type Edge struct {
	From, To int
	// Sources are the entries and rules that the edge results from, without duplicates, in a stable order.
	Sources []Source
}

// Edges returns all edges under the package's semantics, ordered by From and To. It ignores steps and Unfit. No edge leads to a lower
// version. The result is incomplete if the budget is exhausted or Limit.Done is closed.
func (g *Graph) Edges() []Edge {
	var edges []Edge
	g.EachEdge(func(edge Edge) bool {
		edges = append(edges, edge)
		return true
	})
	return edges
}

// EachEdge calls f for each edge that Edges returns, in the same order, until f returns false. It does not store the edges: with semantic
// versioning, a package of thousands of versions has millions of edges.
func (g *Graph) EachEdge(f func(Edge) bool) {
	isEnded := false
	var targets []int
	g.successors().each(func(from int, ranks []int32) {
		if isEnded || g.pkg.Limit.Canceled() {
			return
		}
		targets = targets[:0]
		for _, rank := range ranks {
			targets = append(targets, g.order[rank])
		}
		slices.Sort(targets)
		for _, to := range targets {
			if !f(Edge{From: from, To: to, Sources: g.sources(g.bundles[from], to)}) {
				isEnded = true
				return
			}
		}
	})
}

// EdgeCount returns the number of edges that Edges returns, without building them.
func (g *Graph) EdgeCount() (count int) {
	for _, number := range g.EdgeCounts() {
		count += number
	}
	return count
}

// EdgeCounts returns, for each of Bundles, the number of Edges that begin at it.
func (g *Graph) EdgeCounts() []int {
	counts := make([]int, len(g.bundles))
	g.successors().each(func(from int, ranks []int32) { counts[from] += len(ranks) })
	return counts
}

// Downgrades returns the channel edges that lead to a lower version, ordered by From and To. No semantics permits them; they are usually
// mistakes of the author.
func (g *Graph) Downgrades() []Edge {
	edges, _ := g.DowngradesUpTo(math.MaxInt)
	return edges
}

// DowngradesUpTo is like Downgrades, but returns at most limit edges, and reports whether there are more.
func (g *Graph) DowngradesUpTo(limit int) (edges []Edge, isCut bool) {
	given := map[[2]int][]Source{}
	g.eachChannelEdge(func(from, to int, source Source) {
		if g.levels[to] >= g.levels[from] {
			return
		}
		ends := [2]int{from, to}
		if _, isKnown := given[ends]; !isKnown && len(given) >= limit {
			isCut = true
			return
		}
		given[ends] = append(given[ends], source)
	})
	for ends, sources := range given {
		edges = append(edges, Edge{From: ends[0], To: ends[1], Sources: sortedSources(sources)})
	}
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return edges, isCut
}

// eachChannelEdge calls f for every channel edge between two bundles, to a higher or a lower version, once for each entry that declares it.
func (g *Graph) eachChannelEdge(f func(from, to int, source Source)) {
	covered := g.skipRangeCoverage()
	for i := range g.entries {
		entry := &g.entries[i]
		for _, to := range entry.to {
			for _, from := range g.byName[entry.Replaces] {
				f(from, to, Source{FromReplaces, entry.Channel})
			}
			for _, skipped := range entry.Skips {
				for _, from := range g.byName[skipped] {
					f(from, to, Source{FromSkips, entry.Channel})
				}
			}
			for _, each := range covered(entry) {
				for from := each.lo; from < each.hi; from++ {
					f(from, to, Source{FromSkipRange, entry.Channel})
				}
			}
		}
	}
}

// startRanks returns the ranks of the bundles that may follow a bundle outside the graph, according to the semantics alone, ascending. For
// a self-certified package these are all bundles except the bundle itself, which may be in the graph.
func (g *Graph) startRanks(from Bundle) (ranks []int32) {
	for rank, to := range g.order {
		if !g.budget.spend(1 + len(g.entriesOf[to])) {
			return ranks
		}
		if g.pkg.SelfCertified && ascending(g.bundles[to], from) != 0 || !g.pkg.SelfCertified && g.edge(from, to) {
			ranks = append(ranks, int32(rank)) // the number of bundles fits in an int32
		}
	}
	return ranks
}

// edge reports whether the semantics permit a hop from a bundle to the bundle with index to. It returns false for a lower or an equal
// version.
func (g *Graph) edge(from Bundle, to int) bool {
	if g.bundles[to].Version.Compare(from.Version) <= 0 {
		return false
	}
	channel, semver := len(g.channelSources(from, to)) > 0, g.isSemverCompatible(from.Version, g.bundles[to].Version)
	for _, each := range g.semantics {
		if given := channel && each != Semver || semver && each != Channel; !given {
			return false
		}
	}
	return true
}

// channelSources returns the sources of the channel edges from one bundle to another, whose version may be lower.
func (g *Graph) channelSources(from Bundle, to int) (sources []Source) {
	for _, at := range g.entriesOf[to] {
		entry := &g.entries[at]
		if entry.Replaces != "" && entry.Replaces == from.Name {
			sources = append(sources, Source{FromReplaces, entry.Channel})
		}
		if slices.Contains(entry.Skips, from.Name) {
			sources = append(sources, Source{FromSkips, entry.Channel})
		}
		if entry.skips(from.Version) {
			sources = append(sources, Source{FromSkipRange, entry.Channel})
		}
	}
	return sources
}

// sources returns the sources of an edge, which the semantics must permit.
func (g *Graph) sources(from Bundle, to int) []Source {
	if g.pkg.SelfCertified {
		return []Source{{Kind: FromSelfCertified}}
	}
	var sources []Source
	if slices.ContainsFunc(g.semantics, func(s Semantics) bool { return s != Semver }) {
		sources = g.channelSources(from, to)
	}
	if slices.ContainsFunc(g.semantics, func(s Semantics) bool { return s != Channel }) && g.isSemverCompatible(from.Version, g.bundles[to].Version) {
		sources = append(sources, Source{Kind: FromSemver})
	}
	return sortedSources(sources)
}

func sortedSources(sources []Source) []Source {
	slices.SortFunc(sources, func(a, b Source) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Channel, b.Channel))
	})
	return slices.Compact(sources)
}
