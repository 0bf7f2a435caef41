package upgrade

import "slices"

// spanIndex finds the spans that contain a position. It is a segment tree: a span is stored at the few nodes that together cover its
// positions, and the spans of a position are those at its leaf and at the ancestors of its leaf. All positions of a node share the node's
// spans, so a search visits each node once.
type spanIndex struct {
	size int
	// first holds, for each node, the index in targets of the node's first target. The targets of a node are
	// targets[first[node]:first[node+1]], ascending.
	first   []int32
	targets []int32
}

// targetSpan is a span with the rank of its target bundle.
type targetSpan struct {
	span
	target int
}

// newSpanIndex returns an index of spans of positions, which must be below size.
func newSpanIndex(size int, spans []targetSpan) *spanIndex {
	x := &spanIndex{size: size, first: make([]int32, 2*size+1)}
	spans = slices.Clone(spans)
	slices.SortStableFunc(spans, func(a, b targetSpan) int { return a.target - b.target })
	for _, each := range spans {
		x.nodes(each.span, func(node int) { x.first[node+1]++ })
	}
	for node := range 2 * size {
		x.first[node+1] += x.first[node]
	}
	x.targets = make([]int32, x.first[2*size])
	next := slices.Clone(x.first)
	for _, each := range spans {
		x.nodes(each.span, func(node int) {
			x.targets[next[node]] = int32(each.target) // the number of bundles fits in an int32
			next[node]++
		})
	}
	return x
}

// nodes calls f with the nodes that together cover a span.
func (x *spanIndex) nodes(s span, f func(node int)) {
	for lo, hi := s.lo+x.size, s.hi+x.size; lo < hi; lo, hi = lo/2, hi/2 {
		if lo%2 == 1 {
			f(lo)
			lo++
		}
		if hi%2 == 1 {
			hi--
			f(hi)
		}
	}
}

// at returns the targets at one node.
func (x *spanIndex) at(node int) []int32 { return x.targets[x.first[node]:x.first[node+1]] }
