package livecache

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// version returns a ConfigMap with a name and a resourceVersion.
func version(t testing.TB, name, version string) *unstructured.Unstructured {
	t.Helper()
	return parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: `+name+`, namespace: ns, uid: uid-`+name+`, resourceVersion: "`+version+`"}}`)
}

func TestAWriteIsBelievedUntilTheWatchHasComeToIt(t *testing.T) {
	key := object.Key{Namespace: "ns", Name: "a"}
	write := func(c *Cache, version5 *unstructured.Unstructured) {
		if _, err := c.Remember(version5); err != nil {
			t.Fatal(err)
		}
	}
	cases := map[string]struct {
		happens func(c *Cache, clock *clocktesting.FakePassiveClock)
		want    string
	}{
		"nothing has come yet": {
			happens: func(c *Cache, _ *clocktesting.FakePassiveClock) { write(c, version(t, "a", "5")) }, want: "5",
		},
		"an older state comes late": {
			happens: func(c *Cache, _ *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				store(t, c, version(t, "a", "4"))
				c.confirm(packed(t, version(t, "a", "4")), false)
			}, want: "5",
		},
		"a newer state comes": {
			happens: func(c *Cache, _ *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				store(t, c, version(t, "a", "6"))
				c.confirm(packed(t, version(t, "a", "6")), false)
			}, want: "6",
		},
		"its deletion comes after the answer": {
			happens: func(c *Cache, _ *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				c.confirm(packed(t, version(t, "a", "6")), true)
			},
		},
		"its deletion comes before the answer": {
			happens: func(c *Cache, _ *clocktesting.FakePassiveClock) {
				c.confirm(packed(t, version(t, "a", "6")), true)
				write(c, version(t, "a", "5"))
			},
		},
		"another object's later state comes, so that the watch has passed it, and it is gone": {
			happens: func(c *Cache, _ *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				c.confirm(packed(t, version(t, "b", "7")), false)
			},
		},
		"nothing comes for long": {
			happens: func(c *Cache, clock *clocktesting.FakePassiveClock) {
				write(c, version(t, "a", "5"))
				clock.SetTime(clock.Now().Add(RecentTime + time.Second))
			},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			clock := clocktesting.NewFakePassiveClock(time.Unix(1e9, 0))
			cached := &Cache{
				informer: dynamicinformer.NewFilteredDynamicInformer(nil, configMapsAt, "", 0, cache.Indexers{}, nil).Informer(),
				clock:    clock, recent: map[string]recentObject{},
			}
			c.happens(cached, clock)
			got := ""
			live, unconfirmed := cached.Get(key)
			if live != nil {
				got = live.ResourceVersion
			}
			if got != c.want || unconfirmed != (c.want == "5") {
				t.Errorf("version is %q, unconfirmed %v; want %q", got, unconfirmed, c.want)
			}
		})
	}
}

// After the restore of a backup of etcd, versions begin again at an earlier one. What the watch delivered before is no progress.
func TestAWriteAfterARestoreIsBelievedAsWell(t *testing.T) {
	at := func(name, number string) *Live { return packed(t, version(t, name, number)) }
	for name, test := range map[string]struct {
		happens func(n notifier)
		want    bool
	}{
		"no restore":                        {happens: func(n notifier) { n.OnUpdate(at("b", "8"), at("b", "9")) }},
		"another object is older":           {happens: func(n notifier) { n.OnUpdate(at("b", "9"), at("b", "3")) }, want: true},
		"another object is older, then not": {happens: func(n notifier) { n.OnUpdate(at("b", "9"), at("b", "3")); n.OnUpdate(at("b", "3"), at("b", "6")) }},
		"a newer object is gone after that": {happens: func(n notifier) {
			n.OnUpdate(at("b", "9"), at("b", "3"))
			n.OnDelete(cache.DeletedFinalStateUnknown{Key: "ns/c", Obj: at("c", "9")})
		}, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			cached := &Cache{
				informer: dynamicinformer.NewFilteredDynamicInformer(nil, configMapsAt, "", 0, cache.Indexers{}, nil).Informer(),
				clock:    clocktesting.NewFakePassiveClock(time.Unix(1e9, 0)), recent: map[string]recentObject{},
			}
			n := notifier{cached, func(string) {}}
			n.OnAdd(at("b", "9"), false)
			test.happens(n)
			if _, err := cached.Remember(version(t, "a", "5")); err != nil {
				t.Fatal(err)
			}
			if live, unconfirmed := cached.Get(object.Key{Namespace: "ns", Name: "a"}); (live != nil) != test.want || unconfirmed != test.want {
				t.Errorf("the write is believed: %t, unconfirmed: %t", live != nil, unconfirmed)
			}
		})
	}
}

func TestACacheRunsOnForAWhileWithoutOwners(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(t *testing.T, w *Caches)
		running bool
	}{
		"not yet long enough": {
			happens: func(*testing.T, *Caches) { time.Sleep(unusedTime - time.Second) }, running: true,
		},
		"long enough": {
			happens: func(*testing.T, *Caches) { time.Sleep(unusedTime + time.Second) },
		},
		"another owner used it meanwhile": {
			happens: func(t *testing.T, w *Caches) {
				time.Sleep(unusedTime - time.Second)
				if _, err := w.Get(t.Context(), "other", configMapsAt); err != nil {
					t.Error(err)
				}
				w.Keep("other", nil)
				time.Sleep(unusedTime - time.Second)
			}, running: true,
		},
		"another owner uses it": {
			happens: func(t *testing.T, w *Caches) {
				if _, err := w.Get(t.Context(), "other", configMapsAt); err != nil {
					t.Error(err)
				}
				time.Sleep(2 * unusedTime)
			}, running: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newTestCaches(t)
				first, err := w.Get(t.Context(), "memo", configMapsAt)
				if err != nil {
					t.Fatal(err)
				}
				w.Keep("memo", nil)
				c.happens(t, w)
				if running := w.Filled(configMapsAt) == first; running != c.running {
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
	w := newTestCaches(t)
	first, err := w.Get(t.Context(), "memo", configMapsAt)
	if err != nil {
		t.Fatal(err)
	}
	w.Keep("memo", nil)
	first.setFault(errors.New("the kind is not served"))
	if again, err := w.Get(t.Context(), "memo", configMapsAt); err != nil || again == first {
		t.Errorf("it is the same one: %v, %v", again == first, err)
	}
}

// A list that fails and a list that does not end leave the objects unread. An ordinary list ends within the wait.
func TestObjectsAreUnreadUntilTheirListEnds(t *testing.T) {
	for name, test := range map[string]struct {
		takes time.Duration
		err   error
		want  bool
	}{
		"it ends soon":  {takes: fillTime / 2},
		"it fails":      {err: errors.New("forbidden"), want: true},
		"it never ends": {takes: 10 * fillTime, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := newTestClient()
				client.PrependReactor("list", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
					time.Sleep(test.takes)
					return test.err != nil, nil, test.err
				})
				caches := NewCaches(t.Context(), client, clocktesting.NewFakePassiveClock(time.Unix(1000, 0)), func(string) {})
				_, err := caches.Get(t.Context(), "memo", configMapsAt)
				var wait *object.WaitError
				if got := errors.As(err, &wait) && wait.Unread; got != test.want || (err != nil) != test.want {
					t.Errorf("unread: %t, want %t: %v", got, test.want, err)
				}
				time.Sleep(test.takes) // the list ends before the test does
			})
		})
	}
}

func store(t testing.TB, into *Cache, live *unstructured.Unstructured) {
	t.Helper()
	if err := into.informer.GetStore().Add(packed(t, live)); err != nil {
		t.Fatal(err)
	}
}

func newTestClient() *dynamicfake.FakeDynamicClient {
	return dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{configMapsAt: "ConfigMapList"})
}

// newTestCaches returns caches of a cluster without ConfigMaps.
func newTestCaches(t *testing.T) *Caches {
	t.Helper()
	return NewCaches(t.Context(), newTestClient(), clocktesting.NewFakePassiveClock(time.Unix(1000, 0)), func(string) {})
}

func TestAWatchMayFailAgainAfterItRecovered(t *testing.T) {
	cached, err := newTestCaches(t).Get(t.Context(), "memo", configMapsAt)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		cached.setFault(errors.New("the API server is down"))
		cached.confirm(packed(t, version(t, "a", "4")), false)
		if fault := cached.lastFault(); fault != nil {
			t.Errorf("after an event: %v", fault)
		}
	}
	select {
	case <-cached.faulted:
	default:
		t.Error("who waits for the cache is not told of the fault")
	}
}
