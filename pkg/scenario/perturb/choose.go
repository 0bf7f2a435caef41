package perturb

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
)

// Choose returns n of the perturbations, or all if there are fewer: first one of each pattern, as far as n permits, and then any others.
// The seed chooses them. P is a Perturbation, or a type that also identifies the story. describe returns the pattern of a perturbation and
// a name that is unique among all perturbations.
//
// A choice depends only on the seed and on the names. Two recordings of a story may differ by a few perturbations, and then at most these
// and as many others differ in the choice.
func Choose[P any](all []P, n int, seed int64, describe func(P) (Pattern, string)) []P {
	type ranked struct {
		perturbation P
		pattern      Pattern
		rank         uint64
	}
	var sorted []ranked
	for _, each := range all {
		pattern, name := describe(each)
		hash := fnv.New64a()
		_, _ = fmt.Fprintln(hash, seed, name)
		sorted = append(sorted, ranked{each, pattern, hash.Sum64()})
	}
	slices.SortStableFunc(sorted, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	var firsts, others []P
	known := map[Pattern]bool{}
	for _, each := range sorted {
		if known[each.pattern] {
			others = append(others, each.perturbation)
			continue
		}
		known[each.pattern] = true
		firsts = append(firsts, each.perturbation)
	}
	return append(firsts, others...)[:min(n, len(all))]
}
