package upgrade

import "slices"

// maxVisits bounds how often one bundle is visited in search of a path, each time with other steps behind it. Real rules
// need one or two.
const maxVisits = 16

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
	// first are the ranks of what may follow the installed version by the semantics alone.
	first set
	// account is how the operator stands with the author's steps.
	account account
	// best is how each bundle is reached, nil where it is not.
	best []*visit
	// others are what other semantics would lead to, and unconfined what could be reached if ways led on from everything that the
	// cluster may run; made when somebody asks.
	others     map[Semantics]alternative
	unconfined []*visit
}

// visit is one way to a bundle, and how whoever came by it stands with the steps.
type visit struct {
	at      int // start is what is installed
	account account
	from    *visit
}

const start = -1

// From looks at what can be reached from what is installed, which need not be among the graph's bundles. ready are the
// versions that the operator is known to have been healthy at before, the oldest first. Of a step that begins at any of them
// it owes what it has not passed through since; where it went down it began anew.
func (g *Graph) From(installed Bundle, ready []Version) *Reach {
	r := &Reach{graph: g, installed: installed, first: g.successors(installed), best: make([]*visit, len(g.bundles))}
	before := Version{}
	for _, version := range append(slices.Clone(ready), installed.Version) {
		if version.Compare(before) < 0 {
			r.account = account{}
		}
		r.account = r.account.after(g.maskOf(version))
		before = version
	}
	if len(g.pkg.Unreadable) == 0 || g.pkg.SelfCertified {
		r.best = r.search(search{holding: every, wanted: nobody})
	}
	return r
}

// search is what to look for in a graph, and what to overlook.
type search struct {
	// holding are the steps that are regarded.
	holding uint64
	// wanted is the bundle that ends the search when it is found.
	wanted int
	// unfit says that bundles count which the cluster must not run, confined that ways lead on from those that none may lead on
	// from.
	unfit, confined bool
	// starts are where ways begin; at what is installed where there are none.
	starts []*visit
	// closed are the ranks of more bundles that do not count.
	closed set
}

const (
	// every step is regarded.
	every = ^uint64(0)
	// nobody is looked for in particular.
	nobody = -1
)

// search walks the graph hop by hop. Of the paths with the fewest hops to a bundle the first in order of preference is kept:
// whoever comes first has the better way behind it.
func (r *Reach) search(look search) []*visit {
	g := r.graph
	best := make([]*visit, len(g.bundles))
	accounts := make([][]account, len(g.bundles))
	tried := map[account]set{} // what need not be tried again by who stands like this
	layer := look.starts
	if layer == nil {
		layer = []*visit{{at: start, account: r.account}}
	}
	for len(layer) > 0 {
		var next []*visit
		for _, from := range layer {
			done := tried[from.account]
			if done == nil {
				done = newSet(len(g.bundles))
				if !look.unfit {
					copy(done, g.unfit)
				}
				done.join(look.closed)
				tried[from.account] = done
			}
			open := from.account.open() & look.holding
			for rank := range r.leads(from.at).without(done) {
				to := g.order[rank]
				if !g.pkg.SelfCertified && open&g.masks[to].wants != 0 {
					continue
				}
				account := from.account.after(g.masks[to])
				if len(accounts[to]) >= maxVisits || slices.ContainsFunc(accounts[to], account.coveredBy) {
					continue
				}
				accounts[to] = append(accounts[to], account)
				visit := &visit{at: to, account: account, from: from}
				if best[to] == nil {
					best[to] = visit
				}
				if to == look.wanted {
					return best
				}
				if g.bundles[to].Avoid == "" || look.confined {
					next = append(next, visit)
				}
			}
		}
		if g.pkg.SelfCertified { // one hop reaches everything
			break
		}
		layer = next
	}
	return best
}

// leads are the ranks of what may follow by the semantics alone.
func (r *Reach) leads(at int) set {
	if at == start {
		return r.first
	}
	return r.graph.leads()[at]
}

func (r *Reach) bundle(at int) Bundle {
	if at == start {
		return r.installed
	}
	return r.graph.bundles[at]
}

// Path is the way to a bundle, given by its index: the hops in their order, the last one to the bundle. It is the shortest
// one, and among those the one through the newest versions. ok is false where there is none.
func (r *Reach) Path(to int) (path []Hop, ok bool) {
	if r.best[to] == nil {
		return nil, false
	}
	for _, at := range r.best[to].path() {
		from := r.bundle(at.from.at)
		path = append(path, Hop{Bundle: at.at, Sources: r.graph.sources(from, at.at)})
	}
	return path, true
}

// path are the visits that led to this one and this one, without the start.
func (v *visit) path() (path []*visit) {
	for ; v.from != nil; v = v.from {
		path = append(path, v)
	}
	slices.Reverse(path)
	return path
}
