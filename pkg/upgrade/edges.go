package upgrade

import (
	"cmp"
	"slices"
	"strings"
)

// Edge leads from one bundle of a graph to another, both by their indices in Bundles.
type Edge struct {
	From, To int
	// Sources are what it comes from, each once, in a stable order.
	Sources []Source
}

// Edges are all edges of the package by its semantics, whatever steps and clusters say, ordered by From and To. None of them
// leads to a lower version.
func (g *Graph) Edges() []Edge {
	var edges []Edge
	g.successors().each(func(from int, ranks []int32) {
		first := len(edges)
		for _, rank := range ranks {
			to := g.order[rank]
			edges = append(edges, Edge{From: from, To: to, Sources: g.sources(g.bundles[from], to)})
		}
		slices.SortFunc(edges[first:], func(a, b Edge) int { return cmp.Compare(a.To, b.To) })
	})
	return edges
}

// EdgeCount is how many Edges there are, without making them.
func (g *Graph) EdgeCount() (count int) {
	g.successors().each(func(_ int, ranks []int32) { count += len(ranks) })
	return count
}

// Descents are the channel edges that lead down, which are none by any semantics. Authors mostly did not mean them.
func (g *Graph) Descents() []Edge {
	given := map[[2]int][]Source{}
	g.arrows(func(from, to int, source Source) {
		if g.levels[to] < g.levels[from] {
			given[[2]int{from, to}] = append(given[[2]int{from, to}], source)
		}
	})
	var edges []Edge
	for ends, sources := range given {
		edges = append(edges, Edge{From: ends[0], To: ends[1], Sources: sorted(sources)})
	}
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return edges
}

// arrows calls f with every channel edge between two bundles, up or down, as often as entries say it.
func (g *Graph) arrows(f func(from, to int, source Source)) {
	covered := g.coverage()
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

// startRanks are the ranks of the bundles that may follow by the semantics alone what is not among the graph's bundles, ascending.
func (g *Graph) startRanks(from Bundle) (ranks []int32) {
	for rank, to := range g.order {
		if !g.budget.spend(1 + len(g.entriesOf[to])) {
			return ranks
		}
		if g.pkg.SelfCertified && ascending(g.bundles[to], from) != 0 || !g.pkg.SelfCertified && g.edge(from, to) {
			ranks = append(ranks, int32(rank)) // the number of a bundle
		}
	}
	return ranks
}

// edge says whether the semantics permit a move.
func (g *Graph) edge(from Bundle, to int) bool {
	if g.bundles[to].Version.Compare(from.Version) <= 0 {
		return false
	}
	channel, semver := len(g.channelSources(from, to)) > 0, g.promised(from.Version, g.bundles[to].Version)
	for _, each := range g.semantics {
		if given := channel && each != Semver || semver && each != Channel; !given {
			return false
		}
	}
	return true
}

// channelSources are what of the channels' entries leads from one bundle to another, up or down.
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

// sources says where an edge comes from that the semantics permit.
func (g *Graph) sources(from Bundle, to int) []Source {
	if g.pkg.SelfCertified {
		return []Source{{Kind: FromSelfCertified}}
	}
	var sources []Source
	if slices.ContainsFunc(g.semantics, func(s Semantics) bool { return s != Semver }) {
		sources = g.channelSources(from, to)
	}
	if slices.ContainsFunc(g.semantics, func(s Semantics) bool { return s != Channel }) && g.promised(from.Version, g.bundles[to].Version) {
		sources = append(sources, Source{Kind: FromSemver})
	}
	return sorted(sources)
}

func sorted(sources []Source) []Source {
	slices.SortFunc(sources, func(a, b Source) int {
		return cmp.Or(strings.Compare(string(a.Kind), string(b.Kind)), strings.Compare(a.Channel, b.Channel))
	})
	return slices.Compact(sources)
}
