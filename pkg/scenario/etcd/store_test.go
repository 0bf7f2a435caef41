package etcd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
)

// put writes a key that must have the expected revision, and returns its new revision.
func put(t *testing.T, store *Store, key, value string, expected int64) int64 {
	t.Helper()
	response, err := NewClient(t.Context(), store).Kubernetes.OptimisticPut(t.Context(), key, []byte(value), expected, kubernetes.PutOptions{})
	if err != nil || !response.Succeeded {
		t.Fatalf("putting %q over revision %d: written %t, %v", key, expected, response.Succeeded, err)
	}
	return response.Revision
}

func remove(t *testing.T, store *Store, key string, expected int64) int64 {
	t.Helper()
	response, err := NewClient(t.Context(), store).Kubernetes.OptimisticDelete(t.Context(), key, expected, kubernetes.DeleteOptions{})
	if err != nil || !response.Succeeded {
		t.Fatalf("deleting %q of revision %d: deleted %t, %v", key, expected, response.Succeeded, err)
	}
	return response.Revision
}

// list returns the keys with a prefix at a revision, as "key=value".
func list(t *testing.T, store *Store, prefix string, revision int64) []string {
	t.Helper()
	response, err := NewClient(t.Context(), store).Kubernetes.List(t.Context(), prefix, kubernetes.ListOptions{Revision: revision})
	if err != nil {
		t.Fatalf("listing %q at %d: %v", prefix, revision, err)
	}
	return pairs(response.Kvs)
}

func pairs(kvs []*mvccpb.KeyValue) (all []string) {
	for _, kv := range kvs {
		all = append(all, fmt.Sprintf("%s=%s", kv.Key, kv.Value))
	}
	return all
}

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func TestAWriteNeedsTheRevisionThatWasRead(t *testing.T) {
	store := New()
	client := NewClient(t.Context(), store).Kubernetes
	first := put(t, store, "/a", "1", 0)
	if first != 2 {
		t.Errorf("the first write has revision %d, want 2 as in etcd", first)
	}
	again, err := client.OptimisticPut(t.Context(), "/a", []byte("2"), 0, kubernetes.PutOptions{GetOnFailure: true})
	if err != nil || again.Succeeded || string(again.KV.Value) != "1" {
		t.Errorf("creating a key that is there: %+v, %v", again, err)
	}
	second := put(t, store, "/a", "2", first)
	stale, err := client.OptimisticDelete(t.Context(), "/a", first, kubernetes.DeleteOptions{GetOnFailure: true})
	if err != nil || stale.Succeeded || stale.KV.ModRevision != second || stale.KV.CreateRevision != first || stale.KV.Version != 2 {
		t.Errorf("deleting what has changed: %+v, %v", stale, err)
	}
	remove(t, store, "/a", second)
	read, err := client.Get(t.Context(), "/a", kubernetes.GetOptions{})
	if err != nil || read.KV != nil || read.Revision != second+1 {
		t.Errorf("reading what was deleted: %+v, %v", read, err)
	}
	created := put(t, store, "/a", "3", 0)
	if read, err := client.Get(t.Context(), "/a", kubernetes.GetOptions{}); err != nil || read.KV.CreateRevision != created || read.KV.Version != 1 {
		t.Errorf("reading what was created again: %+v, %v", read, err)
	}
}

func TestAListSeesOneRevision(t *testing.T) {
	store := New()
	client := NewClient(t.Context(), store).Kubernetes
	a := put(t, store, "/x/a", "1", 0)
	b := put(t, store, "/x/b", "1", 0)
	put(t, store, "/y", "1", 0)
	put(t, store, "/x/a", "2", a)
	remove(t, store, "/x/b", b)
	put(t, store, "/x/c", "1", 0)
	equal(t, "now", list(t, store, "/x/", 0), "/x/a=2", "/x/c=1")
	equal(t, "before the deletion", list(t, store, "/x/", b), "/x/a=1", "/x/b=1")
	equal(t, "at first", list(t, store, "/x/", a), "/x/a=1")

	page, err := client.List(t.Context(), "/x/", kubernetes.ListOptions{Limit: 1, Revision: b})
	if err != nil || page.Count != 2 {
		t.Errorf("a page of one: %d in all, %v", page.Count, err)
	}
	equal(t, "the first page", pairs(page.Kvs), "/x/a=1")
	page, err = client.List(t.Context(), "/x/", kubernetes.ListOptions{Limit: 1, Revision: b, Continue: "/x/a\x00"})
	if err != nil {
		t.Error(err)
	}
	equal(t, "the second page", pairs(page.Kvs), "/x/b=1")
	if count, err := client.Count(t.Context(), "/x/", kubernetes.CountOptions{}); err != nil || count != 2 {
		t.Errorf("counted %d, %v", count, err)
	}
	if _, err := client.List(t.Context(), "/x/", kubernetes.ListOptions{Revision: 100}); !errors.Is(err, rpctypes.ErrFutureRev) {
		t.Errorf("a list of the future: %v", err)
	}
}

func TestCompactionDropsOldVersions(t *testing.T) {
	store := New()
	client := NewClient(t.Context(), store).Kubernetes
	a := put(t, store, "/a", "1", 0)
	b := put(t, store, "/b", "1", 0)
	a = put(t, store, "/a", "2", a)
	gone := remove(t, store, "/b", b)
	if err := store.Compact(a); err != nil {
		t.Fatal(err)
	}
	equal(t, "at the compacted revision", list(t, store, "/", a), "/a=2", "/b=1")
	if _, err := client.List(t.Context(), "/", kubernetes.ListOptions{Revision: a - 1}); !errors.Is(err, rpctypes.ErrCompacted) {
		t.Errorf("a list from before: %v", err)
	}
	if err := store.Compact(gone); err != nil {
		t.Fatal(err)
	}
	equal(t, "after the deletion was compacted", list(t, store, "/", 0), "/a=2")
	if err := store.Compact(gone); !errors.Is(err, rpctypes.ErrCompacted) {
		t.Errorf("compacting twice: %v", err)
	}
	if err := store.Compact(gone + 1); !errors.Is(err, rpctypes.ErrFutureRev) {
		t.Errorf("compacting the future: %v", err)
	}
	refused := <-NewClient(t.Context(), store).Watch(t.Context(), "/a", clientv3.WithRev(a))
	if !errors.Is(refused.Err(), rpctypes.ErrCompacted) {
		t.Errorf("a watch from a compacted revision returned %v", refused.Err())
	}
}

func TestAWatchGetsEveryWriteInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := New()
		ctx, stop := context.WithCancel(t.Context())
		a := put(t, store, "/x/a", "1", 0)
		events := NewClient(ctx, store).Watch(ctx, "/x/", clientv3.WithPrefix(), clientv3.WithRev(a))
		fromNow := NewClient(ctx, store).Watch(ctx, "/x/", clientv3.WithPrefix())
		synctest.Wait()
		put(t, store, "/y", "1", 0)
		a = put(t, store, "/x/a", "2", a)
		remove(t, store, "/x/a", a)
		equal(t, "from the first write", collect(events, 3), "PUT 2 1", "PUT 4 2 over 1", "DELETE 5  over 2")
		equal(t, "from now on", collect(fromNow, 2), "PUT 4 2 over 1", "DELETE 5  over 2")
		stop()
		for range events {
			t.Error("got an event after the context ended")
		}
	})
}

// collect waits for the next count events of a watch, and returns each in the form of describe.
func collect(events clientv3.WatchChan, count int) (got []string) {
	for len(got) < count {
		for _, event := range (<-events).Events {
			got = append(got, describe(event))
		}
	}
	return got
}

// describe returns an event as type, revision, value and previous value.
func describe(event *clientv3.Event) string {
	text := fmt.Sprintf("%s %d %s", event.Type, event.Kv.ModRevision, event.Kv.Value)
	if event.PrevKv != nil {
		text += " over " + string(event.PrevKv.Value)
	}
	return text
}

func TestALeaseDeletesItsKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := New()
		client := NewClient(t.Context(), store)
		lease, err := client.Lease.Grant(t.Context(), 60)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"/e/a", "/e/b"} {
			if _, err := client.Kubernetes.OptimisticPut(t.Context(), key, nil, 0, kubernetes.PutOptions{LeaseID: lease.ID}); err != nil {
				t.Fatal(err)
			}
		}
		put(t, store, "/e/c", "", 0)
		kept := store.Snapshot()
		time.Sleep(59 * time.Second)
		equal(t, "before the lease expires", list(t, store, "/e/", 0), "/e/a=", "/e/b=", "/e/c=")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		equal(t, "after that", list(t, store, "/e/", 0), "/e/c=")
		restored := Restore(kept)
		synctest.Wait()
		equal(t, "restored after that", list(t, restored, "/e/", 0), "/e/c=")
		if _, err := client.Kubernetes.OptimisticPut(t.Context(), "/e/d", nil, 0, kubernetes.PutOptions{LeaseID: 7}); !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			t.Errorf("a key with a lease that does not exist: %v", err)
		}
		restored.Close()
		store.Close()
	})
}

func TestASnapshotNeverChanges(t *testing.T) {
	store := New()
	a := put(t, store, "/a", "1", 0)
	put(t, store, "/b", "1", 0)
	snapshot := store.Snapshot()
	forks := []*Store{Restore(snapshot), Restore(snapshot)}
	put(t, forks[0], "/a", "fork 0", a)
	remove(t, forks[1], "/a", a)
	put(t, store, "/a", "the first", a)
	equal(t, "the store", list(t, store, "/", 0), "/a=the first", "/b=1")
	equal(t, "fork 0", list(t, forks[0], "/", 0), "/a=fork 0", "/b=1")
	equal(t, "fork 1", list(t, forks[1], "/", 0), "/b=1")
	equal(t, "a later one", list(t, Restore(snapshot), "/", 0), "/a=1", "/b=1")
	for _, each := range append(forks, store) {
		if err := each.Compact(each.Revision()); err != nil {
			t.Fatal(err)
		}
	}
	later := Restore(snapshot)
	equal(t, "one that starts after the others were compacted", list(t, later, "/", a), "/a=1")
	equal(t, "its watch from before", collect(NewClient(t.Context(), later).Watch(t.Context(), "/", clientv3.WithPrefix(), clientv3.WithRev(a)), 2), "PUT 2 1", "PUT 3 1")
}

func TestAForkHasTheHistoryOfItsSnapshot(t *testing.T) {
	store := New()
	a := put(t, store, "/a", "1", 0)
	put(t, store, "/b", "1", 0)
	fork := Restore(store.Snapshot())
	put(t, fork, "/a", "fork", a)
	equal(t, "the fork at an earlier revision", list(t, fork, "/", a), "/a=1")
	events := NewClient(t.Context(), fork).Watch(t.Context(), "/a", clientv3.WithRev(a))
	if got := strings.Join(collect(events, 2), ", "); got != "PUT 2 1, PUT 4 fork over 1" {
		t.Errorf("a fork's watch from before: %s", got)
	}
}
