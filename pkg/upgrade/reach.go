package upgrade

import "slices"

// maxVisits bounds how often one bundle is visited in search of a path, each time with other steps behind it. Real rules
// need one or two.
const maxVisits = 16

// maxKept bounds how many searches of a Reach are kept, so that they need not be done again.
const maxKept = 64

// Hop is one move of a path.
type Hop struct {
	// Bundle is where it leads, by its index in Graph.Bundles.
	Bundle int
	// Sources are what its edge comes from.
	Sources []Source
}

// Reach is everything that can be said of moving from one installed version. It is not safe for concurrent use.
type Reach struct {
	graph     *Graph
	installed Bundle
	// at is the index of what is installed; start where it is not among the graph's bundles, and for self-certified moves: then first
	// are the ranks of what may follow it.
	at    int
	first []int32
	// account is how the operator stands with the author's steps.
	account account
	// best is how each bundle is reached, nil where it is not.
	best []*visit
	// ended says that the budget did not last: then nothing is reached.
	ended bool
	// found has what was searched for to say why a bundle is not reached, reached the bundles that are reached without all steps but
	// these, others what other semantics would lead to.
	found   map[search][]*visit
	reached map[uint64]set
	others  map[Semantics]*Reach
}

// visit is one way to a bundle, and how whoever came by it stands with the steps.
type visit struct {
	at      int // start is what is installed
	account account
	from    *visit
	// earlier is the visit before of the same bundle.
	earlier *visit
}

const start = -1

// From looks at what can be reached from what is installed, which need not be among the graph's bundles. ready are the
// versions that the operator is known to have been healthy at before, the oldest first. Of a step that begins at any of them
// it owes what it has not passed through since; where it went down it began anew.
func (g *Graph) From(installed Bundle, ready []Version) *Reach {
	r := &Reach{graph: g, installed: installed, at: start, best: make([]*visit, len(g.bundles))}
	if at, known := slices.BinarySearchFunc(g.bundles, installed, ascending); known && !g.pkg.SelfCertified {
		r.at = at
	} else {
		r.first = g.startRanks(installed)
	}
	before := Version{}
	for _, version := range append(slices.Clone(ready), installed.Version) {
		if version.Compare(before) < 0 {
			r.account = account{}
		}
		r.account = r.account.after(g.maskOf(version))
		before = version
	}
	if r.ended = g.budget.exhausted(); !r.ended && (len(g.pkg.Unreadable) == 0 || g.pkg.SelfCertified) {
		r.best = r.search(search{holding: every, from: start})
		if r.ended = g.budget.exhausted(); r.ended {
			r.best = make([]*visit, len(g.bundles))
		}
	}
	return r
}

// searched is what a search has found, each done once.
func (r *Reach) searched(look search) []*visit {
	best, known := r.found[look]
	if !known {
		best = r.search(look)
		if r.found == nil || len(r.found) >= maxKept {
			r.found = map[search][]*visit{}
		}
		r.found[look] = best
	}
	return best
}

// search is what to look for in a graph, and what to overlook.
type search struct {
	// holding are the steps that are regarded.
	holding uint64
	// unfit says that bundles count which the cluster must not run, confined that ways lead on from those that none may lead on
	// from.
	unfit, confined bool
	// from is where ways begin, with no step owed; at what is installed where it is start.
	from int
}

// every step is regarded.
const every = ^uint64(0)

// search walks the graph hop by hop. Of the paths with the fewest hops to a bundle the first in order of preference is kept:
// whoever comes first has the better way behind it. What is left when the work has to end is not found.
func (r *Reach) search(look search) []*visit {
	first := &visit{at: look.from}
	if look.from == start {
		first.account = r.account.of(look.holding)
	}
	return r.walk(look, []*visit{first}, nil)
}

// walk searches from several beginnings at once; closed are the ranks of more bundles that do not count.
func (r *Reach) walk(look search, layer []*visit, closed set) []*visit {
	g := r.graph
	w := &walk{reach: r, look: look, closed: closed, best: make([]*visit, len(g.bundles)), latest: make([]*visit, len(g.bundles)), sets: newUntriedSets(g.untriedBytes)}
	for len(layer) > 0 {
		var next []*visit
		for _, from := range layer {
			ranks, ok := w.successors(from)
			if !ok {
				return w.best
			}
			open := from.account.open() & look.holding
			for _, rank := range ranks {
				to := g.order[rank]
				if !g.pkg.SelfCertified && open&g.masks[to].wants != 0 {
					continue
				}
				if visit := w.visit(from, to); visit != nil && (g.bundles[to].Avoid == "" || look.confined) {
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

// walk is a search under way.
type walk struct {
	reach  *Reach
	look   search
	closed set
	// best and latest are the first and the last visit of each bundle.
	best, latest []*visit
	// sets are what need not be tried again, by how one stands with the steps.
	sets untriedSets
	// account and untried are the last that were asked for of sets.
	account account
	untried *untried
	ranks   []int32
	// spare is room for visits.
	spare []visit
}

// successors are the ranks of what may follow by the semantics and was not tried before by who stands like this; false says that the
// work has to end.
func (w *walk) successors(from *visit) (ranks []int32, ok bool) {
	g := w.reach.graph
	successors := g.successors()
	if !w.resume(from.account, successors) {
		return nil, false
	}
	at := from.at
	if at == start {
		at = w.reach.at
	}
	looked := len(w.reach.first)
	if at != start {
		w.ranks, looked = successors.take(at, w.untried, w.ranks[:0])
		return w.ranks, g.budget.spend(1 + looked + len(w.ranks))
	}
	w.ranks = w.ranks[:0]
	for _, rank := range w.reach.first {
		if !w.untried.done.has(int(rank)) {
			w.untried.done.add(int(rank))
			w.ranks = append(w.ranks, rank)
		}
	}
	return w.ranks, g.budget.spend(1 + looked)
}

// resume finds what an account has not tried yet; false says that the work has to end.
func (w *walk) resume(account account, successors *successors) bool {
	if w.untried != nil && w.account == account {
		return true
	}
	g := w.reach.graph
	var fresh bool
	w.account = account
	if w.untried, fresh = w.sets.of(account, successors); !fresh {
		return true
	}
	if !w.look.unfit {
		copy(w.untried.done, g.unfit)
	}
	w.untried.done.join(w.closed)
	return g.budget.spend(w.untried.words())
}

// visit is a new way to a bundle; nil where one is known that leads wherever it would lead.
func (w *walk) visit(from *visit, to int) *visit {
	account := from.account.after(w.reach.graph.masks[to]).of(w.look.holding)
	visits, known := 0, false
	for earlier := w.latest[to]; earlier != nil && !known; earlier = earlier.earlier {
		visits++
		known = visits >= maxVisits || account.coveredBy(earlier.account)
	}
	w.reach.graph.budget.spend(visits) // whether it was the last of the budget, successors says next
	if known {
		return nil
	}
	if len(w.spare) == 0 {
		w.spare = make([]visit, 64)
	}
	found := &w.spare[0]
	w.spare = w.spare[1:]
	*found = visit{at: to, account: account, from: from, earlier: w.latest[to]}
	w.latest[to] = found
	if w.best[to] == nil {
		w.best[to] = found
	}
	return found
}

// Work is how many steps of work its graph has done, where the package has a Limit.
func (r *Reach) Work() int {
	if r.graph.budget == nil {
		return 0
	}
	return r.graph.budget.spent
}

func (r *Reach) bundle(at int) Bundle {
	if at == start {
		return r.installed
	}
	return r.graph.bundles[at]
}

// Reached says whether there is a path to a bundle, given by its index.
func (r *Reach) Reached(to int) bool { return r.best[to] != nil }

// Path is the way to a bundle, given by its index: the hops in their order, the last one to the bundle. It is the shortest
// one, and among those the one through the newest versions. ok is false where there is none.
func (r *Reach) Path(to int) (path []Hop, ok bool) {
	if r.best[to] == nil {
		return nil, false
	}
	for _, at := range r.best[to].path() {
		path = append(path, r.hop(at))
	}
	r.graph.budget.spend(len(path))
	return path, true
}

// Last is the last hop of the path to a bundle that is reached.
func (r *Reach) Last(to int) Hop { return r.hop(r.best[to]) }

func (r *Reach) hop(at *visit) Hop {
	return Hop{Bundle: at.at, Sources: r.graph.sources(r.bundle(at.from.at), at.at)}
}

// FirstHops are where the path to each bundle begins, by its index: the bundle itself where that takes one hop, -1 where there is no path.
func (r *Reach) FirstHops() []int {
	return r.along(func(at, before int) int {
		if before >= 0 {
			return before
		}
		return at
	})
}

// FirstOf are the first bundle on the path to each one that has a property, itself included; -1 where none has.
func (r *Reach) FirstOf(has func(bundle int) bool) []int {
	return r.along(func(at, before int) int {
		if before < 0 && has(at) {
			return at
		}
		return before
	})
}

// along finds something for the path to each bundle, out of what was found for the path without the last hop, -1 at the beginning.
// Paths share their beginnings: each visit is asked about once.
func (r *Reach) along(find func(at, before int) int) []int {
	known := map[*visit]int{}
	found := make([]int, len(r.best))
	for to, best := range r.best {
		found[to] = -1
		if best == nil {
			continue
		}
		var path []*visit
		before := -1
		for at := best; at.from != nil; at = at.from {
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

// ReachedFrom are the bundles from which there is a path to one, given by its index, each as if it were installed and nothing were
// known of what was before it.
func (g *Graph) ReachedFrom(to int) (from []int) {
	if len(g.pkg.Unreadable) > 0 && !g.pkg.SelfCertified {
		return nil
	}
	direct := len(g.steps) == 0 && !g.pkg.SelfCertified
	var arriving set
	if direct {
		if g.bundles[to].Unfit != "" {
			return nil
		}
		arriving = g.successors().arriving(to, func(at int) bool { return at == to || g.bundles[at].Unfit == "" && g.bundles[at].Avoid == "" })
	}
	for at := range g.bundles {
		if at != to && (direct && arriving.has(at) || !direct && g.From(g.bundles[at], nil).Reached(to)) {
			from = append(from, at)
		}
	}
	return from
}

// path are the visits that led to this one and this one, without the start.
func (v *visit) path() (path []*visit) {
	for ; v.from != nil; v = v.from {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}
