package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/openshift/platform-operators/pkg/upgrade"
)

// edgeGroup holds the edges to one version that have equal sources and refusals.
type edgeGroup struct {
	edge    Edge
	refusal upgrade.Refusal
	// count is the number of edges. from holds the positions in Nodes of the versions at which the edges begin. It omits some of them if
	// the report has more than maxEdges runs.
	count int
	from  []run
}

// run is a run of consecutive positions in Nodes.
type run struct{ first, last int }

// add adds an edge that begins at a position. It returns the number of runs that this adds: 0 or 1.
func (g *edgeGroup) add(position int) int {
	g.count++
	if last := len(g.from) - 1; last >= 0 && g.from[last].last == position-1 {
		g.from[last].last = position
		return 0
	}
	g.from = append(g.from, run{position, position})
	return 1
}

// group returns the group for an edge to the version at a position, and creates the group if there is none. It tries the newest group
// first, because most edges have the same sources as the edge before them.
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

// hasSources reports whether an edge has exactly these sources.
func (e *Edge) hasSources(sources []upgrade.Source) bool {
	return slices.EqualFunc(e.Sources, sources, func(a Source, b upgrade.Source) bool {
		return a.Kind == string(b.Kind) && a.Channel == b.Channel
	})
}

// positions returns the indexes of Nodes, keyed by the name of the bundle.
func (r *Report) positions() map[string]int {
	positions := make(map[string]int, len(r.Nodes))
	for i, node := range r.Nodes {
		positions[node.Bundle] = i
	}
	return positions
}

// grouped returns the groups of the edges to the version at a position, without those whose positions are unknown. The group with the
// newest version in from comes first.
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

// merged sorts runs in ascending order, and joins adjacent ones.
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

// sentenceOf returns a line for a group of edges to a version. If the version does not support the cluster, all edges to it are blocked for
// that reason, and only the heading of the version shows the message.
func (r *Report) sentenceOf(group edgeGroup, to Node) string {
	text := "from " + r.runs(group.from) + ": "
	if edge := group.edge; edge.Reason == to.Reason && edge.Reason == string(upgrade.Unfit) {
		return text + edge.sources() + fmt.Sprintf("; blocked (%s)", edge.Reason)
	}
	return text + group.edge.label()
}

// runs describes the versions at runs of positions, which are in ascending order. The newest run comes first. A run of more than two
// versions is described by its first version, its last version and their number. No version is omitted.
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
