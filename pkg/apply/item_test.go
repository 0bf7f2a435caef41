package apply

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"
)

func TestAnItemGivesBackWhatWasDeclared(t *testing.T) {
	cases := map[string]string{
		"a small object":               `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {x: z}}, data: {a: b}}`,
		"an object that is compressed": `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "` + strings.Repeat("lorem ipsum ", 1000) + `"}}`,
		"numbers keep their kind":      `{apiVersion: b.c/v1, kind: A, metadata: {name: a}, spec: {whole: 9007199254740993, broken: 0.5}}`,
		"empty and null stay":          `{apiVersion: b.c/v1, kind: A, metadata: {name: a}, spec: {none: null, map: {}, list: []}}`,
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			declared := object(t, text)
			entry, err := newItem(Owner{Name: "memo"}, declared)
			if err != nil {
				t.Fatal(err)
			}
			want := declared.DeepCopy()
			labels := want.GetLabels()
			if labels == nil {
				labels = map[string]string{}
			}
			labels["core.rukpak.io/owner-kind"], labels["core.rukpak.io/owner-name"] = "BundleDeployment", "memo"
			want.SetLabels(labels)
			if diff := cmp.Diff(want.Object, entry.declared().Object); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again, err := newItem(Owner{Name: "memo"}, declared); err != nil || again.digest != entry.digest {
				t.Errorf("the digest is another the second time, or %v", err)
			}
		})
	}
}

func TestADefinitionIsReadFromItsCustomResourceDefinition(t *testing.T) {
	versions := `[{name: v1alpha1, served: false}, {name: v1beta1, served: true}, {name: v1, served: true}]`
	crd := object(t, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: memos.example.com},
		spec: {group: example.com, scope: Namespaced, names: {plural: memos, kind: Memo}, versions: `+versions+`}}`)
	got := definitionOf(crd)
	if resource, ok := got.resource(); !ok || resource.String() != "example.com/v1beta1, Resource=memos" || !got.namespaced || got.kind.Kind != "Memo" {
		t.Errorf("got %+v, read at %s", got, resource)
	}
	if _, ok := definitionOf(&unstructured.Unstructured{Object: map[string]any{"spec": "nonsense"}}).resource(); ok {
		t.Error("a definition of nothing has a resource")
	}
}

func TestAHeldDeletionSaysByWhom(t *testing.T) {
	cases := map[string]struct{ finalizers, want string }{
		"nothing holds it":                 {"[]", ""},
		"its Pods":                         {"[foregroundDeletion]", "such as its Pods"},
		"its custom resources":             {"[customresourcecleanup.apiextensions.k8s.io]", "its custom resources"},
		"somebody's finalizer":             {"[example.com/a]", `finalizers "example.com/a"; whoever set them has to take them off`},
		"more than can be named are count": {"[x/1, x/2, x/3, x/4, x/5]", `"x/1", "x/2", "x/3" and 2 more`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := holdup(object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: `+c.finalizers+`}}`))
			if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestADeletionThatTakesTooLongWaitsForSomebody(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	r := &taking{Engine: &Engine{clock: clocktesting.NewFakePassiveClock(now)}}
	for name, c := range map[string]struct {
		finalizers string
		since      time.Duration
		want       string
		stuck      bool
	}{
		"begun just now":                          {"[example.com/a]", time.Minute, "is held by its finalizers", false},
		"for as long as is granted":               {"[]", stuckAfter, "", false},
		"for longer, by a finalizer":              {"[example.com/a]", stuckAfter + time.Second, "take them off by hand (metadata.finalizers) (it was deleted more than 10 minutes ago: see", true},
		"for longer, by its Pods":                 {"[foregroundDeletion]", time.Hour, "such as its Pods, to be deleted first (it was deleted", true},
		"for longer, and nobody can tell by whom": {"[]", time.Hour, "was deleted more than 10 minutes ago", true},
	} {
		t.Run(name, func(t *testing.T) {
			live := object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: `+c.finalizers+`}}`)
			live.SetDeletionTimestamp(&metav1.Time{Time: now.Add(-c.since)})
			why, stuck := r.detained(live)
			if stuck != c.stuck || !strings.Contains(why, c.want) || (why == "") != (c.want == "") {
				t.Errorf("got %q, %t; want %q, %t", why, stuck, c.want, c.stuck)
			}
		})
	}
}

func TestAPhaseThatGoesOnByItselfIsNeitherHeldNorStuck(t *testing.T) {
	gone, going := removed{}, removed{left: true}
	inUse, stuck := removed{left: true, inUse: true}, removed{left: true, stuck: true}
	for name, c := range map[string]struct {
		results     []removed
		held, stuck bool
	}{
		"one is on its way":                   {[]removed{gone, stuck, inUse, going}, false, false},
		"what is left is stuck":               {[]removed{gone, stuck, stuck}, false, true},
		"what is left is in use":              {[]removed{gone, inUse}, true, false},
		"what is left is stuck, or is in use": {[]removed{stuck, inUse}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			if held, stuck := heldUp(c.results); held != c.held || stuck != c.stuck {
				t.Errorf("held %t, stuck %t", held, stuck)
			}
		})
	}
}

func TestWhatARemovalWaitsForNamesTheReasonFirst(t *testing.T) {
	key := func(name string) Key {
		return keyOf(&unstructured.Unstructured{Object: map[string]any{"kind": "Job", "metadata": map[string]any{"name": name}}})
	}
	cases := map[string]struct {
		results []removed
		want    string
	}{
		"nothing is left":   {[]removed{{key: key("a")}}, ""},
		"one without cause": {[]removed{{key: key("a"), left: true}}, "waiting for Job a to be gone"},
		"the one with a cause comes first": {[]removed{{key: key("a"), left: true}, {key: key("b"), left: true, why: "is held"}, {key: key("c")}},
			"waiting for Job b and 1 more to be gone: Job b is held"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := waitingFor(c.results); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestUsersOfAKindAreCountedAndNamed(t *testing.T) {
	got := users{count: 12, examples: []string{"Memo default/a", "Memo default/b"}}.String()
	want := "12 custom resources, such as Memo default/a, Memo default/b; delete what is not needed any more, or set spec.deletion.crds to Orphan to keep all of it"
	if got != want {
		t.Errorf("got %q", got)
	}
}

func TestWarningsAreToldOnceWithTheFirstObject(t *testing.T) {
	memory := &memory{warned: map[string]Key{}}
	item := func(name string) *item { return &item{key: Key{Name: name}} }
	var first, second Report
	for i := range 30 {
		first.warn(memory, outcome{item: item(fmt.Sprint("a", i)), warnings: []string{"old version", fmt.Sprint("field ", i)}})
	}
	if len(first.Warnings) != maxWarnings || first.Warnings[0] != " a0: old version" || first.Warnings[1] != " a0: field 0" {
		t.Errorf("got %d: %q", len(first.Warnings), first.Warnings)
	}
	second.warn(memory, outcome{item: item("later"), warnings: []string{"old version"}})
	if diff := cmp.Diff([]string{" a0: old version"}, second.Warnings); diff != "" {
		t.Errorf("in a later call (-want +got):\n%s", diff)
	}
}

func TestWarningsAreHeardInTheContextOfTheirRequest(t *testing.T) {
	ctx, heard := listening(t.Context())
	for range 3 {
		WarningHandler().HandleWarningHeaderWithContext(ctx, warningCode, "-", "policy/v1beta1 is deprecated")
	}
	WarningHandler().HandleWarningHeaderWithContext(ctx, 199, "-", "of a proxy")
	for i := range 10 {
		WarningHandler().HandleWarningHeaderWithContext(ctx, warningCode, "-", fmt.Sprint("unknown field ", i))
	}
	got := heard.list()
	if len(got) != maxHeard || got[0] != "policy/v1beta1 is deprecated" || got[1] != "unknown field 0" {
		t.Errorf("heard %q", got)
	}
}

func TestStringDataIsDeclaredAsData(t *testing.T) {
	entry, err := newItem(Owner{Name: "memo"}, object(t, `{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {b: over, c: text}, data: {a: eA==, b: eA==}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": "eA==", "b": "b3Zlcg==", "c": "dGV4dA=="}
	if diff := cmp.Diff(want, entry.declared().Object["data"]); diff != "" || entry.declared().Object["stringData"] != nil {
		t.Errorf("%v (-want +got):\n%s", entry.declared().Object["stringData"], diff)
	}
}
