package harness_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/pkg/scenario/harness"
)

// idle starts a System whose operator does not run in a bubble, and calls test.
func idle(t *testing.T, o harness.Operator, test func(s system)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		started, err := o.StartSystem(t.Context(), harness.Checkpoint{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := started.Stop(); err != nil {
				t.Error(err)
			}
		}()
		test(newSystem(t, started))
	})
}

// createOwned creates ConfigMap owner and ConfigMap owned, which refers to its owner by UID.
func (s system) createOwned() {
	s.Helper()
	owner := s.createConfigMap("owner", "red")
	s.createConfigMap("owned", "green", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID})
	s.must(s.Runner.Cluster.Settle())
}

// createDeployment creates a Deployment without Pods.
func (s system) createDeployment(name string) {
	s.Helper()
	labels := map[string]string{"app": name}
	template := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	_, err := s.admin.AppsV1().Deployments(namespace).Create(s.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       appsv1.DeploymentSpec{Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}, metav1.CreateOptions{})
	s.must(err)
	s.must(s.Runner.Cluster.Settle())
}

const owned = `{
 "apiVersion": "v1",
 "data": {
  "color": "green"
 },
 "kind": "ConfigMap",
 "metadata": {
  "name": "owned",
  "namespace": "default",
  "ownerReferences": [
   {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "name": "owner",
    "uid": ""
   }
  ]
 }
}`

func TestStateOmitsMetadataThatTheAPIServerSets(t *testing.T) {
	idle(t, (&operator{}).underTest(), func(s system) {
		s.createOwned()
		state, err := s.State(s.Context())
		s.must(err)
		if got := strings.Join(state["configmaps default owned"], "\n"); got != owned {
			t.Errorf("the ConfigMap is %s", got)
		}
		s.createDeployment("d")
		state, err = s.State(s.Context())
		s.must(err)
		for _, line := range state["deployments.apps default d"] {
			if strings.HasPrefix(line, `  "generation"`) { // of metadata; ConfigMaps have none
				t.Errorf("the Deployment has %s", line)
			}
		}
		for _, name := range []string{"deployments.apps default d", "namespaces  default", "clusterrolebindings.rbac.authorization.k8s.io  operator"} {
			if len(state[name]) == 0 {
				t.Errorf("the state has no %q", name)
			}
		}
	})
}

func TestTheStatesOfTwoClustersWithTheSameContentAreEqual(t *testing.T) {
	states := make([]harness.State, 2)
	for i := range states {
		idle(t, (&operator{}).underTest(), func(s system) {
			if i == 1 { // changes all times, resourceVersions and UIDs, and the generation
				time.Sleep(time.Hour)
				s.createConfigMap("owned", "yellow")
				s.must(s.admin.CoreV1().ConfigMaps(namespace).Delete(s.Context(), "owned", metav1.DeleteOptions{}))
			}
			s.createOwned()
			var err error
			states[i], err = s.State(s.Context())
			s.must(err)
		})
	}
	if difference := harness.Difference(states[0], states[1]); difference != "" || len(states[0]) < 20 {
		t.Errorf("the states have %d objects, and differ in:\n%s", len(states[0]), difference)
	}
}

// removesColor removes the color of ConfigMap owned.
func removesColor(object *unstructured.Unstructured) {
	if object.GetName() == "owned" {
		delete(object.Object, "data")
	}
}

func TestAnOperatorNormalizesItsState(t *testing.T) {
	const configMapOwned, configMapOwner = "configmaps default owned", "configmaps default owner"
	withoutColor := strings.Replace(owned, " \"data\": {\n  \"color\": \"green\"\n },\n", "", 1)
	normalized := func(object *unstructured.Unstructured) (bool, error) { removesColor(object); return true, nil }
	compared := func(object *unstructured.Unstructured) (bool, error) { return object.GetName() != "owner", nil }
	for name, test := range map[string]struct {
		normalize        func(*unstructured.Unstructured) (bool, error)
		normalizeHistory func(*unstructured.Unstructured)
		// state and withoutHistory are ConfigMap owned. hasOwner is whether ConfigMap owner is compared.
		state, withoutHistory string
		hasOwner              bool
	}{
		"without functions":          {nil, nil, owned, owned, true},
		"an object is not compared":  {compared, nil, owned, owned, false},
		"a field is removed":         {normalized, nil, withoutColor, withoutColor, true},
		"a field is history":         {nil, removesColor, owned, withoutColor, true},
		"an object and history":      {compared, removesColor, owned, withoutColor, false},
		"history, after the removal": {normalized, addsColorIfRemoved, withoutColor, owned, true},
	} {
		t.Run(name, func(t *testing.T) {
			o := (&operator{}).underTest()
			o.Normalize, o.NormalizeHistory = test.normalize, test.normalizeHistory
			idle(t, o, func(s system) {
				s.createOwned()
				for _, read := range []struct {
					of   func(context.Context) (harness.State, error)
					want string
				}{{s.State, test.state}, {s.StateWithoutHistory, test.withoutHistory}} {
					state, err := read.of(s.Context())
					s.must(err)
					if got := strings.Join(state[configMapOwned], "\n"); got != read.want {
						t.Errorf("the ConfigMap is %s, want %s", got, read.want)
					}
					if _, hasOwner := state[configMapOwner]; hasOwner != test.hasOwner {
						t.Errorf("the state has the owner: %t", hasOwner)
					}
				}
			})
		})
	}
}

// addsColorIfRemoved adds the color of ConfigMap owned if it has none.
func addsColorIfRemoved(object *unstructured.Unstructured) {
	if object.GetName() == "owned" && object.Object["data"] == nil {
		object.Object["data"] = map[string]any{"color": "green"}
	}
}

func TestAnErrorOfNormalizeNamesTheObject(t *testing.T) {
	broken := errors.New("no such field")
	o := (&operator{}).underTest()
	o.Normalize = func(object *unstructured.Unstructured) (bool, error) {
		if object.GetName() == "owned" {
			return false, broken
		}
		return true, nil
	}
	idle(t, o, func(s system) {
		s.createOwned()
		_, err := s.State(s.Context())
		if !errors.Is(err, broken) || !strings.Contains(err.Error(), "describing configmaps default owned: ") {
			t.Errorf("got %v", err)
		}
	})
}

func TestDifferenceReturnsTheDifferingLines(t *testing.T) {
	one := harness.State{"a": {"{", "x: 1", "y: 1", "}"}, "b": {"z"}}
	for name, test := range map[string]struct {
		want, got harness.State
		lines     []string
	}{
		"both empty":           {nil, harness.State{}, nil},
		"equal":                {one, harness.State{"b": {"z"}, "a": {"{", "x: 1", "y: 1", "}"}}, nil},
		"an object is missing": {one, harness.State{"a": one["a"]}, []string{"- b"}},
		"an additional object": {harness.State{"b": one["b"]}, one, []string{"+ a"}},
		"another object":       {harness.State{"b": one["b"]}, harness.State{"a": one["a"]}, []string{"+ a", "- b"}},
		"a changed line":       {one, harness.State{"a": {"{", "x: 1", "y: 2", "}"}, "b": {"z"}}, []string{"  a", `- "y: 1",`, `+ "y: 2",`}},
		"a missing line":       {one, harness.State{"a": {"{", "y: 1", "}"}, "b": {"z"}}, []string{"  a", `- "x: 1",`}},
		"an additional line":   {one, harness.State{"a": one["a"], "b": {"z", "zz"}}, []string{"  b", `+ "zz",`}},
		"two changed objects": {
			one, harness.State{"a": {"{", "x: 1", "}"}, "b": {"zz"}}, []string{"  a", `- "y: 1",`, "  b", `- "z",`, `+ "zz",`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			if difference := harness.Difference(test.want, test.got); difference != "" {
				lines = strings.Split(difference, "\n")
			}
			for i, line := range lines {
				if sign, rest := line[:1], strings.TrimSpace(line[1:]); sign != " " && strings.HasPrefix(rest, `"`) {
					lines[i] = sign + " " + rest // cmp.Diff varies the space after the sign
				}
			}
			if !slices.Equal(lines, test.lines) {
				t.Errorf("got %q, want %q", lines, test.lines)
			}
		})
	}
}

func TestDifferenceIsBounded(t *testing.T) {
	for name, test := range map[string]struct {
		objects, lines int
		last           string
	}{
		"as many lines as allowed": {60, 60, "- object 59"},
		"one more":                 {61, 61, "… and 1 more lines"},
		"many more":                {500, 61, "… and 440 more lines"},
	} {
		want := harness.State{}
		for n := range test.objects {
			want[fmt.Sprintf("object %02d", n)] = []string{"{}"}
		}
		lines := strings.Split(harness.Difference(want, nil), "\n")
		if len(lines) != test.lines || lines[0] != "- object 00" || lines[len(lines)-1] != test.last {
			t.Errorf("%s: %d lines, from %q to %q", name, len(lines), lines[0], lines[len(lines)-1])
		}
	}
}

func TestCountsCoverSelectedObjectsAfterARevision(t *testing.T) {
	for name, test := range map[string]struct {
		isCounted func(scenario.Event) bool
		want      harness.Counts
	}{
		"no object is counted": {nil, harness.Counts{}},
		"all ConfigMaps but a": {
			func(e scenario.Event) bool { return e.Resource.Resource == "configmaps" && e.Name != "a" },
			harness.Counts{"configmaps default before": {Deleted: 1}, "configmaps default b": {Created: 2, Deleted: 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := (&operator{}).underTest()
			o.IsCounted = test.isCounted
			idle(t, o, func(s system) {
				client := s.admin.CoreV1().ConfigMaps(namespace)
				s.createConfigMap("before", "red")
				s.createConfigMap("only-updated", "red")
				s.must(s.Runner.Cluster.Settle())
				after := s.Runner.Cluster.Revision()
				s.createConfigMap("a", "red")
				s.createConfigMap("b", "red")
				for _, name := range []string{"before", "only-updated"} {
					_, err := client.Update(s.Context(), configMap(name, "blue"), metav1.UpdateOptions{})
					s.must(err)
				}
				for _, name := range []string{"before", "b"} {
					s.must(client.Delete(s.Context(), name, metav1.DeleteOptions{}))
				}
				s.createConfigMap("b", "red")
				got, err := s.Counts(after)
				s.must(err)
				if difference := harness.CountDifference(test.want, got); difference != "" || len(got) != len(test.want) {
					t.Errorf("got %v: %s", got, difference)
				}
				_, err = s.Counts(s.Runner.Cluster.Revision() + 1)
				if err == nil || !strings.Contains(err.Error(), "counting creations and deletions: ") {
					t.Errorf("counts after a revision in the future: %v", err)
				}
			})
		})
	}
}

func TestCountDifferenceNamesTheObjects(t *testing.T) {
	counts := harness.Counts{"a": {Created: 1}, "b": {Created: 2, Deleted: 1}}
	for name, test := range map[string]struct {
		want, got harness.Counts
		message   string
	}{
		"equal": {counts, harness.Counts{"b": {Created: 2, Deleted: 1}, "a": {Created: 1}}, ""},
		"none":  {harness.Counts{}, harness.Counts{}, ""},
		"created again": {
			counts, harness.Counts{"a": {Created: 2}, "b": counts["b"]}, "a: created 2 times and deleted 0 times, not 1 and 0 times",
		},
		"deleted again": {
			counts, harness.Counts{"a": counts["a"], "b": {Created: 2, Deleted: 2}}, "b: created 2 times and deleted 2 times, not 2 and 1 times",
		},
		"never created":        {counts, harness.Counts{"b": counts["b"]}, "a: created 0 times and deleted 0 times, not 1 and 0 times"},
		"an unexpected object": {harness.Counts{}, harness.Counts{"a": counts["a"]}, "a: created 1 times and deleted 0 times, not 0 and 0 times"},
		"two objects": {
			harness.Counts{}, counts,
			"a: created 1 times and deleted 0 times, not 0 and 0 times\nb: created 2 times and deleted 1 times, not 0 and 0 times",
		},
	} {
		if got := harness.CountDifference(test.want, test.got); got != test.message {
			t.Errorf("%s: got %q, want %q", name, got, test.message)
		}
	}
	if len(counts) != 2 {
		t.Errorf("the counts were changed: %v", counts)
	}
}
