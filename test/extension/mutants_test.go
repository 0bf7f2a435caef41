package extension

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/mutants"
	"github.com/openshift/platform-operators/test/seeded"
)

const (
	namePrefix = `[Jira:"Platform Operators"][sig-platform-operators] `
	// conditionsSpec and clusterOperatorSpec need only a running manager. Every mutant passes the first.
	conditionsSpec      = namePrefix + "each condition of each object has a reason without names and describes the current generation"
	clusterOperatorSpec = namePrefix + "the ClusterOperator is available, and each condition has a reason and a message"

	// mutantTimeout is the maximum duration of a spec's wait for a result that the mutant never produces.
	mutantTimeout = 15 * time.Second
	// minMutants is the smallest permitted number of specs with a mutant.
	minMutants = 10
)

var (
	only   = flag.String("only", "", "run the mutants whose function or spec contains this string")
	sample = flag.Int("sample", 0, "run this many mutants, chosen by -seed; 0 runs all of them, and all specs before")
	seed   = flag.Int64("seed", 0, "random seed for -sample; 0 uses the current time")
)

// TestCLU_P11_SpecificationsPassAndEachNoticesWhenItsRuleIsSwitchedOff checks the extension's output, that all specs pass and
// restore what they change, and that each spec with a mutant fails against the mutant.
//
// Promise CLU-P11: All specs of the openshift-tests extension pass against the manager and restore what they change. At least
// ten fail against a manager that lacks the rule that they test.
func TestCLU_P11_SpecificationsPassAndEachNoticesWhenItsRuleIsSwitchedOff(t *testing.T) {
	if len(mutants.All()) < minMutants {
		t.Fatalf("%d specs have a mutant, want at least %d", len(mutants.All()), minMutants)
	}
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	// Overlay fails here, before anything is started, if a function that a mutant replaces has changed.
	if _, err := mutants.Overlay(root, t.TempDir(), mutants.All()...); err != nil {
		t.Fatal(err)
	}
	extension := build(t)
	checkDescription(t, extension)
	env := start(t)
	chosen := slices.DeleteFunc(mutants.All(), func(each mutants.Mutant) bool { return !strings.Contains(each.Place()+" "+each.Spec, *only) })
	if *sample > 0 {
		chosen = sampled(t, chosen)
		checkSpecs(t, extension, env, chosen)
	} else {
		checkSuites(t, extension, env)
	}
	if t.Failed() {
		t.FailNow() // a spec that fails anyway shows nothing
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for built := range buildMutants(ctx, root, t.TempDir(), chosen) {
		t.Run(built.mutant.Spec, func(t *testing.T) { built.expectFailure(t, extension, env) })
	}
}

// sampled returns as many of the mutants as -sample says, in their order, and sets -seed if it is 0.
func sampled(t *testing.T, all []mutants.Mutant) []mutants.Mutant {
	t.Helper()
	if *seed == 0 {
		*seed = time.Now().UnixNano()
	}
	t.Attr("seed", strconv.FormatInt(*seed, 10))
	return seeded.Sample(all, *sample, *seed)
}

// checkSpecs checks that the specs of the chosen mutants pass against the manager without a mutant.
func checkSpecs(t *testing.T, extension program, env *environment.Environment, chosen []mutants.Mutant) {
	t.Helper()
	waitUntilReady(t, extension, env)
	for _, each := range chosen {
		var results []result
		if err := extension.withCluster(env, timeout).run(t.Context(), &results, "run-test", "-n", namePrefix+each.Spec); err != nil {
			t.Fatal(err)
		}
		if results[0].Result != "passed" {
			t.Errorf("%q %s against the manager without mutants: %s", each.Spec, results[0].Result, results[0].Error)
		}
	}
}

// builtMutant is the program of a manager with a mutant, or the error of building it.
type builtMutant struct {
	mutant mutants.Mutant
	binary string
	err    error
}

// buildMutants builds the mutants, each while the test runs the previous one. The channel is closed after the last mutant or when ctx ends.
func buildMutants(ctx context.Context, root, dir string, chosen []mutants.Mutant) <-chan builtMutant {
	builds := make(chan builtMutant)
	go func() {
		defer close(builds)
		for i, each := range chosen {
			built := builtMutant{mutant: each, binary: filepath.Join(dir, fmt.Sprintf("manager-%d", i))}
			built.err = built.build(ctx, root)
			select {
			case builds <- built:
			case <-ctx.Done():
				return
			}
		}
	}()
	return builds
}

// build compiles the manager with the mutant.
func (m builtMutant) build(ctx context.Context, root string) error {
	overlay := m.binary + ".overlay"
	if err := os.Mkdir(overlay, 0o700); err != nil {
		return err
	}
	overlay, err := mutants.Overlay(root, overlay, m.mutant)
	if err != nil {
		return err
	}
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-overlay", overlay, "-o", m.binary, "./cmd/platform-operators")
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the manager without the rule of %q: %w\n%s", m.mutant.Spec, err, output)
	}
	return nil
}

// expectFailure runs the mutant instead of the manager, and checks that its spec fails with the expected message. Then it starts the
// manager again.
func (m builtMutant) expectFailure(t *testing.T, extension program, env *environment.Environment) {
	if m.err != nil {
		t.Fatal(m.err)
	}
	if err := env.Manager.Stop(); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(m.binary) // saves disk space
	manager := env.Manager.Of(m.binary)
	if err := manager.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { // the manager reverts the effects of the mutant
		if err := manager.Stop(); err != nil {
			t.Error(err)
		}
		if err := env.Manager.Start(); err != nil {
			t.Error(err)
		}
	}()
	var results []result
	if err := extension.withCluster(env, timeout).run(t.Context(), &results, "run-test", "-n", conditionsSpec); err != nil {
		t.Fatal(err)
	}
	if results[0].Result != "passed" {
		t.Fatalf("the mutant does not run: %s", results[0].Error)
	}
	results = nil
	if err := extension.withCluster(env, mutantTimeout).run(t.Context(), &results, "run-test", "-n", namePrefix+m.mutant.Spec); err != nil {
		t.Fatal(err)
	}
	switch result := results[0]; {
	case result.Result != "failed":
		t.Errorf("the spec %s against a manager without its rule: %s\n%s", result.Result, m.mutant.Place(), result.Output)
	case !strings.Contains(result.Error, m.mutant.Failure):
		t.Errorf("the spec failed with another message, want %q:\n%s", m.mutant.Failure, result.Error)
	}
}
