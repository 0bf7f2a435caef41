package seeded

import (
	"slices"
	"testing"
)

func TestSampleIsReproducibleAndInOrder(t *testing.T) {
	cases := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	seen := map[int]bool{}
	for seed := range int64(100) {
		sample := Sample(cases, 3, seed)
		if len(sample) != 3 || !slices.IsSorted(sample) || len(slices.Compact(slices.Clone(sample))) != 3 {
			t.Fatalf("seed %d: got %v, want three different cases in their order", seed, sample)
		}
		if again := Sample(cases, 3, seed); !slices.Equal(sample, again) {
			t.Errorf("seed %d: got %v and then %v", seed, sample, again)
		}
		for _, each := range sample {
			seen[each] = true
		}
	}
	if len(seen) != len(cases) {
		t.Errorf("in 100 samples only %d of %d cases were chosen", len(seen), len(cases))
	}
	if all := Sample(cases, 20, 1); !slices.Equal(all, cases) {
		t.Errorf("got %v of fewer cases than were asked for, want all", all)
	}
}
