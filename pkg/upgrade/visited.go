package upgrade

// maxVisitedBytes is the maximum size of the visited sets of one search, in bytes. For 10,000 bundles it suffices for 1,100 different
// values of progress; real rules result in a few dozen.
const maxVisitedBytes = 4 << 20

// visited holds what a search has visited with one progress: ranks, and nodes of the two span indexes.
type visited struct{ ranks, all, prereleases set }

func (x *successors) newVisited() *visited {
	return &visited{newSet(x.all.size), newSet(2 * x.all.size), newSet(2 * x.prereleases.size)}
}

// words returns the number of words of all sets.
func (u *visited) words() int { return len(u.ranks) + len(u.all) + len(u.prereleases) }

func (u *visited) clear() {
	clear(u.ranks)
	clear(u.all)
	clear(u.prereleases)
}

// visitedSets holds the visited sets of one search, one for each progress. Their total size is limited, because malicious rules can result
// in several values of progress for each bundle. Beyond the maximum, the oldest sets are cleared and reused. If the sets of a progress were
// cleared, the search visits bundles again with that progress. This takes work, but the result is the same, because a second visit with the
// same progress adds no node.
type visitedSets struct {
	maxBytes, bytes int // bytes
	byProgress      map[progress]*visited
	// order holds the keys of byProgress. At the maximum size, next is the index of the oldest key.
	order []progress
	next  int
}

func newVisitedSets(most int) visitedSets {
	return visitedSets{maxBytes: most, byProgress: map[progress]*visited{}}
}

// get returns the sets of a progress. isNew reports whether they are empty, because they are new or were cleared.
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
