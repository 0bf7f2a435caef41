package etcd

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
)

// lastWrite is the revision of the last write of storeWithHistory.
const lastWrite = 6

// storeWithHistory returns a store with one write at each of the revisions 2 to lastWrite.
func storeWithHistory(t *testing.T) *Store {
	t.Helper()
	store := New()
	put(t, store, "/a", "1", 0)
	put(t, store, "/b", "1", 0)
	put(t, store, "/a", "2", 2)
	remove(t, store, "/b", 3)
	put(t, store, "/c", "1", 0)
	return store
}

// allEvents are the events of a watch of storeWithHistory from its first write.
var allEvents = []string{"PUT 2 1", "PUT 3 1", "PUT 4 2 over 1", "DELETE 5  over 1", "PUT 6 1"}

// earlier returns the snapshot at a revision.
func earlier(t *testing.T, snapshot *Snapshot, revision int64) *Snapshot {
	t.Helper()
	at, err := snapshot.At(revision)
	if err != nil {
		t.Fatalf("the snapshot of revision %d at %d: %v", snapshot.Revision(), revision, err)
	}
	return at
}

// eventsAfter returns the writes of a store after a revision, in the form of collect.
func eventsAfter(t *testing.T, store *Store, revision int64) (all []string) {
	t.Helper()
	events, err := store.Events(revision)
	if err != nil {
		t.Fatalf("the events after %d: %v", revision, err)
	}
	for _, event := range events {
		all = append(all, describe(event))
	}
	return all
}

func TestASnapshotAtARevisionHasTheStateAndTheHistoryOfThatRevision(t *testing.T) {
	for name, test := range map[string]struct {
		revision int64
		state    []string
	}{
		"before the first write": {1, nil},
		"after a creation":       {2, []string{"/a=1"}},
		"before an update":       {3, []string{"/a=1", "/b=1"}},
		"before a deletion":      {4, []string{"/a=2", "/b=1"}},
		"after a deletion":       {5, []string{"/a=2"}},
		"at its own revision":    {lastWrite, []string{"/a=2", "/c=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				snapshot := storeWithHistory(t).Snapshot()
				at := earlier(t, snapshot, test.revision)
				if at.Revision() != test.revision || !at.Time.Equal(snapshot.Time) {
					t.Errorf("its revision is %d and its time %s", at.Revision(), at.Time)
				}
				store := Restore(at)
				equal(t, "the state", list(t, store, "/", 0), test.state...)
				want := allEvents[:test.revision-1]
				equal(t, "the events", eventsAfter(t, store, 1), want...)
				watched := NewClient(t.Context(), store).Watch(t.Context(), "/", clientv3.WithPrefix(), clientv3.WithRev(2))
				equal(t, "a watch from the first write", collect(watched, len(want)), want...)

				next := put(t, store, "/d", "new", 0)
				if next != test.revision+1 {
					t.Errorf("the next write has revision %d, want %d", next, test.revision+1)
				}
				equal(t, "the watch goes on", collect(watched, 1), fmt.Sprintf("PUT %d new", next))
			})
		})
	}
}

func TestASnapshotAtARevisionCanBeReadAtEarlierRevisions(t *testing.T) {
	store := Restore(earlier(t, storeWithHistory(t).Snapshot(), 5))
	equal(t, "before the deletion", list(t, store, "/", 4), "/a=2", "/b=1")
	equal(t, "at first", list(t, store, "/", 2), "/a=1")
	if _, err := NewClient(t.Context(), store).Kubernetes.List(t.Context(), "/", kubernetes.ListOptions{Revision: 6}); !errors.Is(err, rpctypes.ErrFutureRev) {
		t.Errorf("a list at a revision that the store does not have: %v", err)
	}
	even := Restore(earlier(t, earlier(t, storeWithHistory(t).Snapshot(), 5), 3))
	equal(t, "an earlier one of an earlier one", list(t, even, "/", 0), "/a=1", "/b=1")
}

func TestASnapshotExistsOnlyAtTheRevisionsOfItsHistory(t *testing.T) {
	store := storeWithHistory(t)
	uncompacted := store.Snapshot()
	if err := store.Compact(4); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		snapshot *Snapshot
		revision int64
		want     error
		state    []string
	}{
		"compacted":                                {store.Snapshot(), 3, rpctypes.ErrCompacted, nil},
		"the compacted revision itself":            {store.Snapshot(), 4, nil, []string{"/a=2", "/b=1"}},
		"after the compacted revision":             {store.Snapshot(), 5, nil, []string{"/a=2"}},
		"its own revision":                         {store.Snapshot(), lastWrite, nil, []string{"/a=2", "/c=1"}},
		"the future":                               {store.Snapshot(), lastWrite + 1, rpctypes.ErrFutureRev, nil},
		"taken before the compaction":              {uncompacted, 3, nil, []string{"/a=1", "/b=1"}},
		"before the first revision of every store": {uncompacted, 0, rpctypes.ErrCompacted, nil},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := test.snapshot.At(test.revision)
			if !errors.Is(err, test.want) || (err == nil) != (test.want == nil) {
				t.Fatalf("got %v, want %v", err, test.want)
			}
			if err == nil {
				equal(t, "the state", list(t, Restore(at), "/", 0), test.state...)
			}
		})
	}
	kept := Restore(earlier(t, store.Snapshot(), 5))
	if _, err := kept.Events(2); !errors.Is(err, rpctypes.ErrCompacted) {
		t.Errorf("events that were compacted before the snapshot: %v", err)
	}
	equal(t, "the events since the compaction", eventsAfter(t, kept, 3), "PUT 4 2 over 1", "DELETE 5  over 1")
}

// Stores that are restored from snapshots at revisions share the versions of keys. A write to one must not overwrite the later versions of
// another.
func TestWritesAfterAnEarlierSnapshotDoNotChangeTheOriginal(t *testing.T) {
	original := storeWithHistory(t)
	snapshot := original.Snapshot()
	at := earlier(t, snapshot, 3)
	for _, each := range []string{"one", "two"} {
		branch := Restore(at)
		updated := put(t, branch, "/a", each, 2)
		remove(t, branch, "/b", 3)
		put(t, branch, "/c", each, 0)
		equal(t, "the branch "+each, list(t, branch, "/", 0), "/a="+each, "/c="+each)
		equal(t, "the branch "+each+" before its deletion", list(t, branch, "/", updated), "/a="+each, "/b=1")
		if err := branch.Compact(branch.Revision()); err != nil {
			t.Fatal(err)
		}
	}
	for name, store := range map[string]*Store{"the original": original, "a store restored from the original": Restore(snapshot)} {
		equal(t, name, list(t, store, "/", 0), "/a=2", "/c=1")
		equal(t, name+" at an earlier revision", list(t, store, "/", 4), "/a=2", "/b=1")
		equal(t, name+", its events", eventsAfter(t, store, 1), allEvents...)
	}
	equal(t, "the earlier snapshot", list(t, Restore(at), "/", 0), "/a=1", "/b=1")
}

func TestALeaseOfAnEarlierSnapshotExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := New()
		defer store.Close()
		client := NewClient(t.Context(), store)
		lease, err := client.Lease.Grant(t.Context(), 60)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Kubernetes.OptimisticPut(t.Context(), "/e", nil, 0, kubernetes.PutOptions{LeaseID: lease.ID}); err != nil {
			t.Fatal(err)
		}
		put(t, store, "/later", "", 0)
		restored := Restore(earlier(t, store.Snapshot(), 2))
		defer restored.Close()
		time.Sleep(59 * time.Second)
		equal(t, "before the lease expires", list(t, restored, "/", 0), "/e=")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		equal(t, "after that", list(t, restored, "/", 0))
	})
}
