package upgrade

import "slices"

// maxVisits limits how often a search visits one bundle, each time with other satisfied steps. Real rules need one or two visits.
const maxVisits = 16

// maxSearches limits how many search results a Reachability caches.
const maxSearches = 64

// Hop is one upgrade along a path.
type Hop struct {
	// Bundle is the hop's target, an index into Graph.Bundles.
	Bundle int
	// Sources are the origins of its edge.
	Sources []Source
}

// Reachability holds the paths and refusals from one installed version. It is not safe for concurrent use.
type Reachability struct {
	graph     *Graph
	installed Bundle
	// at is the index of the installed bundle. It is start if the bundle is not in the graph, and for self-certified upgrades; then
	// firstRanks are the ranks of its successors.
	at         int
	firstRanks []int32
	// progress is the operator's progress with the author's steps.
	progress progress
	// best has the best path to each bundle, nil if there is none.
	best []*pathNode
	// exhausted means that the budget ended the search; then no bundle is reachable.
	exhausted bool
	// searches caches searches for explanations, reachable the bundles that are reachable under subsets of the steps, and bySemantics the
	// reachability under other semantics.
	searches    map[searchOptions][]*pathNode
	reachable   map[uint64]set
	bySemantics map[Semantics]*Reachability
}

// pathNode is the end of one path to a bundle, with the progress of an operator that follows it.
type pathNode struct {
	at       int // start is the installed bundle
	progress progress
	parent   *pathNode
	// previous is the previous node of the same bundle.
	previous *pathNode
}

const start = -1

// From returns what is reachable from an installed bundle, which need not be in the graph. ready are the versions at which the operator was
// healthy before, the oldest first. They determine which steps apply to it and which of these it satisfies; a downgrade resets them.
func (g *Graph) From(installed Bundle, ready []Version) *Reachability {
	r := &Reachability{graph: g, installed: installed, at: start, best: make([]*pathNode, len(g.bundles))}
	if at, known := slices.BinarySearchFunc(g.bundles, installed, ascending); known && !g.pkg.SelfCertified {
		r.at = at
	} else {
		r.firstRanks = g.startRanks(installed)
	}
	before := Version{}
	for _, version := range append(slices.Clone(ready), installed.Version) {
		if version.Compare(before) < 0 {
			r.progress = progress{}
		}
		r.progress = r.progress.after(g.maskOf(version))
		before = version
	}
	if r.exhausted = g.budget.exhausted(); !r.exhausted && (len(g.pkg.Unreadable) == 0 || g.pkg.SelfCertified) {
		r.best = r.search(searchOptions{enforced: allSteps, from: start})
		if r.exhausted = g.budget.exhausted(); r.exhausted {
			r.best = make([]*pathNode, len(g.bundles))
		}
	}
	return r
}

// cachedSearch returns the result of a search, which runs once.
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

// searchOptions are the start of a search and what it ignores.
type searchOptions struct {
	// enforced are the steps that apply.
	enforced uint64
	// ignoreUnfit includes bundles that the cluster must not run. ignoreAvoid continues paths from bundles with Avoid set.
	ignoreUnfit, ignoreAvoid bool
	// from is where paths begin, with no step triggered; start means the installed bundle with its progress.
	from int
}

// allSteps enforces every step.
const allSteps = ^uint64(0)

// search is a breadth-first search. Of the paths with the fewest hops to a bundle it keeps the first in order of preference. If the budget
// ends it, the remaining bundles are not found.
func (r *Reachability) search(options searchOptions) []*pathNode {
	first := &pathNode{at: options.from}
	if options.from == start {
		first.progress = r.progress.restrictedTo(options.enforced)
	}
	return r.traverse(options, []*pathNode{first}, nil)
}

// traverse searches from several nodes at once. closed are the ranks of additional bundles to ignore.
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
		if g.pkg.SelfCertified { // one hop reaches everything
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
	// best and latest are the first and the last node of each bundle.
	best, latest []*pathNode
	// sets are the visited bundles for each progress.
	sets visitedSets
	// progress is the progress of the current visited sets.
	progress progress
	visited  *visited
	ranks    []int32
	// spare is preallocated memory for nodes.
	spare []pathNode
}

// successors returns the ranks that may follow under the semantics and that no node with the same progress had as successors before. It
// returns false if the work must end.
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

// selectVisited selects the visited sets of a progress. It returns false if the work must end.
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

// visit returns a new node for a bundle, nil if a known node leads to at least the same bundles.
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

// WorkDone returns the work steps that the graph has spent, zero if the package has no Limit.
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

// IsReachable reports whether there is a path to a bundle, given by its index.
func (r *Reachability) IsReachable(to int) bool { return r.best[to] != nil }

// Path returns the hops to a bundle, given by its index, in their order; the last one leads to the bundle. It is the shortest path, and of
// several the one through the newest versions. ok is false if there is none.
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

// LastHop returns the last hop of the path to a reachable bundle.
func (r *Reachability) LastHop(to int) Hop { return r.hop(r.best[to]) }

func (r *Reachability) hop(at *pathNode) Hop {
	return Hop{Bundle: at.at, Sources: r.graph.sources(r.bundle(at.parent.at), at.at)}
}

// FirstHops returns, for each bundle, the first bundle on the path to it: itself for a direct hop, -1 if there is no path.
func (r *Reachability) FirstHops() []int {
	return r.foldPaths(func(at, before int) int {
		if before >= 0 {
			return before
		}
		return at
	})
}

// FirstMatch returns, for each bundle, the first bundle on the path to it that matches, itself included; -1 if there is none.
func (r *Reachability) FirstMatch(has func(bundle int) bool) []int {
	return r.foldPaths(func(at, before int) int {
		if before < 0 && has(at) {
			return at
		}
		return before
	})
}

// foldPaths computes a value for the path to each bundle from the value of the path without its last hop, which is -1 at the beginning.
// Paths share their beginnings, so each node is evaluated once.
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

// Ancestors returns the bundles from which there is a path to a bundle, given by its index. Each is evaluated as an installed bundle
// without history.
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

// path returns the nodes of the path, without the start.
func (v *pathNode) path() (path []*pathNode) {
	for ; v.parent != nil; v = v.parent {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}
