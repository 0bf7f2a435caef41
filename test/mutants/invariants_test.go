package mutants

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/invariants"
)

var stories = flag.Bool("stories", false, "run stories against mutants that violate invariants (minutes); run make scenario-objects first")

// storyTimeout is the maximum duration of a story against a mutant.
const storyTimeout = 2 * time.Minute

func TestEachInvariantHasAMutant(t *testing.T) {
	var rules []string
	for _, each := range invariants.Steps() {
		rules = append(rules, each.Name)
	}
	for _, each := range invariants.States() {
		rules = append(rules, each.Name)
	}
	for _, rule := range rules {
		if !slices.ContainsFunc(Invariants(), func(m Mutant) bool { return m.Failure == "rule "+rule+": " }) {
			t.Errorf("rule %s has no mutant; add one to Invariants, to show that the rule can fail", rule)
		}
	}
}

// TestOM_19_EachInvariantFindsItsMutant builds the stories once, with all mutants in one program, and runs one story for each mutant.
//
// Promise OM-19: In all stories, invariants hold at each write of the manager, one second after the last write, and when the cluster is at
// rest. For each invariant, a story fails against a manager that violates it.
func TestOM_19_EachInvariantFindsItsMutant(t *testing.T) {
	if !*stories {
		t.Skip("only with -args -stories: building and running the stories takes minutes")
	}
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := SwitchedOverlay(root, t.TempDir(), Invariants()...)
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(t.TempDir(), "stories.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-trimpath", "-buildvcs=false", "-vet=off", "-overlay", overlay,
		"-o", program, "./test/scenarios")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the stories with all mutants: %v\n%s", err, output)
	}
	t.Run("without a mutant, a story passes", func(t *testing.T) {
		t.Parallel()
		if output, err := runStory(t, program, root, Invariants()[0].Spec, ""); err != nil {
			t.Fatalf("story %s fails without a mutant: %v\n%s", Invariants()[0].Spec, err, output)
		}
	})
	for _, each := range Invariants() {
		t.Run(strings.TrimSuffix(each.Failure, ": ")+" "+each.Place(), func(t *testing.T) {
			t.Parallel()
			output, err := runStory(t, program, root, each.Spec, each.Place())
			if err == nil || !strings.Contains(output, each.Failure) {
				t.Errorf("story %s does not report %q (error: %v):\n%s", each.Spec, each.Failure, err, output)
			}
		})
	}
}

// runStory runs a story against the mutant with a Place, or without a mutant if place is empty. It returns the output, and an error if the
// story fails.
func runStory(t *testing.T, program, root, story, place string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), storyTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, program, "-test.run="+story, "-test.v")
	command.Dir = filepath.Join(root, "test", "scenarios")
	command.Env = append(os.Environ(), SwitchVariable+"="+place)
	output, err := command.CombinedOutput()
	if err == nil && !strings.Contains(string(output), "--- PASS: ") {
		t.Fatalf("-run=%s selects no story", story)
	}
	return string(output), err
}
