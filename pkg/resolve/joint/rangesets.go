package joint

import (
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgrade"
)

// rangeSets groups the versions of a package by the required ranges that contain them. For n versions and n ranges this takes n log n
// steps; comparing each version with each range would take n².
type rangeSets struct {
	versions upgrade.Versions
	// numbers holds the group number of each version, in the order of versions. Versions that are in the same ranges have equal numbers.
	numbers []int32
}

// newRangeSets groups the versions of an operator by the required ranges of its package. If the operator's budget is exhausted, each
// version forms its own group, because merging two different versions would be wrong.
func newRangeSets(e *resolve.Evaluation, required []catalog.Requirement) rangeSets {
	sets := rangeSets{versions: e.Versions()}
	sets.numbers = make([]int32, sets.versions.Len())
	changes := make([][]int, sets.versions.Len()+1) // the ranges that begin or end, indexed by position
	ranges := 0
	for _, leaf := range required {
		if leaf.Package.Name != e.Package() {
			continue
		}
		covers, ok := e.Index().Range(leaf.Package.Range)
		if !ok {
			continue // a range that cannot be parsed contains no version
		}
		complete := sets.versions.Covered(leaf.Package.Range, covers, e.Budget, func(lo, hi int) {
			changes[lo], changes[hi] = append(changes[lo], ranges), append(changes[hi], ranges)
		})
		if !complete {
			for at := range sets.numbers {
				sets.numbers[at] = int32(at) // a number of its own
			}
			return sets
		}
		ranges++
	}
	numbered := newNumberedSet(ranges)
	for at := range sets.numbers {
		for _, each := range changes[at] {
			numbered.toggle(each)
		}
		sets.numbers[at] = numbered.number()
	}
	return sets
}

// of returns the number of a version's group; -1 if the operator has no such version.
func (sets rangeSets) of(version upgrade.Version) int32 {
	at, found := sets.versions.Position(version)
	if !found {
		return -1
	}
	return sets.numbers[at]
}

// numberedSet is a set of small integers that assigns a number to its content: equal contents get equal numbers. It is a binary tree in
// which the children of a node determine the node's number, so a change renumbers only the nodes above it.
type numberedSet struct {
	leaves int
	nodes  []int32
	known  map[[2]int32]int32
}

func newNumberedSet(size int) *numberedSet {
	leaves := 1
	for leaves < size {
		leaves *= 2
	}
	s := &numberedSet{leaves: leaves, nodes: make([]int32, 2*leaves), known: map[[2]int32]int32{}}
	for node := leaves - 1; node > 0; node-- {
		s.renumber(node)
	}
	return s
}

// toggle adds an integer to the set, or removes it if the set contains it.
func (s *numberedSet) toggle(i int) {
	node := i + s.leaves
	s.nodes[node] ^= 1
	for node /= 2; node > 0; node /= 2 {
		s.renumber(node)
	}
}

func (s *numberedSet) renumber(node int) {
	children := [2]int32{s.nodes[2*node], s.nodes[2*node+1]}
	number, known := s.known[children]
	if !known {
		number = int32(len(s.known)) + 2 // leaves have the numbers 0 and 1; there are far fewer nodes than an int32 can count
		s.known[children] = number
	}
	s.nodes[node] = number
}

func (s *numberedSet) number() int32 { return s.nodes[1] }
