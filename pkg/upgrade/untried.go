package upgrade

// maxUntriedBytes bounds what one search keeps of what it need not try again. For 10,000 bundles that is enough for 1,100 accounts; real
// rules make a few dozen.
const maxUntriedBytes = 4 << 20

// untried is what a search has not come to yet: of ranks those that are not in done, of an index's nodes those that are in neither set.
type untried struct{ done, all, prereleases set }

func (x *successors) untried() *untried {
	return &untried{newSet(x.all.size), newSet(2 * x.all.size), newSet(2 * x.prereleases.size)}
}

// words is how many words the sets have.
func (u *untried) words() int { return len(u.done) + len(u.all) + len(u.prereleases) }

func (u *untried) clear() {
	clear(u.done)
	clear(u.all)
	clear(u.prereleases)
}

// untriedSets are those of one search, one for each account, up to a number of bytes: hostile rules make several accounts for each bundle.
// Beyond that the oldest sets serve another account. An account that has lost its sets tries again what it has tried: that is more work
// and finds the same, because a bundle that is visited again by the same account is no new way.
type untriedSets struct {
	most, held int // bytes
	byAccount  map[account]*untried
	// accounts are those of byAccount; when no more may be held, next is the oldest.
	accounts []account
	next     int
}

func newUntriedSets(most int) untriedSets {
	return untriedSets{most: most, byAccount: map[account]*untried{}}
}

// of returns the sets of an account; fresh says that they are empty.
func (s *untriedSets) of(account account, x *successors) (u *untried, fresh bool) {
	if u, known := s.byAccount[account]; known {
		return u, false
	}
	if s.held < s.most {
		u = x.untried()
		s.held += 8 * u.words()
		s.accounts = append(s.accounts, account)
	} else {
		oldest := s.accounts[s.next]
		u = s.byAccount[oldest]
		u.clear()
		delete(s.byAccount, oldest)
		s.accounts[s.next] = account
		s.next = (s.next + 1) % len(s.accounts)
	}
	s.byAccount[account] = u
	return u, true
}
