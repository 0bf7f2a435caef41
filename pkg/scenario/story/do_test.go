package story_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// withRunner calls test in a bubble with the runner of an empty cluster.
func withRunner(t *testing.T, test func(t *testing.T, r *story.Runner)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		cluster, err := scenario.Start(t.Context(), scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Stop()
		test(t, &story.Runner{Cluster: cluster, Verbs: story.Verbs()})
	})
}

// step returns a step with an encoded argument.
func step(t *testing.T, verb string, argument any) story.Step {
	t.Helper()
	arguments, err := story.NewArguments(argument)
	if err != nil {
		t.Fatal(err)
	}
	return story.Step{Verb: verb, Arguments: arguments}
}

// do performs steps, and fails the test if one fails.
func do(t *testing.T, r *story.Runner, steps ...story.Step) {
	t.Helper()
	for _, each := range steps {
		if err := r.Do(t.Context(), each); err != nil {
			t.Fatal(err)
		}
	}
}

func configMap(color string) map[string]any {
	return map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"namespace": "default", "name": "a"}, "data": map[string]any{"color": color},
	}
}

func TestDoPerformsAStepWithoutWaiting(t *testing.T) {
	withRunner(t, func(t *testing.T, r *story.Runner) {
		begun := time.Now()
		do(t, r, step(t, "create", configMap("red")))
		if passed := time.Since(begun); passed != 0 {
			t.Errorf("%s passed", passed)
		}
		if err := r.Do(t.Context(), story.Step{Verb: "dance"}); err == nil {
			t.Error("an unknown verb was performed")
		}
	})
}

func TestFaultsThatAreRemovedDoNothing(t *testing.T) {
	withRunner(t, func(t *testing.T, r *story.Runner) {
		do(t, r, step(t, "fail", map[string]any{"verb": "create", "code": 500, "times": -1}))
		if err := r.Do(t.Context(), step(t, "create", configMap("red"))); err == nil {
			t.Fatal("the fault did nothing")
		}
		r.RemoveFaults()
		do(t, r, step(t, "create", configMap("red")))
		r.RemoveFaults() // again, which does nothing
	})
}
