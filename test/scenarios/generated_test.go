package scenarios

import (
	"context"
	"errors"
	"flag"
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
	generated     = flag.Int("generated", 10, "play this many generated stories, with the seeds that follow -generated-seed")
	generatedSeed = flag.String("generated-seed", generate.Seed(1).String(), "the first seed of generated stories")
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
			_, err = newJudge(t).check(t, read, nil)
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
	first, err := generate.ParseSeed(*generatedSeed)
	if err != nil {
		t.Fatal(err)
	}
	for i := range *generated {
		seed := first + generate.Seed(i)
		t.Run(seed.String(), func(t *testing.T) {
			t.Parallel()
			made, err := generator.Story(seed)
			if err != nil {
				t.Fatal(err)
			}
			judge := newJudge(t)
			if _, err := judge.check(t, made.Story, made.Corrections); err != nil {
				judge.report(t, made, err)
			}
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
	return judge{underTrial(t), kinds, first}
}

// check plays a story and then the corrections in a bubble of its own.
func (j judge) check(t *testing.T, read *story.Story, corrections []story.Step) (played generate.Played, err error) {
	t.Helper()
	twins := &twins{first: j.first, operator: j.operator, kinds: j.kinds}
	oracle := generate.Oracle{
		Operator: j.operator, Twin: twins.twin, Except: exceptTwins,
		Judge:  func(ctx context.Context, ended *trial.System) error { return judgeVersions(ctx, read, ended) },
		Finish: func(ctx context.Context, ended *trial.System) error { return twins.finish(ctx, ended, corrections) },
	}
	synctest.Test(t, func(t *testing.T) { played, err = oracle.Check(t.Context(), read) })
	return played, err
}

// report fails the test with the shortest story that fails, too, and that begins with the first steps of all generated stories, as twins do.
// It writes the story to a file, which -replay plays.
func (j judge) report(t *testing.T, failing generate.Generated, failure error) {
	t.Helper()
	first := failing.Story.Steps[:len(j.first)]
	later := *failing.Story
	later.Steps = failing.Story.Steps[len(j.first):]
	shortest, err := generate.Minimize(t.Context(), &later, maxMinimizeRuns, func(_ context.Context, shorter *story.Story) (bool, error) {
		whole := *shorter
		whole.Steps = slices.Concat(first, shorter.Steps)
		_, err := j.check(t, &whole, failing.Corrections)
		return err != nil && !errors.As(err, new(generate.StepError)), nil
	})
	if err != nil {
		t.Errorf("shortening the story: %v", err)
	}
	replayed := *shortest
	replayed.Steps = slices.Concat(first, shortest.Steps, failing.Corrections)
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
