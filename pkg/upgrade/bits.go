package upgrade

import (
	"iter"
	"math/bits"
)

// set holds small numbers, one bit each: a graph of 1,500 bundles has a million edges, which are kept, joined and walked as
// words.
type set []uint64

func newSet(size int) set { return make(set, (size+63)/64) }

func (s set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// join adds the other's numbers.
func (s set) join(other set) {
	for i, word := range other {
		s[i] |= word
	}
}

func (s set) empty() bool {
	for _, word := range s {
		if word != 0 {
			return false
		}
	}
	return true
}

// meets says whether the two have a number in common.
func (s set) meets(other set) bool {
	for i, word := range s {
		if word&other[i] != 0 {
			return true
		}
	}
	return false
}

// all are the numbers in ascending order.
func (s set) all() iter.Seq[int] { return s.without(make(set, len(s))) }

// without are the numbers that are not in done, in ascending order. They are added to it.
func (s set) without(done set) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			word &^= done[i]
			done[i] |= word
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
