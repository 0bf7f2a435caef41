package scenarios

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/openshift/platform-operators/pkg/scenario/generate"
	"github.com/openshift/platform-operators/pkg/scenario/story"
	"github.com/openshift/platform-operators/pkg/scenario/trial"
)

var (
	generated     = flag.Int("generated", 10, "play this many generated stories, with the seeds that follow -generated-seed")
	generatedSeed = flag.String("generated-seed", generate.Seed(1).String(), "the first seed of generated stories")
	replay        = flag.String("replay", "", "play the generated story in this file instead")
)

// maxMinimizeRuns is the maximum number of times that a failing story is played to find a shorter one.
const maxMinimizeRuns = 40

// Each generated story must settle, keep all invariants, and leave the manager at rest. A manager that is restarted then must find nothing
// to change.
func TestGeneratedStories(t *testing.T) {
	t.Parallel()
	if *replay != "" {
		read, err := story.Read(*replay, (&Story{}).verbs())
		if err == nil {
			err = playGenerated(t, underTrial(t), read)
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
			operator := underTrial(t)
			if err := playGenerated(t, operator, made.Story); err != nil {
				reportFailure(t, operator, made.Story, err)
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
	publish, err := newStep("publish", offersAt(0))
	if err != nil {
		return nil, err
	}
	return &generate.Generator{Kinds: kinds, Verbs: (&Story{}).verbs(), First: []story.Step{publish}, Proposers: proposers}, nil
}

// reportFailure fails the test with the shortest story that fails, too. It writes the story to a file, which -replay plays.
func reportFailure(t *testing.T, operator trial.Operator, failing *story.Story, failure error) {
	t.Helper()
	shortest, err := generate.Minimize(t.Context(), failing, maxMinimizeRuns, func(_ context.Context, shorter *story.Story) (bool, error) {
		err := playGenerated(t, operator, shorter)
		return err != nil && !errors.As(err, new(stepError)), nil
	})
	if err != nil {
		t.Errorf("shortening the story: %v", err)
	}
	content, err := shortest.YAML()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(os.TempDir(), "failed-story-"+filepath.Base(t.Name())+".yaml")
	if err := os.WriteFile(file, content, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Errorf("%v\nrepeat the story in %s with -replay:\n%s", failure, file, content)
}

// stepError is the error of a step that cannot be performed.
type stepError struct{ error }

// playGenerated plays a story in a bubble of its own.
func playGenerated(t *testing.T, operator trial.Operator, read *story.Story) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { err = playAndRestart(t.Context(), operator, read) })
	return err
}

func playAndRestart(ctx context.Context, operator trial.Operator, read *story.Story) error {
	before, end, err := playToRest(ctx, operator, read)
	if err != nil {
		return err
	}
	system, err := operator.Start(ctx, end)
	if err != nil {
		return fmt.Errorf("after a restart: %w", err)
	}
	after, err := system.State(ctx)
	if err = errors.Join(err, system.Stop()); err != nil {
		return err
	}
	if difference := trial.Difference(before, after); difference != "" {
		return fmt.Errorf("a restart of the manager changes the cluster (-before +after):\n%s", difference)
	}
	return nil
}

// playToRest plays a story, repairs what it broke beside the cluster, and waits until the manager is at rest.
func playToRest(ctx context.Context, operator trial.Operator, read *story.Story) (state trial.State, end trial.Moment, err error) {
	system, err := operator.Start(ctx, trial.Moment{Runs: true})
	if err != nil {
		return nil, end, err
	}
	defer func() { err = errors.Join(err, system.Stop()) }()
	for _, step := range read.Steps {
		if err := system.Runner.Do(ctx, step); err != nil {
			return nil, end, stepError{fmt.Errorf("%s: %w", step.Position, err)}
		}
		if err := system.Runner.Cluster.Settle(); err != nil {
			return nil, end, fmt.Errorf("%s: %w", step.Position, err)
		}
	}
	system.Runner.RemoveFaults()
	up, err := newStep("network", "up") // the story may have ended during an outage
	if err != nil {
		return nil, end, err
	}
	if err := system.Play(ctx, up); err != nil {
		return nil, end, err
	}
	if state, err = system.State(ctx); err != nil {
		return nil, end, err
	}
	end, err = system.Moment()
	return state, end, err
}
