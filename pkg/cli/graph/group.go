package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/upgrade"
)

// edgeGroup has edges to one version with equal sources and refusals.
type edgeGroup struct {
	edge    Edge
	refusal upgrade.Refusal
	// count is the number of edges, and from are the runs of positions of the versions at which they begin.
	count int
	from  []run
}

// run is a run of consecutive positions in Nodes.
type run struct{ first, last int }

// add adds an edge that begins at a position, and returns the number of runs that this adds.
func (g *edgeGroup) add(position int) int {
	g.count++
	if last := len(g.from) - 1; last >= 0 && g.from[last].last == position-1 {
		g.from[last].last = position
		return 0
	}
	g.from = append(g.from, run{position, position})
	return 1
}

// group returns the group of an edge to the version at a position, which it adds if there is none. Most edges follow one with equal
// sources.
func (r *Report) group(to int, sources []upgrade.Source, refusal upgrade.Refusal) *edgeGroup {
	groups := r.into[to]
	for i := len(groups) - 1; i >= 0; i-- {
		if groups[i].refusal == refusal && groups[i].edge.hasSources(sources) {
			return &groups[i]
		}
	}
	edge := Edge{To: r.Nodes[to].Bundle, Sources: sourcesOf(sources), Reason: string(refusal.Reason), Message: refusal.Message}
	r.into[to] = append(groups, edgeGroup{edge: edge, refusal: refusal})
	return &r.into[to][len(groups)]
}

// hasSources reports whether an edge has the same sources.
func (e *Edge) hasSources(sources []upgrade.Source) bool {
	return slices.EqualFunc(e.Sources, sources, func(a Source, b upgrade.Source) bool {
		return a.Kind == string(b.Kind) && a.Channel == b.Channel
	})
}

// positions returns the index in Nodes of each bundle.
func (r *Report) positions() map[string]int {
	positions := make(map[string]int, len(r.Nodes))
	for i, node := range r.Nodes {
		positions[node.Bundle] = i
	}
	return positions
}

// grouped returns the groups of the edges to the version at a position. The group with the newest version comes first.
func (r *Report) grouped(to int) []edgeGroup {
	groups := slices.DeleteFunc(slices.Clone(r.into[to]), func(group edgeGroup) bool { return len(group.from) == 0 })
	for i := range groups {
		groups[i].from = merged(groups[i].from)
	}
	slices.SortStableFunc(groups, func(a, b edgeGroup) int {
		return cmp.Compare(b.from[len(b.from)-1].last, a.from[len(a.from)-1].last)
	})
	return groups
}

// merged returns runs in ascending order, with adjacent ones as one.
func merged(runs []run) []run {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	var all []run
	for _, each := range runs {
		if last := len(all) - 1; last >= 0 && all[last].last+1 == each.first {
			all[last].last = each.last
			continue
		}
		all = append(all, each)
	}
	return all
}

// label returns the sources of an edge, and what blocks it.
func (e Edge) label() string {
	text := e.sources()
	if e.Reason != "" {
		text += fmt.Sprintf("; blocked (%s): %s", e.Reason, e.Message)
	}
	return text
}

// sources returns the sources of an edge, such as "semver, replaces in stable".
func (e Edge) sources() string {
	var sources []string
	for _, source := range e.Sources {
		sources = append(sources, source.String())
	}
	return strings.Join(sources, ", ")
}

// String returns, for example, "replaces in stable".
func (s Source) String() string {
	if s.Channel == "" {
		return s.Kind
	}
	return s.Kind + " in " + s.Channel
}

// sentenceOf returns a line for a group of edges to a version. A cluster that is too new for the version blocks it and all edges to it for
// one reason, so only the version has the message.
func (r *Report) sentenceOf(group edgeGroup, to Node) string {
	text := "from " + r.runs(group.from) + ": "
	if edge := group.edge; edge.Reason == to.Reason && edge.Reason == string(upgrade.Unfit) {
		return text + edge.sources() + fmt.Sprintf("; blocked (%s)", edge.Reason)
	}
	return text + group.edge.label()
}

// runs returns versions by runs of their positions, which are sorted, newest first: the first version of a run, the last one and their
// number. No version is omitted.
func (r *Report) runs(all []run) string {
	var parts []string
	for _, each := range slices.Backward(all) {
		first, last := r.Nodes[each.first].Version, r.Nodes[each.last].Version
		switch length := each.last - each.first + 1; length {
		case 1:
			parts = append(parts, first)
		case 2:
			parts = append(parts, last, first)
		default:
			parts = append(parts, fmt.Sprintf("%s to %s (%d versions)", first, last, length))
		}
	}
	return strings.Join(parts, ", ")
}
