package scenarios

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
	"github.com/openshift/platform-operators/test/environment"
)

var (
	generated     = flag.Int("generated", 10, "play this many generated stories")
	generatedSeed = flag.String("generated-seed", "", "the seed of the first generated story, such as 1-4711; the default follows from -seed")
	replay        = flag.String("replay", "", "play the generated story in this file instead")
)

// maxMinimizeRuns is the maximum number of times that a failing story is played to find a shorter one.
const maxMinimizeRuns = 40

// Promise OM-18: After each generated story the manager is at rest, a restart changes nothing, and the cluster is like that of a fresh cluster
// on which the same versions were installed and the same specs declared.
func TestOM_18_GeneratedStoriesEndAsDeclared(t *testing.T) {
	t.Parallel()
	if *replay != "" {
		read, err := story.Read(*replay, (&Story{}).verbs())
		if err == nil {
			err = newJudge(t).check(t, read, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	generator, err := newGenerator()
	if err != nil {
		t.Fatal(err)
	}
	first := generate.Seed(*seed) * 1000 // the stories of the next seeds are others, too
	if *generatedSeed != "" {
		if first, err = generate.ParseSeed(*generatedSeed); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Printf("-generated-seed=%s: %d generated stories\n", first, *generated)
	counts := &tally{}
	t.Cleanup(func() {
		t.Attr("first-seed", first.String())
		t.Attr("stories", fmt.Sprint(*generated))
		counts.report(t)
	})
	for i := range *generated {
		seed := first + generate.Seed(i)
		t.Run(seed.String(), func(t *testing.T) {
			t.Parallel()
			made, err := generator.Story(seed)
			if err != nil {
				t.Fatal(err)
			}
			judge := newJudge(t)
			judge.operator = counts.count(judge.operator)
			if err := judge.check(t, made.Story, made.Corrections); err != nil {
				judge.report(t, made, err)
				return
			}
			counts.noteLeaves(judge.kinds, made.Exercises)
		})
	}
}

// newGenerator returns the generator of stories about all kinds of the payload.
func newGenerator() (*generate.Generator, error) {
	kinds, err := shippedKinds()
	if err != nil {
		return nil, err
	}
	first, err := firstSteps()
	if err != nil {
		return nil, err
	}
	return &generate.Generator{Kinds: kinds, Verbs: (&Story{}).verbs(), First: first, Proposers: proposers}, nil
}

// firstSteps return the steps with which all generated stories begin. They create what the values in folder values need.
func firstSteps() ([]story.Step, error) {
	publish, err := newStep("publish", offersAt(0))
	if err != nil {
		return nil, err
	}
	secret, err := newStep("create", map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "pull", "namespace": environment.Namespace},
		"type": "kubernetes.io/dockerconfigjson", "stringData": map[string]any{".dockerconfigjson": `{"auths": {}}`},
	})
	return []story.Step{publish, secret}, err
}

// judge judges generated stories.
type judge struct {
	operator trial.Operator
	kinds    []*generate.Kind
	first    []story.Step
}

func newJudge(t *testing.T) judge {
	t.Helper()
	kinds, err := shippedKinds()
	if err != nil {
		t.Fatal(err)
	}
	first, err := firstSteps()
	if err != nil {
		t.Fatal(err)
	}
	return judge{underTest(t), kinds, first}
}

// check plays a story and then the corrections in a bubble of its own.
func (j judge) check(t *testing.T, read *story.Story, corrections []story.Step) (err error) {
	t.Helper()
	twins := &twins{first: j.first, operator: j.operator, kinds: j.kinds}
	oracle := generate.Oracle{
		Operator: j.operator, From: fresh, Twin: twins.twin, Except: exceptTwins,
		Judge:  func(ctx context.Context, ended *trial.System) error { return judgeVersions(ctx, read, ended) },
		Finish: func(ctx context.Context, ended *trial.System) error { return twins.finish(ctx, ended, corrections) },
	}
	synctest.Test(t, func(t *testing.T) { err = oracle.Check(t.Context(), read) })
	return err
}

// report fails the test with the shortest story that fails, too. It writes the story to a file, which -replay plays.
func (j judge) report(t *testing.T, failing generate.Generated, failure error) {
	t.Helper()
	shortest, err := generate.Minimize(t.Context(), failing.Story, maxMinimizeRuns, func(_ context.Context, shorter *story.Story) (bool, error) {
		err := j.check(t, shorter, failing.Corrections)
		return err != nil && !errors.As(err, new(generate.StepError)), nil
	})
	if err != nil {
		t.Errorf("shortening the story: %v", err)
	}
	replayed := *shortest
	replayed.Steps = append(slices.Clone(shortest.Steps), failing.Corrections...)
	content, err := replayed.YAML()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(os.TempDir(), "failed-story-"+filepath.Base(t.Name())+".yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Errorf("%v\nrepeat the story in %s with -replay:\n%s", failure, file, content)
}
