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
	prefix = `[Jira:"Platform Operators"][sig-platform-operators] `
	// answers and reports are specifications that need no more than a manager that is at work; every mutant passes the first.
	answers = prefix + "every condition of what there is has a reason without names in it and is of the present spec"
	reports = prefix + "the ClusterOperator is available and has every condition, with a reason and a message that can be read"

	// short is how long a specification waits for what a mutant never does.
	short = 15 * time.Second
	// promised is how many specifications there are at least that change something, and notice when its rule is switched off.
	promised = 10
)

var (
	only   = flag.String("only", "", "run the mutants whose function or specification has this in it")
	sample = flag.Int("sample", 0, "run this many mutants, chosen by -seed; 0 runs all of them, after every specification")
	seed   = flag.Int64("seed", 0, "random seed for -sample; 0 uses the current time")
)

// The whole row: what the extension prints, that every specification passes against the manager and puts back what it
// changed, and that those which change something fail against a manager that lacks their rule.
//
// Promise CLU-P11: All specs of the openshift-tests extension pass against the manager and restore what they change. At least ten fail
// against a manager that lacks the rule that they test.
func TestCLU_P11_SpecificationsPassAndEachNoticesWhenItsRuleIsSwitchedOff(t *testing.T) {
	if len(mutants.All()) < promised {
		t.Fatalf("%d specifications have a mutant; %d were promised", len(mutants.All()), promised)
	}
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	// Functions may have changed since; that is said before anything is started.
	if _, err := mutants.Overlay(root, t.TempDir(), mutants.All()...); err != nil {
		t.Fatal(err)
	}
	extension := build(t)
	describesItself(t, extension)
	env := start(t)
	chosen := slices.DeleteFunc(mutants.All(), func(each mutants.Mutant) bool { return !strings.Contains(each.Place()+" "+each.Spec, *only) })
	if *sample > 0 {
		chosen = sampled(t, chosen)
		passesEach(t, extension, env, chosen)
	} else {
		passes(t, extension, env)
	}
	if t.Failed() {
		t.FailNow() // a specification that fails anyway shows nothing
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for built := range manufacture(ctx, root, t.TempDir(), chosen) {
		t.Run(built.mutant.Spec, func(t *testing.T) { built.isNoticed(t, extension, env) })
	}
}

// sampled returns some of the mutants, in their order.
func sampled(t *testing.T, all []mutants.Mutant) []mutants.Mutant {
	t.Helper()
	if *seed == 0 {
		*seed = time.Now().UnixNano()
	}
	t.Attr("seed", strconv.FormatInt(*seed, 10))
	return seeded.Sample(all, *sample, *seed)
}

// passesEach runs the specifications of some mutants against the manager as it is.
func passesEach(t *testing.T, extension program, env *environment.Environment, chosen []mutants.Mutant) {
	t.Helper()
	ready(t, extension, env)
	for _, each := range chosen {
		var results []result
		if err := extension.on(env, patience).run(t.Context(), &results, "run-test", "-n", prefix+each.Spec); err != nil {
			t.Fatal(err)
		}
		if results[0].Result != "passed" {
			t.Errorf("%q %s against the manager as it is: %s", each.Spec, results[0].Result, results[0].Error)
		}
	}
}

// manufactured is a mutant's manager.
type manufactured struct {
	mutant mutants.Mutant
	binary string
	err    error
}

// manufacture builds the mutants, one while the other is tried.
func manufacture(ctx context.Context, root, dir string, chosen []mutants.Mutant) <-chan manufactured {
	ready := make(chan manufactured)
	go func() {
		defer close(ready)
		for i, each := range chosen {
			built := manufactured{mutant: each, binary: filepath.Join(dir, fmt.Sprintf("manager-%d", i))}
			built.err = built.build(ctx, root)
			select {
			case ready <- built:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ready
}

// build compiles the manager without the mutant's rule.
func (m manufactured) build(ctx context.Context, root string) error {
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

// isNoticed runs the mutant in the manager's place, and its specification.
func (m manufactured) isNoticed(t *testing.T, extension program, env *environment.Environment) {
	if m.err != nil {
		t.Fatal(m.err)
	}
	if err := env.Manager.Stop(); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(m.binary) // each is as large as the manager
	manager := env.Manager.Of(m.binary)
	if err := manager.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { // the good one again, which also tidies up after this one
		if err := manager.Stop(); err != nil {
			t.Error(err)
		}
		if err := env.Manager.Start(); err != nil {
			t.Error(err)
		}
	}()
	var results []result
	if err := extension.on(env, patience).run(t.Context(), &results, "run-test", "-n", answers); err != nil {
		t.Fatal(err)
	}
	if results[0].Result != "passed" {
		t.Fatalf("it does not even answer: %s", results[0].Error)
	}
	results = nil
	if err := extension.on(env, short).run(t.Context(), &results, "run-test", "-n", prefix+m.mutant.Spec); err != nil {
		t.Fatal(err)
	}
	switch said := results[0]; {
	case said.Result != "failed":
		t.Errorf("it %s against a manager without its rule: %s\n%s", said.Result, m.mutant.Place(), said.Output)
	case !strings.Contains(said.Error, m.mutant.Failure):
		t.Errorf("it failed for another reason than %q:\n%s", m.mutant.Failure, said.Error)
	}
}
