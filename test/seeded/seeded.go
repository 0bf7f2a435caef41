// Package seeded chooses test cases at random, and the same ones again for the same seed.
package seeded

import (
	"math/rand"
	"slices"
)

// Sample returns n of the cases in their order, or all where there are no more than n.
func Sample[T any](cases []T, n int, seed int64) []T {
	chosen := rand.New(rand.NewSource(seed)).Perm(len(cases))[:min(n, len(cases))]
	slices.Sort(chosen)
	sample := make([]T, 0, len(chosen))
	for _, i := range chosen {
		sample = append(sample, cases[i])
	}
	return sample
}
