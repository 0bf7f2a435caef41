package scenarios

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/scenario/harness"
)

// storySeed returns the seed of the orders in the rounds of a story.
func storySeed(name string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // never fails
	return hash.Sum64() ^ uint64(*seed)
}

// Promise OM-11: A story by rounds of apply-configuration ends in the same state as with the manager's process.
func TestOM_11_StoriesEndAlikeByRounds(t *testing.T) {
	t.Parallel()
	for _, name := range storyNames(t) {
		if !isByRounds(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playBothWays(t, fmt.Sprintf("scenarios/%s.yaml", name))
		})
	}
}

// playBothWays plays a story in YAML with the manager's process and by rounds, and compares the states after each step.
func playBothWays(t *testing.T, file string) {
	t.Helper()
	from, err := startOf(t, file)
	if err != nil {
		t.Fatal(err)
	}
	live := playSteps(t, underTest(t), from, file)
	rounds := newRounds(storySeed(filepath.Base(file)))
	got := playSteps(t, underTestBy(t, rounds), from, file)
	t.Logf("%d rounds", rounds.number.Load())
	compareStates(t, live, got)
}

// compareStates fails the test if two runs have different states.
func compareStates(t *testing.T, live, rounds []harness.State) {
	t.Helper()
	for i := range min(len(live), len(rounds)) {
		if difference := harness.Difference(live[i], rounds[i]); difference != "" {
			t.Errorf("state %d differs (-manager +rounds):\n%s", i, difference)
			return
		}
	}
}

var byRounds = flag.Int("rounds", 10, "number of stories that also run by rounds of apply-configuration, chosen by -seed")

// isByRounds reports whether a story also runs by rounds.
func isByRounds(name string) bool {
	return storySeed(name)%200 < uint64(*byRounds)
}

// processConditions are the conditions about the manager's process, which rounds do not have.
var processConditions = []string{"WatchesDegraded", "WritesDegraded"}

// normalizeRounds is like normalizeCompared, without what only a process reports.
func normalizeRounds(object *unstructured.Unstructured) (isCompared bool, err error) {
	if object.GetKind() == "PlatformOperatorManager" {
		conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
		if err != nil {
			return false, err
		}
		conditions = slices.DeleteFunc(conditions, func(each any) bool { return slices.Contains(processConditions, typeOf(each)) })
		if err := unstructured.SetNestedSlice(object.Object, conditions, "status", "conditions"); err != nil {
			return false, err
		}
	}
	return normalizePresence(object)
}

// playSteps plays a story, and returns the state after each step. The first state is that before the first step.
func playSteps(t *testing.T, operator harness.Operator, from harness.Checkpoint, file string) (states []harness.State) {
	t.Helper()
	operator.Normalize = normalizeRounds
	read, err := readStory(file)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		play := func(ctx context.Context) (err error) {
			system, err := operator.StartSystem(ctx, from)
			if err != nil {
				return err
			}
			defer func() {
				if stopErr := system.Stop(); err == nil {
					err = stopErr
				}
			}()
			for i := -1; i < len(read.Steps); i++ {
				if i >= 0 {
					if err := system.Play(ctx, read.Steps[i]); err != nil {
						return err
					}
					if err := system.Runner.CheckExpectations(ctx, read.Steps[i]); err != nil {
						return err
					}
				}
				var state harness.State
				if system.IsOperatorRunning() { // otherwise its work is left where it was
					if state, err = system.State(ctx); err != nil {
						return err
					}
				}
				states = append(states, state)
			}
			return nil
		}
		if err := play(t.Context()); err != nil {
			t.Error(strings.TrimSpace(err.Error()))
		}
	})
	return states
}
