package upgrade

import (
	"iter"
	"math/bits"
)

// set is a bit set of small numbers. Searches unite sets and iterate over them one 64-bit word at a time.
type set []uint64

func newSet(size int) set { return make(set, (size+63)/64) }

func (s set) add(i int) { s[i/64] |= 1 << (i % 64) }

func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// union adds the numbers of another set, which must not be larger.
func (s set) union(other set) {
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

// items returns the numbers in ascending order.
func (s set) items() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
