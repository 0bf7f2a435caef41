// Package seeded chooses a random sample of test cases that depends only on a seed.
package seeded

import (
	"math/rand"
	"slices"
)

// Sample returns n randomly chosen cases in their original order, or all cases if there are at most n. Equal arguments give the same
// sample.
func Sample[T any](cases []T, n int, seed int64) []T {
	chosen := rand.New(rand.NewSource(seed)).Perm(len(cases))[:min(n, len(cases))]
	slices.Sort(chosen)
	sample := make([]T, 0, len(chosen))
	for _, i := range chosen {
		sample = append(sample, cases[i])
	}
	return sample
}
