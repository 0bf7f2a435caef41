package apply

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/drift"
)

// version is one state of a ConfigMap.
func version(t testing.TB, name, version string) *unstructured.Unstructured {
	t.Helper()
	return object(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: `+name+`, namespace: ns, uid: uid-`+name+`, resourceVersion: "`+version+`"}}`)
}

func TestAWriteIsBelievedUntilTheWatchHasComeToIt(t *testing.T) {
	key := Key{Namespace: "ns", Name: "a"}
	write := func(c *watched, version5 *unstructured.Unstructured) {
		if _, err := c.remember(version5); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		happens func(c *watched, clock *clocktesting.FakePassiveClock)
		want    string
	}{
		"nothing has come yet": {
			happens: func(c *watched, _ *clocktesting.FakePassiveClock) { write(c, version(t, "a", "5")) }, want: "5",
		},
		"an older state comes late": {
			happens: func(c *watched, _ *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				store(t, c, version(t, "a", "4"))
				c.caughtUp(packed(t, version(t, "a", "4")), false)
			}, want: "5",
		},
		"a newer state comes": {
			happens: func(c *watched, _ *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				store(t, c, version(t, "a", "6"))
				c.caughtUp(packed(t, version(t, "a", "6")), false)
			}, want: "6",
		},
		"its deletion comes after the answer": {
			happens: func(c *watched, _ *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				c.caughtUp(packed(t, version(t, "a", "6")), true)
			},
		},
		"its deletion comes before the answer": {
			happens: func(c *watched, _ *clocktesting.FakePassiveClock) {
				c.caughtUp(packed(t, version(t, "a", "6")), true)
				write(c, version(t, "a", "5"))
			},
		},
		"another object's later state comes, so that the watch has passed it, and it is gone": {
			happens: func(c *watched, _ *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				c.caughtUp(packed(t, version(t, "b", "7")), false)
			},
		},
		"nothing comes for long": {
			happens: func(c *watched, clock *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				clock.SetTime(clock.Now().Add(recentTime + time.Second))
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			w, _ := resting(t, 0)
			clock, ok := w.clock.(*clocktesting.FakePassiveClock)
			if !ok {
				t.Fatal("another clock")
			}
			c.happens(w.cache, clock)
			got := ""
			live, unconfirmed := w.cache.get(key)
			if live != nil {
				got = live.ResourceVersion
			}
			if got != c.want || unconfirmed != (c.want == "5") {
				t.Errorf("version is %q, unconfirmed %v; want %q", got, unconfirmed, c.want)
			}
		})
	}
}

func TestACacheRunsOnForAWhileWithoutOwners(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(t *testing.T, w *watches)
		running bool
	}{
		"not yet long enough": {
			happens: func(*testing.T, *watches) { time.Sleep(unusedTime - time.Second) }, running: true,
		},
		"long enough": {
			happens: func(*testing.T, *watches) { time.Sleep(unusedTime + time.Second) },
		},
		"another owner used it meanwhile": {
			happens: func(t *testing.T, w *watches) {
				time.Sleep(unusedTime - time.Second)
				if _, err := w.of(t.Context(), "other", configMapsAt); err != nil {
					t.Error(err)
				}
				w.keep("other", nil)
				time.Sleep(unusedTime - time.Second)
			}, running: true,
		},
		"another owner uses it": {
			happens: func(t *testing.T, w *watches) {
				if _, err := w.of(t.Context(), "other", configMapsAt); err != nil {
					t.Error(err)
				}
				time.Sleep(2 * unusedTime)
			}, running: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				engine, _ := engineOn(t)
				w := engine.watches
				first, err := w.of(t.Context(), "memo", configMapsAt)
				if err != nil {
					t.Fatal(err)
				}
				w.keep("memo", nil)
				c.happens(t, w)
				if running := w.filled(configMapsAt) == first; running != c.running {
					t.Errorf("it runs: %v, want %v", running, c.running)
				}
				if stopped := first.informer.IsStopped(); stopped == c.running {
					t.Errorf("its informer has stopped: %v", stopped)
				}
			})
		})
	}
}

func TestAnUnusedCacheWithAFaultIsNotUsedAgain(t *testing.T) {
	engine, _ := engineOn(t)
	w := engine.watches
	first, err := w.of(t.Context(), "memo", configMapsAt)
	if err != nil {
		t.Fatal(err)
	}
	w.keep("memo", nil)
	first.mu.Lock()
	first.fault = errors.New("the kind is not served")
	first.mu.Unlock()
	if again, err := w.of(t.Context(), "memo", configMapsAt); err != nil || again == first {
		t.Errorf("it is the same one: %v, %v", again == first, err)
	}
}

func TestWhatAnAPIServerNeverTookIsNoNewsUntilItChanges(t *testing.T) {
	declared := object(t, `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {pruned: 1, folded: A, plain: x}}`)
	live := func(folded, plain, fields string) *unstructured.Unstructured {
		return owned(object(t, `{apiVersion: v1, kind: X, metadata: {name: c}, spec: {folded: `+folded+`, plain: `+plain+`}}`), ours, fields)
	}
	compare := drift.Comparison{Manager: ours, Trust: drift.WrittenBefore}
	all := `{"f:spec":{"f:folded":{},"f:plain":{}}}`
	state := objectState{odd: oddities(compare.Differences(declared, live("a", "x", all)))}
	cases := map[string]struct {
		live *unstructured.Unstructured
		want []string
	}{
		"nothing changed": {live: live("a", "x", all)},
		"another field was edited": {
			live: live("a", "evil", `{"f:spec":{"f:folded":{}}}`), want: []string{"/spec/plain"},
		},
		"the same field was edited": {
			live: live("evil", "x", `{"f:spec":{"f:plain":{}}}`), want: []string{"/spec/folded"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, each := range state.news(compare.Differences(declared, c.live)) {
				got = append(got, each.Path)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
