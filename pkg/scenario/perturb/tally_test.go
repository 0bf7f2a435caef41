package perturb_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/scenario/perturb"
)

func TestATallyFailsIfPerturbationsHadNoEffect(t *testing.T) {
	t.Parallel()
	const restart, merged, steps = perturb.Restart, perturb.MergedEvent, perturb.MergedSteps
	type counts map[perturb.Pattern]int
	for name, test := range map[string]struct {
		applied, missed counts
		notPlayed       int // number of restarts that were chosen and not played
		want            string
	}{
		"all were applied":                       {counts{restart: 3, steps: 1}, nil, 0, ""},
		"a perturbation failed":                  {counts{restart: 3}, counts{restart: 2}, 0, ""},
		"nothing was played":                     {nil, nil, 3, "no perturbation was applied; correct the name in -run"},
		"none was applied":                       {nil, counts{restart: 1}, 0, "no perturbation was applied"},
		"two of a few were missed":               {counts{restart: 3}, counts{restart: 2}, 0, ""},
		"three of a few were missed":             {counts{restart: 3}, counts{restart: 3}, 0, "3 perturbations other than merged events could not be applied, more than the permitted 2"},
		"one in 20 was missed":                   {counts{restart: 95}, counts{restart: 5}, 0, ""},
		"more than one in 20 were missed":        {counts{restart: 94}, counts{restart: 6}, 0, "more than the permitted 5"},
		"most merged events were missed":         {counts{restart: 1, merged: 1}, counts{merged: 30}, 0, ""},
		"all of a few merged events were missed": {counts{restart: 1}, counts{merged: 19}, 0, ""},
		"all of many merged events were missed":  {counts{restart: 10}, counts{merged: 20}, 0, `pattern "merged event" was never applied`},
		"a pattern was missed":                   {counts{restart: 90}, counts{steps: 1}, 0, `pattern "merged steps" was never applied, although the test played 1 of`},
		"a pattern of a small sample was missed": {counts{restart: 28}, counts{steps: 1}, 0, ""},
		"-run chose some only":                   {counts{restart: 90}, counts{steps: 1}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			chosen, played := slices.Repeat([]perturb.Perturbation{{}}, test.notPlayed), []error(nil)
			for pattern, n := range test.applied {
				chosen = append(chosen, slices.Repeat([]perturb.Perturbation{{Pattern: pattern}}, n)...)
				played = append(played, slices.Repeat([]error{errors.New("a difference")}, n)...)
			}
			for pattern, n := range test.missed {
				chosen = append(chosen, slices.Repeat([]perturb.Perturbation{{Pattern: pattern}}, n)...)
				played = append(played, slices.Repeat([]error{fmt.Errorf("step 1: %w", perturb.ErrNotApplied)}, n)...)
			}
			tally := perturb.NewTally(chosen)
			for i, err := range played {
				tally.Add(chosen[test.notPlayed+i], err)
			}
			err := tally.Err()
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestAChoiceHasEachPattern(t *testing.T) {
	t.Parallel()
	var all []perturb.Perturbation
	for step := range 500 {
		all = append(all, perturb.Perturbation{Step: step, Pattern: perturb.Restart})
	}
	all = append(all, perturb.Perturbation{Step: 7, Pattern: perturb.MergedSteps}, perturb.Perturbation{Step: 8, Pattern: perturb.MergedSteps})
	choose := func(from []perturb.Perturbation, n int, seed int64) []string {
		var names []string
		describe := func(p perturb.Perturbation) (perturb.Pattern, string) { return p.Pattern, p.Name() }
		for _, each := range perturb.Choose(from, n, seed, describe) {
			names = append(names, each.Name())
		}
		return names
	}
	for seed := range int64(20) {
		chosen := choose(all, 3, seed)
		if len(chosen) != 3 || !strings.Contains(strings.Join(chosen, "\n"), "merged steps") {
			t.Errorf("seed %d chooses %q", seed, chosen)
		}
		if again := choose(slices.Concat(all[250:], all[:250]), 3, seed); !slices.Equal(again, chosen) {
			t.Errorf("seed %d chooses %q, and in another order %q", seed, chosen, again)
		}
	}
	if slices.Equal(choose(all, 3, 1), choose(all, 3, 2)) {
		t.Error("two seeds choose the same perturbations")
	}
	for n, want := range map[int]int{0: 0, 1: 1, 502: 502, 1000: 502} {
		if got := choose(all, n, 1); len(got) != want {
			t.Errorf("%d perturbations were chosen, want %d", len(got), want)
		}
	}
}
