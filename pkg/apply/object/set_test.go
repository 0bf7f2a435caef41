package object

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/plan"
)

const crdText = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: memos.example.com},
	spec: {group: example.com, scope: Namespaced, names: {plural: memos, kind: Memo}, versions: [{name: v1, served: true, storage: true}]}}`

func configMap(t testing.TB, name string) unstructured.Unstructured {
	return *parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: `+name+`, namespace: memo}}`)
}

func newSet(t testing.TB, objects ...unstructured.Unstructured) *Set {
	t.Helper()
	set, err := NewSet(Owner{Name: "memo", Package: "memo-package"}, "memo", plan.Phases(objects))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// layout returns one line for each phase of a set, with the names of its objects.
func layout(set *Set) []string {
	var lines []string
	for _, each := range set.phases {
		var names []string
		for _, desired := range each.Objects {
			names = append(names, desired.Key.String())
		}
		lines = append(lines, each.Name+": "+strings.Join(names, ", "))
	}
	return lines
}

func TestSetAddsWhatTheEngineNeeds(t *testing.T) {
	set := newSet(t, *parse(t, crdText), configMap(t, "a"))
	want := []string{
		"prerequisites: ClusterRole platform-operators:memo:custom-resources",
		"prerequisites: Namespace memo",
		"crds: CustomResourceDefinition memos.example.com",
		"config: ConfigMap memo/a",
	}
	if diff := cmp.Diff(want, layout(set)); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	if set.Len() != 2 {
		t.Errorf("counts %d objects of the bundle, want 2", set.Len())
	}
	role := set.phases[0].Objects[0].Object()
	if role.GetLabels()[corev1alpha2.LabelAggregateToBundles] != "true" {
		t.Errorf("the role has labels %v and is aggregated to nobody", role.GetLabels())
	}
	rules, _, _ := unstructured.NestedSlice(role.Object, "rules")
	wantRules := []any{map[string]any{"apiGroups": []any{"example.com"}, "resources": []any{"memos"}, "verbs": []any{"get", "list"}}}
	if diff := cmp.Diff(wantRules, rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	for _, each := range set.phases {
		for _, desired := range each.Objects {
			if labels := desired.Object().GetLabels(); labels["core.rukpak.io/owner-name"] != "memo" || labels["core.rukpak.io/owner-kind"] != "BundleDeployment" {
				t.Errorf("%s has labels %v", desired.Key, labels)
			}
		}
	}
}

func TestTheInstallNamespaceIsDeclaredAsTheBundleHasIt(t *testing.T) {
	const labels = `"core.rukpak.io/owner-kind":"BundleDeployment","core.rukpak.io/owner-name":"memo"`
	for name, c := range map[string]struct {
		objects []string
		want    string
	}{
		"no Namespace": {nil, `{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{` + labels + `},"name":"memo"}}`},
		"one without labels": {[]string{`{apiVersion: v1, kind: Namespace, metadata: {name: memo}}`},
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{` + labels + `},"name":"memo"}}`},
		"one with labels and annotations, and what else a Namespace has": {
			[]string{`{apiVersion: v1, kind: Namespace, metadata: {name: memo, labels: {pod-security.kubernetes.io/enforce: privileged}, annotations: {openshift.io/node-selector: ""}}, spec: {finalizers: [kubernetes]}}`},
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"annotations":{"openshift.io/node-selector":""},"labels":{` + labels + `,"pod-security.kubernetes.io/enforce":"privileged"},"name":"memo"}}`},
		"another's name and another's kind": {
			[]string{`{apiVersion: v1, kind: Namespace, metadata: {name: other, labels: {a: b}}}`, `{apiVersion: example.com/v1, kind: Namespace, metadata: {name: memo, labels: {a: b}}}`},
			`{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{` + labels + `},"name":"memo"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			var objects []unstructured.Unstructured
			for _, text := range c.objects {
				objects = append(objects, *parse(t, text))
			}
			set := newSet(t, objects...)
			desired := set.phases[0].Objects[0]
			if got, err := desired.encoded(); err != nil || string(got) != c.want {
				t.Errorf("declares %s, %v\nwant     %s", got, err, c.want)
			}
			if !desired.IsInstallNamespace || !desired.IsAdded {
				t.Errorf("given %v, the engine's own %v; want both", desired.IsInstallNamespace, desired.IsAdded)
			}
		})
	}
}

func TestSetDoesNotChangeItsInput(t *testing.T) {
	declared := configMap(t, "a")
	newSet(t, declared)
	if labels := declared.GetLabels(); labels != nil {
		t.Errorf("the revision's object got labels %v", labels)
	}
}

func TestSetRefusesAnObjectThatIsThereTwice(t *testing.T) {
	_, err := NewSet(Owner{Name: "memo"}, "memo", plan.Phases([]unstructured.Unstructured{configMap(t, "a"), configMap(t, "a")}))
	if err == nil || !strings.Contains(err.Error(), "ConfigMap memo/a") {
		t.Errorf("got %v, want an error that names the object", err)
	}
}

func TestSetLeavesTheRulesOfAggregatedRolesToTheirController(t *testing.T) {
	set := newSet(t, *parse(t, `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: all},
		aggregationRule: {clusterRoleSelectors: []}, rules: []}`))
	role := set.phases[1].Objects[0].Object()
	if _, ok := role.Object["rules"]; ok {
		t.Error("rules are declared")
	}
}

func TestSetWithoutWhatALaterOneHasTakenOver(t *testing.T) {
	old := newSet(t, *parse(t, crdText), configMap(t, "a"), configMap(t, "b"))
	later := newSet(t, *parse(t, crdText), configMap(t, "b"), configMap(t, "c"))
	cases := map[int][]string{
		3: {"config: ConfigMap memo/a, ConfigMap memo/b"}, // the later set's config phase is not reached, so that both objects remain
		4: {"config: ConfigMap memo/a"},
		9: {"config: ConfigMap memo/a"},
	}
	for phases, want := range cases {
		t.Run(fmt.Sprintf("%d phases reached", phases), func(t *testing.T) {
			if diff := cmp.Diff(want, layout(old.Without(later, phases))); diff != "" {
				t.Errorf("left (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnionHasEveryObjectOnce(t *testing.T) {
	union, err := Union("memo", newSet(t, configMap(t, "a"), configMap(t, "b")), newSet(t, configMap(t, "b"), configMap(t, "c")))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"prerequisites: Namespace memo", "config: ConfigMap memo/a, ConfigMap memo/b, ConfigMap memo/c"}
	if diff := cmp.Diff(want, layout(union)); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
}

func TestUnionOfOneSetIsThatSet(t *testing.T) {
	only := newSet(t, configMap(t, "a"))
	if union, err := Union("memo", only); union != only || err != nil {
		t.Errorf("got %p, %v, want %p", union, err, only)
	}
	elsewhere, err := Union("elsewhere", only)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"prerequisites: Namespace elsewhere", "config: ConfigMap memo/a"}
	if diff := cmp.Diff(want, layout(elsewhere)); diff != "" {
		t.Errorf("with another install namespace (-want +got):\n%s", diff)
	}
}

func ExampleNewSet() {
	objects := []unstructured.Unstructured{
		{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": map[string]any{"name": "controller", "namespace": "memo"}}},
		{Object: map[string]any{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": map[string]any{"name": "controller", "namespace": "memo"}}},
	}
	set, err := NewSet(Owner{Name: "memo", Package: "memo"}, "memo", plan.Phases(objects))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range layout(set) {
		fmt.Println(line)
	}
	// Output:
	// prerequisites: Namespace memo
	// rbac: ServiceAccount memo/controller
	// workloads: Deployment memo/controller
}
