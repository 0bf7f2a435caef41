package teardown

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

func TestAHeldDeletionSaysByWhom(t *testing.T) {
	cases := map[string]struct{ finalizers, want string }{
		"nothing holds it":                 {"[]", ""},
		"its Pods":                         {"[foregroundDeletion]", "such as its Pods"},
		"its custom resources":             {"[customresourcecleanup.apiextensions.k8s.io]", "its custom resources"},
		"somebody's finalizer":             {"[example.com/a]", `finalizers "example.com/a"; the controllers that set them must remove them`},
		"more than can be named are count": {"[x/1, x/2, x/3, x/4, x/5]", `"x/1", "x/2", "x/3" and 2 more`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := waitReason(parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: `+c.finalizers+`}}`))
			if !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestADeletionThatTakesTooLongWaitsForSomebody(t *testing.T) {
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	removal := &teardown{clock: clocktesting.NewFakePassiveClock(now)}
	for name, c := range map[string]struct {
		finalizers string
		since      time.Duration
		want       string
		stuck      bool
	}{
		"begun just now":                          {"[example.com/a]", time.Minute, "is held by its finalizers", false},
		"for as long as is granted":               {"[]", stuckAfter, "", false},
		"for longer, by a finalizer":              {"[example.com/a]", stuckAfter + time.Second, "remove them by hand (metadata.finalizers) (it was deleted more than 10 minutes ago: see", true},
		"for longer, by its Pods":                 {"[foregroundDeletion]", time.Hour, "such as its Pods, to be deleted first (it was deleted", true},
		"for longer, and nobody can tell by whom": {"[]", time.Hour, "was deleted more than 10 minutes ago", true},
	} {
		t.Run(name, func(t *testing.T) {
			live := parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: `+c.finalizers+`}}`)
			live.SetDeletionTimestamp(&metav1.Time{Time: now.Add(-c.since)})
			why, stuck := removal.deletionState(live)
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
	key := func(name string) object.Key {
		return object.KeyOf(&unstructured.Unstructured{Object: map[string]any{"kind": "Job", "metadata": map[string]any{"name": name}}})
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
