package story_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

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

// colorOf returns the color of the ConfigMap, or "none" if it does not exist.
func colorOf(t *testing.T, r *story.Runner) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(r.Cluster.StepClientConfig(scenario.AdminUser))
	if err != nil {
		t.Fatal(err)
	}
	found, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "a", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return "none"
	}
	if err != nil {
		t.Fatal(err)
	}
	return found.Data["color"]
}

func TestApplyIsRepeatedWhileTimePasses(t *testing.T) {
	withRunner(t, func(t *testing.T, r *story.Runner) {
		wait := step(t, "wait", "59s")
		paint := step(t, "patch", map[string]any{"object": "ConfigMap/default/a", "data": map[string]any{"color": "blue"}})
		do(t, r, step(t, "apply", map[string]any{"object": configMap("red"), "every": "1m"}), paint, wait)
		if color := colorOf(t, r); color != "blue" {
			t.Errorf("before a minute has passed, the color is %s", color)
		}
		do(t, r, wait)
		if color := colorOf(t, r); color != "red" {
			t.Errorf("after a minute, the color is %s", color)
		}
		remove := step(t, "delete", "ConfigMap/default/a")
		remove.As = "system:masters-user"
		if err := r.Do(t.Context(), remove); err == nil {
			t.Error("a user without permissions deleted the ConfigMap")
		}
		do(t, r, paint, step(t, "wait", "1h"))
		if color := colorOf(t, r); color != "red" {
			t.Errorf("after another user's deletion was refused, the color is %s", color)
		}
		do(t, r, step(t, "delete", "ConfigMap/default/a"), step(t, "wait", "1h"))
		if color := colorOf(t, r); color != "none" {
			t.Errorf("the same user deleted the object, and it was applied again with color %s", color)
		}
	})
}

func TestOnRefusalIsCalledForPermittedRefusals(t *testing.T) {
	withRunner(t, func(t *testing.T, r *story.Runner) {
		calls := 0
		r.OnRefusal = func(_ story.Step, refusal error) {
			calls++
			if !apierrors.IsNotFound(refusal) {
				t.Errorf("the refusal is: %v", refusal)
			}
		}
		patch := step(t, "patch", map[string]any{"object": "ConfigMap/default/a", "data": map[string]any{"color": "blue"}})
		if err := r.Do(t.Context(), patch); err == nil || calls != 0 {
			t.Errorf("a refusal that the step does not permit: error %v, %d calls", err, calls)
		}
		patch.Refused = story.MayBeRefused
		do(t, r, patch, step(t, "create", configMap("red")), patch)
		if calls != 1 {
			t.Errorf("OnRefusal was called %d times, not once for the object that did not exist yet", calls)
		}
	})
}

func TestApplyOnceEndsTheRepetition(t *testing.T) {
	withRunner(t, func(t *testing.T, r *story.Runner) {
		do(t, r, step(t, "apply", map[string]any{"object": configMap("red"), "every": "1m"}), step(t, "apply", map[string]any{"object": configMap("green")}))
		do(t, r, step(t, "patch", map[string]any{"object": "ConfigMap/default/a", "data": map[string]any{"color": "blue"}}), step(t, "wait", "1h"))
		if color := colorOf(t, r); color != "blue" {
			t.Errorf("the color is %s", color)
		}
	})
}

func TestARepetitionThatFailsSaysWhichStep(t *testing.T) {
	withRunner(t, func(t *testing.T, r *story.Runner) {
		first := step(t, "apply", map[string]any{"object": configMap("red"), "every": "1m"})
		first.Position = story.Position{File: "x.yaml", Line: 3}
		do(t, r, first, step(t, "fail", map[string]any{"verb": "apply", "resource": "configmaps", "code": 403}))
		err := r.Do(t.Context(), step(t, "wait", "1h"))
		if err == nil || !strings.Contains(err.Error(), "wait: repeating the apply of x.yaml:3: ") {
			t.Errorf("got %v", err)
		}
		first.Refused = story.MayBeRefused
		do(t, r, first, step(t, "fail", map[string]any{"verb": "apply", "resource": "configmaps", "code": 403}), step(t, "wait", "1h"))
	})
}
