package upgrade

// maxVisitedBytes limits the visited sets of one search. For 10,000 bundles it is enough for 1,100 different progresses; real rules have a
// few dozen.
const maxVisitedBytes = 4 << 20

// visited records which nodes a search has visited: ranks, and nodes of the two span indexes.
type visited struct{ ranks, all, prereleases set }

func (x *successors) newVisited() *visited {
	return &visited{newSet(x.all.size), newSet(2 * x.all.size), newSet(2 * x.prereleases.size)}
}

// words returns the number of words of the sets.
func (u *visited) words() int { return len(u.ranks) + len(u.all) + len(u.prereleases) }

func (u *visited) clear() {
	clear(u.ranks)
	clear(u.all)
	clear(u.prereleases)
}

// visitedSets are the visited sets of one search, one for each progress, up to a number of bytes: malicious rules can result in several
// progresses for each bundle. Beyond the limit, the oldest sets are cleared and reused. A progress that has lost its sets visits bundles
// again: that costs work but has the same result, because a second visit with the same progress adds no node.
type visitedSets struct {
	maxBytes, bytes int // bytes
	byProgress      map[progress]*visited
	// order has the keys of byProgress. At the limit, next is the oldest.
	order []progress
	next  int
}

func newVisitedSets(most int) visitedSets {
	return visitedSets{maxBytes: most, byProgress: map[progress]*visited{}}
}

// get returns the sets of a progress; isNew means that they are empty.
func (s *visitedSets) get(progress progress, x *successors) (u *visited, isNew bool) {
	if u, known := s.byProgress[progress]; known {
		return u, false
	}
	if s.bytes < s.maxBytes {
		u = x.newVisited()
		s.bytes += 8 * u.words()
		s.order = append(s.order, progress)
	} else {
		oldest := s.order[s.next]
		u = s.byProgress[oldest]
		u.clear()
		delete(s.byProgress, oldest)
		s.order[s.next] = progress
		s.next = (s.next + 1) % len(s.order)
	}
	s.byProgress[progress] = u
	return u, true
}
