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
	edge Edge
	// from are the positions of the versions at which the edges begin.
	from []int
}

// edgesInto returns the indexes of the edges by the bundle that they lead to.
func (r Report) edgesInto() map[string][]int {
	into := make(map[string][]int, len(r.Nodes))
	for i, edge := range r.Edges {
		into[edge.To] = append(into[edge.To], i)
	}
	return into
}

// positions returns the index in Nodes of each bundle.
func (r Report) positions() map[string]int {
	positions := make(map[string]int, len(r.Nodes))
	for i, node := range r.Nodes {
		positions[node.Bundle] = i
	}
	return positions
}

// grouped returns edges to one version in groups, so that a range of thousands of versions is one line. The group with the newest version
// comes first.
func (r Report) grouped(edges []int, positions map[string]int) []edgeGroup {
	var groups []edgeGroup
	index := map[string]int{}
	for _, i := range edges {
		edge := r.Edges[i]
		key := edge.label()
		at, exists := index[key]
		if !exists {
			at = len(groups)
			index[key] = at
			groups = append(groups, edgeGroup{edge: edge})
		}
		groups[at].from = append(groups[at].from, positions[edge.From])
	}
	for _, group := range groups {
		slices.Sort(group.from)
	}
	slices.SortStableFunc(groups, func(a, b edgeGroup) int { return cmp.Compare(b.from[len(b.from)-1], a.from[len(a.from)-1]) })
	return groups
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
func (r Report) sentenceOf(group edgeGroup, to Node) string {
	text := "from " + r.runs(group.from) + ": "
	if edge := group.edge; edge.Reason == to.Reason && edge.Reason == string(upgrade.Unfit) {
		return text + edge.sources() + fmt.Sprintf("; blocked (%s)", edge.Reason)
	}
	return text + group.edge.label()
}

// runs returns versions by their positions, which are sorted, newest first. Consecutive versions are a run: the first, the last and their
// number. No version is omitted.
func (r Report) runs(positions []int) string {
	var parts []string
	for end := len(positions); end > 0; {
		start := end - 1
		for start > 0 && positions[start-1] == positions[start]-1 {
			start--
		}
		first, last := r.Nodes[positions[start]].Version, r.Nodes[positions[end-1]].Version
		switch end - start {
		case 1:
			parts = append(parts, first)
		case 2:
			parts = append(parts, last, first)
		default:
			parts = append(parts, fmt.Sprintf("%s to %s (%d versions)", first, last, end-start))
		}
		end = start
	}
	return strings.Join(parts, ", ")
}
