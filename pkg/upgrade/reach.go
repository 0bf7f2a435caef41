package upgrade

import "slices"

// maxVisits is the maximum number of visits to one bundle in a search, each with different satisfied steps. Real rules need one or two.
const maxVisits = 16

// maxSearches is the maximum number of search results that a Reachability caches.
const maxSearches = 64

// Hop is one upgrade on a path.
type Hop struct {
	// Bundle is the index in Graph.Bundles of the hop's target.
	Bundle int
	// Sources are the origins of the hop's edge.
	Sources []Source
}

// Reachability holds the paths and refusals from one installed version. It is not safe for concurrent use.
type Reachability struct {
	graph     *Graph
	installed Bundle
	// at is the index of the installed bundle. It is start if the bundle is not in the graph, and for self-certified upgrades. In these
	// cases, firstRanks holds the ranks of the bundle's successors.
	at         int
	firstRanks []int32
	// progress is the operator's progress through the author's steps.
	progress progress
	// best holds the best path to each bundle; nil if there is none.
	best []*pathNode
	// exhausted reports whether the budget ended the search. If it did, no bundle is reachable.
	exhausted bool
	// searches holds the results of searches for explanations, reachable holds the bundles that are reachable under subsets of the steps,
	// and bySemantics holds the reachability under other semantics. All three are caches.
	searches    map[searchOptions][]*pathNode
	reachable   map[uint64]set
	bySemantics map[Semantics]*Reachability
}

// pathNode is a bundle at the end of one path, with the progress of an operator that follows the path. parent is the node before it on the
// path; nil at the start.
type pathNode struct {
	at       int // start means the installed bundle
	progress progress
	parent   *pathNode
	// previous is the node for the same bundle that was found before this one.
	previous *pathNode
}

const start = -1

// From returns what is reachable from an installed bundle, which need not be in the graph. ready lists the versions at which the operator
// was ready before, the oldest first. The installed version and these versions determine which steps apply to the operator, and which of
// these steps it satisfies. A downgrade resets this history.
func (g *Graph) From(installed Bundle, ready []Version) *Reachability {
	r := &Reachability{graph: g, installed: installed, at: start, best: make([]*pathNode, len(g.bundles))}
	if at, known := slices.BinarySearchFunc(g.bundles, installed, ascending); known && !g.pkg.SelfCertified {
		r.at = at
	} else {
		r.firstRanks = g.startRanks(installed)
	}
	r.progress = g.progressAt(installed.Version, ready)
	if r.exhausted = g.budget.exhausted(); !r.exhausted && (len(g.pkg.Unreadable) == 0 || g.pkg.SelfCertified) {
		r.best = r.search(searchOptions{enforced: allSteps, from: start})
		if r.exhausted = g.budget.exhausted(); r.exhausted {
			r.best = make([]*pathNode, len(g.bundles))
		}
	}
	return r
}

// cachedSearch returns the result of a search. It runs the search only if the result is not cached.
func (r *Reachability) cachedSearch(options searchOptions) []*pathNode {
	best, ok := r.searches[options]
	if !ok {
		best = r.search(options)
		if r.searches == nil || len(r.searches) >= maxSearches {
			r.searches = map[searchOptions][]*pathNode{}
		}
		r.searches[options] = best
	}
	return best
}

// searchOptions define where a search starts and what it ignores.
type searchOptions struct {
	// enforced has a bit for each step that applies.
	enforced uint64
	// ignoreUnfit permits bundles that the cluster must not run. ignoreAvoid continues paths from bundles with Avoid set.
	ignoreUnfit, ignoreAvoid bool
	// from is the bundle at which paths begin, with no step triggered; start means the installed bundle with its progress.
	from int
}

// allSteps is the value of enforced with which every step applies.
const allSteps = ^uint64(0)

// search returns the best path to each bundle; nil for a bundle that is not reachable. It is a breadth-first search. Of the paths with the
// fewest hops to a bundle it keeps the first in order of preference. If the budget is exhausted, it does not find the remaining bundles.
func (r *Reachability) search(options searchOptions) []*pathNode {
	first := &pathNode{at: options.from}
	if options.from == start {
		first.progress = r.progress.restrictedTo(options.enforced)
	}
	return r.traverse(options, []*pathNode{first}, nil)
}

// traverse searches from several nodes at once. closed holds the ranks of additional bundles to ignore.
func (r *Reachability) traverse(options searchOptions, layer []*pathNode, closed set) []*pathNode {
	g := r.graph
	w := &traversal{reach: r, options: options, closed: closed, best: make([]*pathNode, len(g.bundles)), latest: make([]*pathNode, len(g.bundles)), sets: newVisitedSets(g.maxVisitedBytes)}
	for len(layer) > 0 {
		var next []*pathNode
		for _, from := range layer {
			ranks, ok := w.successors(from)
			if !ok {
				return w.best
			}
			open := from.progress.outstanding() & options.enforced
			for _, rank := range ranks {
				to := g.order[rank]
				if !g.pkg.SelfCertified && open&g.masks[to].requires != 0 {
					continue
				}
				if visit := w.visit(from, to); visit != nil && (g.bundles[to].Avoid == "" || options.ignoreAvoid) {
					next = append(next, visit)
				}
			}
		}
		if g.pkg.SelfCertified { // one hop reaches every bundle
			break
		}
		layer = next
	}
	return w.best
}

// traversal is the state of a search.
type traversal struct {
	reach   *Reachability
	options searchOptions
	closed  set
	// best holds the first node of each bundle, and latest the last.
	best, latest []*pathNode
	// sets holds what was visited, separately for each progress.
	sets visitedSets
	// progress is the progress for which visited is selected.
	progress progress
	visited  *visited
	ranks    []int32
	// spare is preallocated memory for nodes.
	spare []pathNode
}

// successors returns the ranks of the bundles that may follow a node under the semantics. It omits bundles that it returned for an earlier
// node with the same progress. It returns false if the work must end.
func (w *traversal) successors(from *pathNode) (ranks []int32, ok bool) {
	g := w.reach.graph
	successors := g.successors()
	if !w.selectVisited(from.progress, successors) {
		return nil, false
	}
	at := from.at
	if at == start {
		at = w.reach.at
	}
	looked := len(w.reach.firstRanks)
	if at != start {
		w.ranks, looked = successors.take(at, w.visited, w.ranks[:0])
		return w.ranks, g.budget.spend(1 + looked + len(w.ranks))
	}
	w.ranks = w.ranks[:0]
	for _, rank := range w.reach.firstRanks {
		if !w.visited.ranks.has(int(rank)) {
			w.visited.ranks.add(int(rank))
			w.ranks = append(w.ranks, rank)
		}
	}
	return w.ranks, g.budget.spend(1 + looked)
}

// selectVisited sets the field visited to what was visited with the given progress. It returns false if the work must end.
func (w *traversal) selectVisited(progress progress, successors *successors) bool {
	if w.visited != nil && w.progress == progress {
		return true
	}
	g := w.reach.graph
	var isNew bool
	w.progress = progress
	if w.visited, isNew = w.sets.get(progress, successors); !isNew {
		return true
	}
	if !w.options.ignoreUnfit {
		copy(w.visited.ranks, g.unfit)
	}
	w.visited.ranks.union(w.closed)
	return g.budget.spend(w.visited.words())
}

// visit returns a new node for a bundle. It returns nil if a known node of the bundle leads to at least the same bundles, or if the bundle
// already has maxVisits nodes.
func (w *traversal) visit(from *pathNode, to int) *pathNode {
	progress := from.progress.after(w.reach.graph.masks[to]).restrictedTo(w.options.enforced)
	visits, isKnown := 0, false
	for previous := w.latest[to]; previous != nil && !isKnown; previous = previous.previous {
		visits++
		isKnown = visits >= maxVisits || progress.isCoveredBy(previous.progress)
	}
	w.reach.graph.budget.spend(visits) // successors checks whether that exhausts the budget
	if isKnown {
		return nil
	}
	if len(w.spare) == 0 {
		w.spare = make([]pathNode, 64)
	}
	found := &w.spare[0]
	w.spare = w.spare[1:]
	*found = pathNode{at: to, progress: progress, parent: from, previous: w.latest[to]}
	w.latest[to] = found
	if w.best[to] == nil {
		w.best[to] = found
	}
	return found
}

// WorkDone returns the number of work steps that the graph has spent; zero if the package has no Limit.
func (r *Reachability) WorkDone() int {
	if r.graph.budget == nil {
		return 0
	}
	return r.graph.budget.spent
}

func (r *Reachability) bundle(at int) Bundle {
	if at == start {
		return r.installed
	}
	return r.graph.bundles[at]
}

// IsReachable reports whether there is a path to the bundle with this index.
func (r *Reachability) IsReachable(to int) bool { return r.best[to] != nil }

// Path returns the hops to the bundle with this index, in their order; the last one leads to the bundle. It is the shortest path. Of
// several shortest paths, it is the first in the order of preference: bundles that are not deprecated, then releases, then the newest. ok
// is false if there is no path.
func (r *Reachability) Path(to int) (path []Hop, ok bool) {
	if r.best[to] == nil {
		return nil, false
	}
	for _, at := range r.best[to].path() {
		path = append(path, r.hop(at))
	}
	r.graph.budget.spend(len(path))
	return path, true
}

// LastHop returns the last hop of the path to the bundle with this index, which must be reachable.
func (r *Reachability) LastHop(to int) Hop { return r.hop(r.best[to]) }

func (r *Reachability) hop(at *pathNode) Hop {
	return Hop{Bundle: at.at, Sources: r.graph.sources(r.bundle(at.parent.at), at.at)}
}

// FirstHops returns, for each bundle, the index of the first bundle on the path to it. For a direct hop this is the bundle itself; if there
// is no path, it is -1.
func (r *Reachability) FirstHops() []int {
	return r.foldPaths(func(at, before int) int {
		if before >= 0 {
			return before
		}
		return at
	})
}

// FirstMatch returns, for each bundle, the index of the first bundle on the path to it for which the function has returns true. The path
// includes the bundle itself. The index is -1 if there is no match or no path.
func (r *Reachability) FirstMatch(has func(bundle int) bool) []int {
	return r.foldPaths(func(at, before int) int {
		if before < 0 && has(at) {
			return at
		}
		return before
	})
}

// foldPaths returns a value for the path to each bundle; -1 if there is no path. find computes the value from the last bundle of the path
// (at) and from the value for the path to the bundle before it (before), which is -1 at the beginning. Paths share their beginnings, so
// each node is evaluated once.
func (r *Reachability) foldPaths(find func(at, before int) int) []int {
	known := map[*pathNode]int{}
	found := make([]int, len(r.best))
	for to, best := range r.best {
		found[to] = -1
		if best == nil {
			continue
		}
		var path []*pathNode
		before := -1
		for at := best; at.parent != nil; at = at.parent {
			if value, is := known[at]; is {
				before = value
				break
			}
			path = append(path, at)
		}
		r.graph.budget.spend(1 + len(path))
		for _, at := range slices.Backward(path) {
			before = find(at.at, before)
			known[at] = before
		}
		found[to] = before
	}
	return found
}

// Ancestors returns the indexes of the bundles from which there is a path to the bundle with index to. Each is evaluated as an installed
// bundle without history.
func (g *Graph) Ancestors(to int) (from []int) {
	if len(g.pkg.Unreadable) > 0 && !g.pkg.SelfCertified {
		return nil
	}
	direct := len(g.steps) == 0 && !g.pkg.SelfCertified
	var arriving set
	if direct {
		if g.bundles[to].Unfit != "" {
			return nil
		}
		arriving = g.successors().ancestors(to, func(at int) bool { return at == to || g.bundles[at].Unfit == "" && g.bundles[at].Avoid == "" })
	}
	for at := range g.bundles {
		if at != to && (direct && arriving.has(at) || !direct && g.From(g.bundles[at], nil).IsReachable(to)) {
			from = append(from, at)
		}
	}
	return from
}

// path returns the nodes of the path in order, without the start.
func (v *pathNode) path() (path []*pathNode) {
	for ; v.parent != nil; v = v.parent {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}
