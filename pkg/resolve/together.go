package resolve

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
)

const (
	// maxClasses is how many alternatives of an operator are tried together with others; versions that need and bring the
	// same are one.
	maxClasses = 50
	// maxGroup is how many operators that have to do with one another are decided together; what comes after them stays.
	maxGroup = 256
	// maxConflicts is how many of an operator's conflicts are told.
	maxConflicts = 10
	// maxNotes is how many notes of a decision are told, and one that counts the rest.
	maxNotes = 20
)

// Together decides about all PlatformOperators of the cluster; the result is by their names, which have to differ.
//
// An operator that has to do with no other gets what Resolve gives it. Those that need one another's kinds or packages,
// or bring the same kinds, are decided together, so that of what runs next, and of where everything goes, every requirement
// is met, no kind is brought by two and no package is there twice. In the order of age, the older first, then by name,
// each gets the best version that leaves a solution for all. What is installed may always stay, whatever is wrong with it, and
// nothing is moved away from what another installed operator needs. A kind or package that somebody has is free for others
// only when it is gone. Two that bring the same kind already, and a requirement of what is installed that is not met already,
// are left as they are.
//
// Of versions below the one that is chosen it is not said whether they could run with the others: that is found out when they
// are asked for.
func Together(requests []Request, world World) map[string]Decision {
	return new(Cache).Together(requests, world)
}

// decideJointly decides about operators that have nothing to do with any others; they are in order of precedence.
func decideJointly(around *surroundings, studies []*study) map[string]Decision {
	around.meet(studies)
	for _, s := range studies {
		s.weigh()
	}
	for _, group := range around.groups(studies) {
		solve(around, group)
		for _, s := range group {
			s.kin = kinOf(s, group)
		}
	}
	decisions := make(map[string]Decision, len(studies))
	for _, s := range studies {
		decisions[s.ask.Operator] = s.conclude()
	}
	return decisions
}

// groups are the operators that have to do with one another, each in order of precedence. Who has to do with nobody, and needs
// nothing, is in none.
func (around *surroundings) groups(studies []*study) [][]*study {
	leader := map[*study]*study{} // of each that has to do with anybody, one of its group, step by step
	find := func(s *study) *study {
		for leader[s] != nil && leader[s] != s {
			s = leader[s]
		}
		leader[s] = s
		return s
	}
	join := func(a, b *study) { leader[find(a)] = find(b) }
	for _, same := range around.packages {
		for _, s := range same[1:] {
			join(s, same[0])
		}
	}
	for _, same := range around.bringers {
		for _, s := range same[1:] {
			join(s, same[0])
		}
	}
	for _, s := range studies {
		for _, o := range s.options {
			for _, r := range o.Bundle.Requirements {
				for _, leaf := range leaves(r) {
					for _, other := range around.concerned(leaf) {
						join(s, other)
					}
				}
				join(s, s)
			}
		}
	}
	var groups [][]*study
	at := map[*study]int{}
	for _, s := range studies {
		if leader[s] == nil {
			continue
		}
		first := find(s)
		if _, known := at[first]; !known {
			at[first] = len(groups)
			groups = append(groups, nil)
		}
		groups[at[first]] = append(groups[at[first]], s)
	}
	return groups
}

// kinOf names the others of a group, sorted.
func kinOf(s *study, group []*study) (names []string) {
	for _, other := range group {
		if other != s {
			names = append(names, other.ask.Operator)
		}
	}
	slices.Sort(names)
	return names
}

// noted sorts notes and bounds them.
func noted(notes []string) []string {
	slices.Sort(notes)
	notes = slices.Compact(notes)
	if len(notes) > maxNotes {
		notes = append(notes[:maxNotes:maxNotes], "and more that is not listed")
	}
	return notes
}

// common are the kinds in two sorted lists.
func common(a, b []catalog.GVK) (both []catalog.GVK) {
	for len(a) > 0 && len(b) > 0 {
		switch order := a[0].Compare(b[0]); {
		case order < 0:
			a = a[1:]
		case order > 0:
			b = b[1:]
		default:
			both = append(both, a[0])
			a, b = a[1:], b[1:]
		}
	}
	return both
}

// without are the kinds of a sorted list that are not in another.
func without(kinds, others []catalog.GVK) []catalog.GVK {
	return slices.DeleteFunc(slices.Clone(kinds), func(gvk catalog.GVK) bool {
		_, in := slices.BinarySearchFunc(others, gvk, catalog.GVK.Compare)
		return in
	})
}
