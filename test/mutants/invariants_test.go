package mutants

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openshift/platform-operators/test/invariants"
	"github.com/openshift/platform-operators/test/seeded"
)

func TestEachInvariantHasAMutant(t *testing.T) {
	var rules []string
	for _, each := range invariants.WriteRules() {
		rules = append(rules, each.Name)
	}
	for _, each := range invariants.StateRules() {
		rules = append(rules, each.Name)
	}
	for _, rule := range rules {
		if !slices.ContainsFunc(Invariants(), func(m Mutant) bool { return m.Failure == "rule "+rule+": " }) {
			t.Errorf("rule %s has no mutant; add one to Invariants, to show that the rule can fail", rule)
		}
	}
}

// TestOM_19_EachInvariantFindsItsMutant builds the stories once, with all chosen mutants in one program, and runs one story for each mutant.
//
// Promise OM-19: In all stories, invariants hold at each write of the manager, one second after the last write, and when the cluster is at
// rest. For each invariant, a story fails against a manager that violates it.
func TestOM_19_EachInvariantFindsItsMutant(t *testing.T) {
	chosen := chosenInvariants(t)
	built := buildStories(t, chosen...)
	t.Run("without a mutant, a story passes", func(t *testing.T) {
		t.Parallel()
		if output, err := built.run(t, nil, chosen[0].Spec); err != nil {
			t.Fatalf("story %s fails without a mutant: %v\n%s", chosen[0].Spec, err, output)
		}
	})
	for _, each := range chosen {
		t.Run(strings.TrimSuffix(each.Failure, ": ")+" "+each.Place(), func(t *testing.T) {
			t.Parallel()
			output, err := built.run(t, []Mutant{each}, each.Spec)
			if err == nil || !strings.Contains(output, each.Failure) {
				t.Errorf("story %s does not report %q (error: %v):\n%s", each.Spec, each.Failure, err, output)
			}
		})
	}
}

// chosenInvariants returns the mutants of invariants that -sample and -seed choose.
func chosenInvariants(t *testing.T) []Mutant {
	t.Helper()
	if *sample == 0 {
		return Invariants()
	}
	t.Attr("seed", strconv.FormatInt(*seed, 10))
	return seeded.Sample(Invariants(), *sample, *seed)
}
