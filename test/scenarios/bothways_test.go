package scenarios

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/scenario/harness"
	"github.com/openshift/platform-operators/test/environment"
)

var byRounds = flag.Int("rounds", 5, "approximate number of stories that also run by rounds of apply-configuration, chosen by -seed; a number "+
	"larger than that of all stories runs all except those in testdata/not-by-rounds.yaml")

// yamlStories is the name of the test of the stories in YAML.
const yamlStories = "TestStories"

// Promise OM-11: Where rounds of apply-configuration install, repair, upgrade and remove operators instead of the running manager, the
// cluster ends in the same state, whatever the order of the mutations.
func TestOM_11_StoriesEndInTheSameStateByRounds(t *testing.T) {
	t.Parallel()
	for _, name := range storyNames(t) {
		if !isByRounds(t, yamlStories+"/"+name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			playBothWays(t, fmt.Sprintf("scenarios/%s.yaml", name))
		})
	}
}

// isByRounds reports whether a story also runs by rounds. story consists of the names of the test and of the story.
func isByRounds(t *testing.T, story string) bool {
	t.Helper()
	listed, err := exceptions()
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(listed, func(each string) bool { return strings.HasPrefix(story, each) }) {
		return false
	}
	all, err := knownStories()
	if err != nil {
		t.Fatal(err)
	}
	return storySeed(story)%uint64(len(all)) < uint64(max(*byRounds, 0))
}

// storySeed returns the seed of a story, which depends on -seed.
func storySeed(story string) uint64 {
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%d %s", *seed, story) // never fails
	return hash.Sum64()
}

// playBothWays runs a story in YAML with the manager's process and by rounds, and compares the states after each step.
func playBothWays(t *testing.T, file string) {
	t.Helper()
	from, err := startOf(t, file)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	live := playSteps(t, underTest(t), from, file)
	if t.Failed() {
		return
	}
	rounds, liveEnd := newRounds(storySeed(file)), time.Now()
	compareStates(t, live, playSteps(t, underTestBy(t, rounds), from, file))
	rounds.log(t, liveEnd.Sub(begun), time.Since(liveEnd))
}

// compareStates fails the test if two runs have different states. A state is nil while no manager runs. The history of the cluster may
// differ: a round sees several changes as one.
func compareStates(t *testing.T, live, rounds []runState) {
	t.Helper()
	for i := range min(len(live), len(rounds)) {
		if difference := harness.Difference(live[i].withoutHistory, rounds[i].withoutHistory); difference != "" {
			t.Errorf("state %d differs (-manager +rounds):\n%s", i, difference)
			return
		}
		if difference := harness.Difference(live[i].full, rounds[i].full); difference != "" {
			t.Logf("only the history of state %d differs (-manager +rounds):\n%s", i, difference)
		}
	}
}

// runState is the state of a cluster with and without its history.
type runState struct{ full, withoutHistory harness.State }

// runStateOf returns the state of a system.
func runStateOf(ctx context.Context, system *harness.System) (state runState, err error) {
	if state.full, err = system.State(ctx); err == nil {
		state.withoutHistory, err = system.StateWithoutHistory(ctx)
	}
	for name, lines := range state.withoutHistory {
		if strings.HasPrefix(name, "secrets "+environment.Namespace+" revision.") { // with the number of the revision
			delete(state.withoutHistory, name)
		}
		for i := range lines {
			lines[i] = numberedRevision.ReplaceAllString(lines[i], "${1}evision N")
		}
	}
	return state, err
}

// numberedRevision matches the number of a revision in a message.
var numberedRevision = regexp.MustCompile(`\b([Rr])evision \d+`)

// processConditions are the conditions about the manager's process, which rounds do not report.
var processConditions = []string{"WatchesDegraded", "WritesDegraded"}

// normalizeRounds is like normalizePresence. It also removes what only a process reports, and times in specs, because rounds take more time.
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
	if isCompared, err = normalizePresence(object); err != nil || !isCompared {
		return isCompared, err
	}
	removeCertificates(object)
	object.Object, err = masked(object.Object, func(text string) string { return changingTime.ReplaceAllString(text, "TIME") })
	return true, err
}

// removeCertificates removes the certificates of service-ca from an object, because service-ca creates other keys for each run.
func removeCertificates(object *unstructured.Unstructured) {
	if secretType, _, _ := unstructured.NestedString(object.Object, "type"); secretType == string(corev1.SecretTypeTLS) {
		unstructured.RemoveNestedField(object.Object, "data")
	}
	annotations := object.GetAnnotations()
	maps.DeleteFunc(annotations, func(name, _ string) bool { return strings.HasSuffix(name, "/serving-cert-signed-by") })
	object.SetAnnotations(annotations)
	removeBundles(object.Object)
}

// removeBundles removes the fields caBundle from an object.
func removeBundles(value any) {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "caBundle")
		for _, each := range value {
			removeBundles(each)
		}
	case []any:
		for _, each := range value {
			removeBundles(each)
		}
	}
}

// playSteps runs a story, and returns the state before the first step and those after each step.
func playSteps(t *testing.T, operator harness.Operator, from harness.Checkpoint, file string) (states []runState) {
	t.Helper()
	operator.Normalize = normalizeRounds
	synctest.Test(t, func(t *testing.T) {
		var err error
		if states, err = statesOf(t.Context(), operator, from, file); err != nil {
			t.Error(strings.TrimSpace(err.Error()))
		}
	})
	return states
}

func statesOf(ctx context.Context, operator harness.Operator, from harness.Checkpoint, file string) (states []runState, err error) {
	read, err := readStory(file)
	if err != nil {
		return nil, err
	}
	system, err := operator.StartSystem(ctx, from)
	if err != nil {
		return nil, err
	}
	defer func() {
		if stopErr := system.Stop(); err == nil {
			err = stopErr
		}
	}()
	for i := -1; i < len(read.Steps); i++ {
		if i >= 0 {
			if err := system.Play(ctx, read.Steps[i]); err != nil {
				return states, err
			}
			if err := system.Runner.CheckExpectations(ctx, read.Steps[i]); err != nil {
				return states, err
			}
		}
		var state runState
		if system.IsOperatorRunning() {
			if state, err = runStateOf(ctx, system); err != nil {
				return states, err
			}
		}
		states = append(states, state)
	}
	return states, nil
}
