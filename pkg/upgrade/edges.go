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
	for from, row := range g.leads() {
		first := len(edges)
		for rank := range row.all() {
			to := g.order[rank]
			edges = append(edges, Edge{From: from, To: to, Sources: g.sources(g.bundles[from], to)})
		}
		slices.SortFunc(edges[first:], func(a, b Edge) int { return cmp.Compare(a.To, b.To) })
	}
	return edges
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
	covered := map[string][]int{} // by text: thousands of entries share a few
	for _, entry := range g.entries {
		if entry.covers != nil && covered[entry.SkipRange] == nil {
			inside := []int{}
			for i := range g.bundles {
				if entry.skips(g.bundles[i].Version) {
					inside = append(inside, i)
				}
			}
			covered[entry.SkipRange] = inside
		}
		for _, to := range entry.to {
			for _, from := range g.byName[entry.Replaces] {
				f(from, to, Source{FromReplaces, entry.Channel})
			}
			for _, skipped := range entry.Skips {
				for _, from := range g.byName[skipped] {
					f(from, to, Source{FromSkips, entry.Channel})
				}
			}
			for _, from := range covered[entry.SkipRange] {
				f(from, to, Source{FromSkipRange, entry.Channel})
			}
		}
	}
}

// channelRows are the bundles that may follow each bundle by the channels' entries, by their ranks.
func (g *Graph) channelRows() []set {
	rows := g.emptyRows()
	g.arrows(func(from, to int, _ Source) {
		if g.levels[to] > g.levels[from] {
			rows[from].add(g.rank[to])
		}
	})
	return rows
}

// semverRows are the bundles that may follow each bundle by their versions, by their ranks.
func (g *Graph) semverRows() []set {
	rows := g.emptyRows()
	for from := range g.bundles {
		for to := from + 1; to < len(g.bundles); to++ {
			if g.levels[to] > g.levels[from] && g.promised(g.bundles[from].Version, g.bundles[to].Version) {
				rows[from].add(g.rank[to])
			}
		}
	}
	return rows
}

// leadRows are the bundles that may follow each bundle by the package's semantics alone, by their ranks.
func (g *Graph) leadRows() []set {
	switch {
	case len(g.semantics) == 1 && g.semantics[0] == Channel:
		return g.byChannel()
	case len(g.semantics) == 1 && g.semantics[0] == Semver:
		return g.bySemver()
	}
	rows := g.emptyRows()
	for from := range rows {
		for i := range rows[from] {
			rows[from][i] = ^uint64(0)
		}
		for _, semantics := range g.semantics { // it has to be an edge by all of them
			for i := range rows[from] {
				var either uint64
				if semantics != Semver {
					either |= g.byChannel()[from][i]
				}
				if semantics != Channel {
					either |= g.bySemver()[from][i]
				}
				rows[from][i] &= either
			}
		}
	}
	return rows
}

func (g *Graph) emptyRows() []set {
	rows := make([]set, len(g.bundles))
	for i := range rows {
		rows[i] = newSet(len(g.bundles))
	}
	return rows
}

// successors are the ranks of the bundles that may follow one by the semantics alone, be it in the graph or not.
func (g *Graph) successors(from Bundle) set {
	at, known := slices.BinarySearchFunc(g.bundles, from, ascending)
	if known && !g.pkg.SelfCertified {
		return g.leads()[at]
	}
	row := newSet(len(g.bundles))
	for to := range g.bundles {
		if g.pkg.SelfCertified && (!known || to != at) || !g.pkg.SelfCertified && g.edge(from, to) {
			row.add(g.rank[to])
		}
	}
	return row
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
