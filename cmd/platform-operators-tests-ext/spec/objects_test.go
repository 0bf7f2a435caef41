package spec

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"
)

var (
	things = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}
	thing  = Object{Kind: "Thing", Resource: things, Name: "ote-thing"}
)

// server is a fake API server with one object. Its fields define how it responds to requests.
type server struct {
	*fake.FakeDynamicClient
	// takes is the time for which a finalizer delays the deletion of the object.
	takes time.Duration
	// refuses is the number of deletions that fail with an internal error.
	refuses int
	// silentUntil is the time after the start during which all requests fail.
	silentUntil time.Duration
}

func (s *server) start() {
	s.FakeDynamicClient = fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{things: "ThingList"})
	var created time.Time
	var deleted *unstructured.Unstructured // since its deletionTimestamp
	s.PrependReactor("get", things.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		if deleted == nil || time.Since(deleted.GetDeletionTimestamp().Time) > s.takes {
			return false, nil, nil
		}
		return true, deleted.DeepCopy(), nil
	})
	s.PrependReactor("delete", things.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		if s.refuses > 0 {
			s.refuses--
			return true, nil, apierrors.NewInternalError(errors.New("etcd has no leader"))
		}
		if s.takes > 0 {
			deleted = newThing()
			now := metav1.Now()
			deleted.SetDeletionTimestamp(&now)
			deleted.SetFinalizers([]string{"example.com/slow"})
		}
		return false, nil, nil
	})
	s.PrependReactor("*", things.Resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		if action.GetVerb() == "create" {
			created = time.Now()
			return false, nil, nil
		}
		if !created.IsZero() && time.Since(created) < s.silentUntil {
			return true, nil, errors.New("connection refused")
		}
		return false, nil, nil
	})
}

// has reports whether the object exists.
func (s *server) has(t *testing.T) bool {
	t.Helper()
	_, err := s.Tracker().Get(things, "", thing.Name)
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func newThing() *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Thing"}}
	object.SetName(thing.Name)
	return object
}

// makes returns a spec function that creates the object and then calls then.
func makes(then func(context.Context, *T)) func(context.Context, *T) {
	return func(ctx context.Context, t *T) {
		t.Create(ctx, thing, func(ctx context.Context) error {
			_, err := t.Dynamic.Resource(things).Create(ctx, newThing(), metav1.CreateOptions{})
			return err
		})
		then(ctx, t)
	}
}

func TestWhatASpecificationMadeIsRemovedHoweverItEnds(t *testing.T) {
	limits := Limits{Timeout: 15 * time.Second, Cleanup: 5 * time.Minute}
	nothing := func(context.Context, *T) {}
	fails := func(_ context.Context, t *T) { t.Expect("this").To(gomega.Equal("that")) }
	for name, test := range map[string]struct {
		server server
		there  bool // whether the object exists before the spec
		run    func(context.Context, *T)
		left   bool
		failed []string // words of each failure
	}{
		"it holds":                       {run: makes(nothing)},
		"it fails half-way":              {run: makes(fails), failed: []string{"this"}},
		"it panics":                      {run: makes(func(context.Context, *T) { panic("a bug") }), failed: []string{"a bug"}},
		"it skips half-way":              {run: makes(func(_ context.Context, t *T) { t.Skip("no catalog") })},
		"it takes all of its time":       {run: makes(func(ctx context.Context, _ *T) { <-ctx.Done() })},
		"it removed the object itself":   {run: makes(func(ctx context.Context, t *T) { t.Remove(ctx, thing) })},
		"removal takes longer than runs": {server: server{takes: limits.Cleanup - time.Second}, run: makes(nothing)},
		"the first deletions fail":       {server: server{refuses: 3}, run: makes(nothing)},
		"the API server is away":         {server: server{silentUntil: limits.Cleanup - time.Second}, run: makes(nothing)},
		"the answer of its creation is lost": {
			run: func(ctx context.Context, t *T) {
				t.Create(ctx, thing, func(ctx context.Context) error {
					_, err := t.Dynamic.Resource(things).Create(ctx, newThing(), metav1.CreateOptions{})
					return errors.Join(err, errors.New("connection reset"))
				})
			},
			failed: []string{"connection reset"},
		},
		"an existing object is not deleted": {
			there: true, run: makes(nothing), left: true,
			failed: []string{`Thing "ote-thing" already exists`},
		},
		"an existing object is not deleted if admission refuses the creation": {
			there: true, left: true, failed: []string{`Thing "ote-thing" already exists`},
			run: func(ctx context.Context, t *T) {
				t.Create(ctx, thing, func(context.Context) error {
					return apierrors.NewForbidden(things.GroupResource(), thing.Name, errors.New("quota"))
				})
			},
		},
		"removal in the run waits as long as a state": {
			server: server{takes: limits.Timeout + time.Second}, run: makes(func(ctx context.Context, t *T) { t.Remove(ctx, thing) }),
			failed: []string{`Thing "ote-thing" still exists: it was deleted, and waits for its finalizers ["example.com/slow"] (waited for up to 15s`},
		},
		"a removal that does not end is told beside what failed": {
			server: server{takes: time.Hour}, run: makes(fails),
			failed: []string{"this", `Thing "ote-thing" still exists: it was deleted, and waits for its finalizers ["example.com/slow"] (waited for up to 5m0s`},
		},
		"a deletion that is refused is told": {
			server: server{refuses: 1e6}, run: makes(nothing), left: true,
			failed: []string{`Thing "ote-thing" may still exist: deleting it: Internal error occurred: etcd has no leader`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.server.start()
				if test.there {
					if err := test.server.Tracker().Add(newThing()); err != nil {
						t.Fatal(err)
					}
				}
				outcome := Spec{Run: test.run}.Try(t.Context(), &Cluster{Dynamic: &test.server}, limits)
				if len(outcome.Failures) != len(test.failed) {
					t.Errorf("it ended with %+v", outcome)
				}
				for i, failure := range outcome.Failures {
					if i < len(test.failed) && !strings.Contains(failure, test.failed[i]) {
						t.Errorf("failure %d does not say %q: %s", i, test.failed[i], failure)
					}
				}
				if has := test.server.has(t); has != test.left {
					t.Errorf("whether it is there: %t, want %t", has, test.left)
				}
			})
		})
	}
}

func TestOneCleanupDoesNotTakeTheTimeOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := Limits{Timeout: time.Second, Cleanup: time.Minute}
		var had []time.Duration
		outcome := Spec{Run: func(ctx context.Context, t *T) {
			for range 2 {
				t.Cleanup(func(ctx context.Context) {
					deadline, _ := ctx.Deadline()
					had = append(had, time.Until(deadline))
					t.Retry(ctx, func(context.Context) error { return errors.New("not yet") })
				})
			}
			<-ctx.Done()
		}}.Try(t.Context(), nil, limits)
		if diff := cmp.Diff([]time.Duration{time.Minute, time.Minute}, had); diff != "" {
			t.Errorf("the time that each had (-want +got):\n%s", diff)
		}
		if len(outcome.Failures) != 2 {
			t.Errorf("it ended with %+v", outcome)
		}
	})
}

func TestWhatAnObjectLeavesIsWaitedForAndNamed(t *testing.T) {
	many := slices.Repeat([]string{`Role "x"`}, maxNames+5)
	for name, test := range map[string]struct {
		leaves [][]string // one answer after the other, and the last one from then on
		want   string
	}{
		"nothing is left":             {[][]string{nil}, ""},
		"it goes a little later":      {[][]string{{`CustomResourceDefinition "a"`}, {`CustomResourceDefinition "a"`}, nil}, ""},
		"it stays":                    {[][]string{{`Namespace "n"`, `Deployment "n/d"`}}, `Thing "ote-thing" is deleted, but other objects remain: Namespace "n", Deployment "n/d"`},
		"more than can be read stays": {[][]string{many}, " and 5 more"},
		"listing the remains fails":   {nil, `Thing "ote-thing" is deleted, but other objects may remain: listing them: no connection`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var server server
				server.start()
				object, asked := thing, 0
				object.Remains = func(context.Context) ([]string, error) {
					if test.leaves == nil {
						return nil, errors.New("no connection")
					}
					asked++
					return slices.Clone(test.leaves[min(asked, len(test.leaves))-1]), nil
				}
				outcome := Spec{Run: func(ctx context.Context, t *T) {
					t.Create(ctx, object, func(context.Context) error { return server.Tracker().Add(newThing()) })
				}}.Try(t.Context(), &Cluster{Dynamic: &server}, Limits{Timeout: time.Second, Cleanup: time.Minute})
				if got := strings.Join(outcome.Failures, "\n"); (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
					t.Errorf("it failed with %q, want %q", got, test.want)
				}
			})
		})
	}
}
