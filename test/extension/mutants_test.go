package extension

import (
	"context"
	"encoding/json"
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

// mutant is the manager with one rule switched off.
type mutant struct {
	// spec notices, without its prefix, and says this.
	spec, says string
	// In file, which is a path from the root, old is there once, and new takes its place.
	file, old, new string
}

var (
	only   = flag.String("only", "", "run the mutants whose file or specification has this in it")
	sample = flag.Int("sample", 0, "run this many mutants, chosen by -seed; 0 runs all of them, after every specification")
	seed   = flag.Int64("seed", 0, "random seed for -sample; 0 uses the current time")
)

// mutants are one for each specification of which a manager's rule is what makes it pass. They are in the order in which they
// run: what the last one leaves behind nobody takes down.
var mutants = []mutant{
	{
		"a package that no catalog has is said on the PlatformOperator, and is no fault of the cluster", "False ValidationFailed",
		"pkg/resolve/study.go", "s.reason = platformv1alpha1.ReasonSourceFailed", "s.reason = platformv1alpha1.ReasonValidationFailed",
	},
	{
		"a version range that cannot be read is said with the field, and the right one is taken up", "False SourceFailed",
		"pkg/resolve/study.go", "cmp.Or(invalid, notAllowed)", "cmp.Or(notAllowed)",
	},
	{
		"of two PlatformOperators for one package the younger says which one has it, and follows when that goes", "False SourceFailed",
		"pkg/resolve/holder.go", "&& comesBefore(other, holder) {", "&& false && comesBefore(other, holder) {",
	},
	{
		"a BundleDeployment that is somebody else's is left alone and survives the PlatformOperator of its name", "False UnpackFailed",
		"pkg/controllers/platformoperator/stages.go", "deployment != nil && !ownership.BelongsTo(deployment, r.operator) {", "deployment != nil && false && !ownership.BelongsTo(deployment, r.operator) {",
	},
	{
		"a paused PlatformOperator says so, and goes on when it is not paused any more", "to have prefix",
		"pkg/operatorstatus/progressing.go", "case r.operator.Spec.Paused:", "case false:",
	},
	{
		"a catalog selector that selects nothing is said with the field", "to contain substring\n    <string>: spec.package.catalogSelector",
		"pkg/resolve/gather.go", "if req.Selector != nil && !req.Selector.Matches(visible) {", "if false {",
	},
	{
		"a CatalogSource outside the trusted namespaces does not count", "no catalog could be read",
		"pkg/controllers/catalogs/controller.go", "if err != nil || !slices.Contains(trusted, id.Namespace) {", "if err != nil || !slices.Contains(append(trusted, id.Namespace), id.Namespace) {",
	},
	{
		"a BundleDeployment of a class that does not exist says so, and can be deleted", "to have prefix",
		"pkg/controllers/bundledeployment/class.go", "case apierrors.IsNotFound(err):\n\t\ts.unknownClass =", "case apierrors.IsNotFound(err):\n\t\t_ =",
	},
	{
		"a BundleDeployment of an image that cannot be pulled says which and creates nothing, and can be deleted", "to have prefix",
		"pkg/controllers/bundledeployment/conditions.go", "case s.answer.err != nil:\n\t\ts.set(unpacked, metav1.ConditionFalse", "case false:\n\t\ts.set(unpacked, metav1.ConditionFalse",
	},
	{
		"a Bundle of an image that cannot be pulled says which, and can be deleted", "to have prefix",
		"pkg/controllers/bundle/controller.go", "case answer.Err != nil:", "case false:",
	},
	{
		"a deleted ProvisionerClass of the payload comes back [Serial]", "not found",
		"pkg/operator/kept.go", "operatorconfig.New(kept, input.Recorder)", "operatorconfig.New(kept[:1], input.Recorder)",
	},
	{
		"a deleted PlatformOperatorManager comes back, and the ClusterOperator never goes [Serial]", "not found",
		"pkg/operator/kept.go", "operatorconfig.New(kept, input.Recorder)", "operatorconfig.New(kept[1:], input.Recorder)",
	},
	{
		"a ClusterOperator that was edited by hand is put back [Serial]", "Somebody wrote this by hand.",
		"pkg/operator/starter.go", "{1, func() (factory.Controller, error) { return newStatusSyncer(input, versions, permits), nil }},", "",
	},
	{
		"a package that allowedPackages does not have is refused with the field, and taken up when it is allowed [Serial]", "False SourceFailed",
		"pkg/resolve/manager.go", "return len(r.Allowed) == 0 ||", "return true ||",
	},
	{
		"a deleted Deployment of an installed operator comes back, and who deleted what is told [Serial]", "not found",
		"pkg/apply/reconcile/reconciliation.go", "case r.leavesChanges():\n\t\tr.reportMissing(ctx)", "case r.wasApplied():\n\t\tr.reportMissing(ctx)",
	},
	{
		"an edited Deployment of an installed operator is put back, and who edited what is told [Serial]", "ote-somebody-else",
		"pkg/apply/reconcile/reconciliation.go", "case changedByOthers && r.leavesChanges():", "case changedByOthers:",
	},
	{
		"an installed operator's BundleDeployment that was edited is put back [Serial]", "behind its PlatformOperator's back",
		"pkg/controllers/platformoperator/deployment.go", "if equality.Semantic.DeepEqual(updated, deployment) {", "if updated != nil {",
	},
	{
		"a paused operator's deleted Deployment is left so and told, and comes back when it goes on [Serial]", "to have prefix",
		"pkg/deploymentspec/propagate.go", "onto.Paused = desired.Paused", "onto.Paused = false",
	},
	{
		"an operator is installed, and taken down with its PlatformOperator [Serial]", "is gone when its operator is",
		"pkg/controllers/bundledeployment/removal.go", "var sets []*apply.Set\n", "var sets []*apply.Set\n\tif ctx != nil {\n\t\treturn apply.Removal{Done: true}, nil\n\t}\n",
	},
}

// The whole row: what the extension prints, that every specification passes against the manager and puts back what it
// changed, and that those which change something fail against a manager that lacks their rule.
//
// Promise CLU-P11: All specs of the openshift-tests extension pass against the manager and restore what they change. At least ten fail
// against a manager that lacks the rule that they test.
func TestCLU_P11_SpecificationsPassAndEachNoticesWhenItsRuleIsSwitchedOff(t *testing.T) {
	if noticing := noticing(mutants); noticing < promised {
		t.Fatalf("%d specifications have a mutant; %d were promised", noticing, promised)
	}
	root, err := environment.Root()
	if err != nil {
		t.Fatal(err)
	}
	// The files may have changed since; that is said before anything is started.
	sources := map[string]string{}
	for _, each := range mutants {
		if sources[each.file+each.old], err = each.source(root); err != nil {
			t.Error(err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	extension := build(t)
	describesItself(t, extension)
	env := start(t)
	chosen := slices.DeleteFunc(slices.Clone(mutants), func(each mutant) bool { return !strings.Contains(each.file+" "+each.spec, *only) })
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
		t.Run(built.mutant.spec, func(t *testing.T) { built.isNoticed(t, extension, env) })
	}
}

// sampled returns some of the mutants, in their order.
func sampled(t *testing.T, all []mutant) []mutant {
	t.Helper()
	if *seed == 0 {
		*seed = time.Now().UnixNano()
	}
	t.Attr("seed", strconv.FormatInt(*seed, 10))
	return seeded.Sample(all, *sample, *seed)
}

// passesEach runs the specifications of some mutants against the manager as it is.
func passesEach(t *testing.T, extension program, env *environment.Environment, mutants []mutant) {
	t.Helper()
	ready(t, extension, env)
	for _, each := range mutants {
		var results []result
		if err := extension.on(env, patience).run(t.Context(), &results, "run-test", "-n", prefix+each.spec); err != nil {
			t.Fatal(err)
		}
		if results[0].Result != "passed" {
			t.Errorf("%q %s against the manager as it is: %s", each.spec, results[0].Result, results[0].Error)
		}
	}
}

// noticing is how many specifications have a mutant.
func noticing(mutants []mutant) int {
	names := map[string]bool{}
	for _, each := range mutants {
		names[each.spec] = true
	}
	return len(names)
}

// source is the mutant's file with its rule switched off.
func (m mutant) source(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.file)))
	if err != nil {
		return "", err
	}
	if found := strings.Count(string(data), m.old); found != 1 {
		return "", fmt.Errorf("the rule of %q is %d times in %s, not once: write down in test/extension where it is now: %q", m.spec, found, m.file, m.old)
	}
	return strings.Replace(string(data), m.old, m.new, 1), nil
}

// manufactured is a mutant's manager.
type manufactured struct {
	mutant mutant
	binary string
	err    error
}

// manufacture builds the mutants, one while the other is tried.
func manufacture(ctx context.Context, root, dir string, mutants []mutant) <-chan manufactured {
	ready := make(chan manufactured)
	go func() {
		defer close(ready)
		for i, each := range mutants {
			built := manufactured{mutant: each, binary: filepath.Join(dir, fmt.Sprintf("manager-%d", i))}
			built.err = each.build(ctx, root, built.binary)
			select {
			case ready <- built:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ready
}

// build compiles the manager from the checkout, in which nothing is changed, with the mutant's file laid over it.
func (m mutant) build(ctx context.Context, root, binary string) error {
	source, err := m.source(root)
	if err != nil {
		return err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, filepath.FromSlash(m.file)): binary + ".go"}})
	if err != nil {
		return err
	}
	for name, data := range map[string]string{binary + ".go": source, binary + ".json": string(overlay)} {
		if err := os.WriteFile(name, []byte(data), 0o600); err != nil {
			return err
		}
	}
	command := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-overlay", binary+".json", "-o", binary, "./cmd/platform-operators")
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("building the manager without the rule of %q: %w\n%s", m.spec, err, output)
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
	if err := extension.on(env, short).run(t.Context(), &results, "run-test", "-n", prefix+m.mutant.spec); err != nil {
		t.Fatal(err)
	}
	switch said := results[0]; {
	case said.Result != "failed":
		t.Errorf("it %s against a manager without its rule: %s\n%s", said.Result, m.mutant.file, said.Output)
	case !strings.Contains(said.Error, m.mutant.says):
		t.Errorf("it failed for another reason than %q:\n%s", m.mutant.says, said.Error)
	}
}
