package upgrade

import (
	"cmp"
	"slices"
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
	leads := make([]bool, len(g.bundles))
	for from, bundle := range g.bundles {
		g.successors(bundle, leads)
		given := g.channelSources(bundle)
		for to, yes := range leads {
			if yes {
				edges = append(edges, Edge{From: from, To: to, Sources: g.sources(bundle, to, given[to])})
			}
		}
	}
	return edges
}

// Descents are the channel edges that lead down, which are none by any semantics. Authors mostly did not mean them.
func (g *Graph) Descents() []Edge {
	var edges []Edge
	for from, bundle := range g.bundles {
		for to, sources := range g.channelSources(bundle) {
			if g.bundles[to].Version.Compare(bundle.Version) < 0 {
				edges = append(edges, Edge{From: from, To: to, Sources: sorted(sources)})
			}
		}
	}
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return edges
}

// successors says of each bundle whether it may follow one by the semantics alone.
func (g *Graph) successors(from Bundle, into []bool) {
	if g.pkg.SelfCertified {
		for to, bundle := range g.bundles {
			into[to] = ascending(bundle, from) != 0
		}
		return
	}
	clear(into)
	g.arrowsFrom(from, func(a arrow) { into[a.to] = true })
	for to, bundle := range g.bundles {
		into[to] = bundle.Version.Compare(from.Version) > 0 && permit(g.semantics, into[to], g.compatible(from.Version, bundle.Version))
	}
}

// channelSources are the channel edges that leave a bundle, up or down, by where they lead.
func (g *Graph) channelSources(from Bundle) map[int][]Source {
	given := map[int][]Source{}
	g.arrowsFrom(from, func(a arrow) { given[a.to] = append(given[a.to], a.source) })
	return given
}

// sources says where an edge comes from that the semantics permit; given are the channels' part of it.
func (g *Graph) sources(from Bundle, to int, given []Source) []Source {
	if g.pkg.SelfCertified {
		return []Source{{Kind: FromSelfCertified}}
	}
	var sources []Source
	if slices.ContainsFunc(g.semantics, func(s Semantics) bool { return s != Semver }) {
		sources = append(sources, given...)
	}
	if slices.ContainsFunc(g.semantics, func(s Semantics) bool { return s != Channel }) && g.compatible(from.Version, g.bundles[to].Version) {
		sources = append(sources, Source{Kind: FromSemver})
	}
	return sorted(sources)
}

func sorted(sources []Source) []Source {
	slices.SortFunc(sources, func(a, b Source) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Channel, b.Channel)) })
	return slices.Compact(sources)
}
