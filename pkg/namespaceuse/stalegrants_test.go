package namespaceuse

import (
	"context"
	"testing"
	"testing/synctest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/background"
)

// fakeGrants is a ListerWatcher for ClusterRole RoleName. Lists return listed, and watches deliver events.
type fakeGrants struct {
	listed []metav1.PartialObjectMetadata
	events *watch.FakeWatcher
}

func (f *fakeGrants) List(metav1.ListOptions) (runtime.Object, error) {
	return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: f.listed}, nil
}

func (f *fakeGrants) Watch(metav1.ListOptions) (watch.Interface, error) { return f.events, nil }

// IsWatchListSemanticsUnSupported makes informers send a list instead of a watch with sendInitialEvents.
func (*fakeGrants) IsWatchListSemanticsUnSupported() bool { return true }

func TestAGrantThatNoCheckHoldsIsRevoked(t *testing.T) {
	grant := metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: RoleName, ResourceVersion: "1"}}
	changed := grant.DeepCopy()
	changed.ResourceVersion = "2"
	for name, test := range map[string]struct {
		listed []metav1.PartialObjectMetadata
		held   bool
		events func(*watch.FakeWatcher)
		want   bool // whether the events cause another revoke
	}{
		"no grant exists":               {events: func(*watch.FakeWatcher) {}},
		"an earlier process left it":    {listed: []metav1.PartialObjectMetadata{grant}, events: func(*watch.FakeWatcher) {}},
		"a restored backup contains it": {events: func(events *watch.FakeWatcher) { events.Add(&grant) }, want: true},
		"it changes after it was found": {listed: []metav1.PartialObjectMetadata{grant}, events: func(events *watch.FakeWatcher) { events.Modify(changed) }, want: true},
		"a check holds it":              {held: true, events: func(events *watch.FakeWatcher) { events.Add(&grant) }},
		"it is deleted":                 {listed: []metav1.PartialObjectMetadata{grant}, events: func(events *watch.FakeWatcher) { events.Delete(&grant) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on := &fakeCluster{granted: []schema.GroupVersionResource{memos}}
				source := &fakeGrants{test.listed, watch.NewFake()}
				checker := newChecker(t.Context(), on, source, Config{Clock: clock.RealClock{}, Answered: func(string) {}, Tasks: &background.Tasks{}})
				checker.holdsGrant.Store(test.held)
				ctx, end := context.WithCancel(t.Context())
				done := make(chan struct{})
				go func() { defer close(done); checker.RevokeStaleGrants(ctx) }()
				synctest.Wait()
				if isRevoked := len(on.granted) == 0; isRevoked == test.held {
					t.Errorf("the grant is revoked at the start: %t", isRevoked)
				}
				before := on.revokes
				test.events(source.events)
				synctest.Wait()
				end()
				<-done
				if got := on.revokes > before; got != test.want {
					t.Errorf("the events cause another revoke: %t", got)
				}
			})
		})
	}
}
