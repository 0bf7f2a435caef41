package graph

import (
	"fmt"

	"github.com/openshift/platform-operators/pkg/upgrade"
)

const (
	// maxEdges is the maximum number of edges to higher versions in Edges, not counting those that begin at the installed version. It also
	// limits the edges to lower versions, and the runs of versions in the text. With semantic versioning, a package with thousands of
	// versions has millions of edges, which would not fit in memory and which nobody would read.
	maxEdges = 500_000
	// cancelInterval is the number of edges after which a loop checks again whether it is canceled.
	cancelInterval = 1 << 10
)

// edgeReader adds the edges of a graph to a report.
type edgeReader struct {
	*Report
	graph *upgrade.Graph
	at    installation
	limit upgrade.Limit
	// positions holds the index in Nodes of each of the graph's bundles. keptFrom is the index of the first bundle whose outgoing edges are
	// in Edges; those of older bundles are only counted.
	positions []int
	keptFrom  int
	// runs is the number of runs in all groups, at most maxEdges.
	runs int
}

// addEdges adds the edges, including those to lower versions, which no operator follows. It ends early if the limit is canceled.
func (r *Report) addEdges(graph *upgrade.Graph, at installation, limit upgrade.Limit) {
	reader := edgeReader{Report: r, graph: graph, at: at, limit: limit, keptFrom: keptFrom(graph.EdgeCounts(), maxEdges)}
	r.into = make([][]edgeGroup, len(r.Nodes))
	positions := r.positions()
	for _, bundle := range graph.Bundles() {
		reader.positions = append(reader.positions, positions[bundle.Name])
	}
	if reader.keptFrom > 0 {
		r.firstKept = graph.Bundles()[min(reader.keptFrom, len(graph.Bundles())-1)].Version.String()
	}
	graph.EachEdge(reader.add)
	downgrades, isCut := graph.DowngradesUpTo(maxEdges)
	if isCut {
		r.Notes = append(r.Notes, fmt.Sprintf("More than %d edges lead to lower versions, and only some of them are shown. No operator follows "+
			"them.", maxEdges))
	}
	reader.keptFrom = 0
	for _, edge := range downgrades {
		if !reader.add(edge) {
			return
		}
	}
}

// keptFrom returns the index of the oldest bundle whose edges are kept: from that bundle on, the bundles have at most most edges together.
// counts[i] is the number of edges that begin at bundle i.
func keptFrom(counts []int, most int) int {
	first, total := len(counts), 0
	for first > 0 && total+counts[first-1] <= most {
		first--
		total += counts[first]
	}
	return first
}

// add adds an edge to its group, and to Edges if it is kept. It returns false if the limit is canceled.
func (e *edgeReader) add(edge upgrade.Edge) bool {
	if e.EdgeTotal%cancelInterval == 0 && e.limit.Canceled() {
		return false
	}
	isInstalled := e.at.isKnown() && e.graph.Bundles()[edge.From].Version.Equal(e.at.Version)
	var ready []upgrade.Version
	if isInstalled {
		ready = e.at.ready
	}
	group := e.group(e.positions[edge.To], edge.Sources, e.graph.EdgeRefusal(edge, ready))
	if e.runs < maxEdges {
		e.runs += group.add(e.positions[edge.From])
	} else {
		group.count++
		e.unlisted++
	}
	if edge.From < e.keptFrom && !isInstalled {
		e.EdgeTotal++
		e.Omitted++
		return true
	}
	e.keep(group.edge, e.graph.Bundles()[edge.From].Name)
	return true
}

// keep adds an edge that begins at the bundle from to Edges. Edges in the same group share their texts.
func (r *Report) keep(edge Edge, from string) {
	edge.From = from
	r.Edges = append(r.Edges, edge)
	r.EdgeTotal++
}

// omission returns a sentence that says what Edges omits; empty if it contains all edges.
func (r *Report) omission() string {
	if r.Omitted == 0 {
		return ""
	}
	return fmt.Sprintf("the graph has %d edges, and this format only %d of them: those that begin at version %s or a newer one, or at the "+
		"installed one; -o text has all edges, and --channel selects fewer", r.EdgeTotal, len(r.Edges), r.firstKept)
}
