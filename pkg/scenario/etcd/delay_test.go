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

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// delayed is a store with a delay by one minute for its watches that userContext begins, and the events of these watches.
type delayed struct {
	*testing.T
	*Store
	began time.Time
	// got are the delivered events, such as "10s created /x/a=1 over 2".
	got []string
}

type userKey struct{}

// userContext returns the context of a watch that the delay applies to.
func userContext(ctx context.Context) context.Context { return context.WithValue(ctx, userKey{}, true) }

func isUser(ctx context.Context) bool { return ctx.Value(userKey{}) != nil }

// inStore calls test in a bubble with an empty store.
func inStore(t *testing.T, test func(s *delayed)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &delayed{T: t, Store: New(), began: time.Now()}
		defer s.Close()
		test(s)
	})
}

// follow begins a watch of /x/ that appends its events to got, until stop is called.
func (s *delayed) follow(ctx context.Context, revision int64) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	responses := NewClient(ctx, s.Store).Watch(ctx, "/x/", clientv3.WithPrefix(), clientv3.WithRev(revision))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for response := range responses {
			s.receive(response)
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

func (s *delayed) receive(response clientv3.WatchResponse) {
	at := time.Since(s.began)
	if response.Err() != nil {
		s.got = append(s.got, fmt.Sprintf("%s %v", at, response.Err()))
	}
	if response.IsProgressNotify() {
		s.got = append(s.got, fmt.Sprintf("%s bookmark %d", at, response.Header.Revision))
	}
	for _, event := range response.Events {
		text := fmt.Sprintf("%s modified %s=%s", at, event.Kv.Key, event.Kv.Value)
		switch {
		case event.Type == clientv3.EventTypeDelete:
			text = fmt.Sprintf("%s deleted %s", at, event.Kv.Key)
		case event.IsCreate():
			text = fmt.Sprintf("%s created %s=%s", at, event.Kv.Key, event.Kv.Value)
		}
		if event.PrevKv != nil {
			text += " over " + string(event.PrevKv.Value)
		}
		s.got = append(s.got, text)
	}
}

// apply writes in the store, ten seconds after each other. A write is "<key>=<value>", or "-<key>" for a deletion. "remove" removes the delay.
func (s *delayed) apply(delay *DelayedEvent, writes ...string) {
	for _, write := range writes {
		key, value, isPut := strings.Cut(write, "=")
		switch {
		case isPut:
			s.Put(KeyValue{Key: "/x/" + key, Value: []byte(value)})
		case write == "remove":
			delay.Remove()
		default:
			s.mu.Lock()
			s.recordDeletion(s.at("/x/"+strings.TrimPrefix(write, "-"), s.revision))
			s.mu.Unlock()
		}
		time.Sleep(10 * time.Second)
	}
}

// ofA selects the events of key /x/a.
func ofA(event *clientv3.Event) bool { return string(event.Kv.Key) == "/x/a" }

func TestADelayedEvent(t *testing.T) {
	for name, c := range map[string]struct {
		existing []string // writes before the delay, which take no time
		nth      int
		merge    bool
		writes   []string
		want     []string
		merged   bool
	}{
		"is merged, creation and change":            {nil, 0, true, []string{"a=1", "a=2"}, []string{"10s created /x/a=2"}, true},
		"is merged, creation and deletion":          {nil, 0, true, []string{"a=1", "-a", "b=1"}, []string{"20s created /x/b=1"}, true},
		"is merged, two changes":                    {[]string{"a=1"}, 0, true, []string{"a=2", "a=3"}, []string{"10s modified /x/a=3 over 1"}, true},
		"is merged, change and deletion":            {[]string{"a=1"}, 0, true, []string{"a=2", "-a"}, []string{"10s deleted /x/a over 1"}, true},
		"is merged, deletion and creation":          {[]string{"a=1"}, 0, true, []string{"-a", "a=2"}, []string{"10s modified /x/a=2 over 1"}, true},
		"is merged with one event only":             {[]string{"a=1"}, 0, true, []string{"a=2", "a=3", "a=4"}, []string{"10s modified /x/a=3 over 1", "20s modified /x/a=4 over 3"}, true},
		"is merged, and other keys go on meanwhile": {nil, 0, true, []string{"a=1", "b=1", "a=2"}, []string{"10s created /x/b=1", "20s created /x/a=2"}, true},
		"is the second one":                         {nil, 2, true, []string{"a=1", "a=2", "a=3"}, []string{"0s created /x/a=1", "20s modified /x/a=3 over 1"}, true},
		"is late without another one of its key":    {nil, 0, true, []string{"a=1"}, []string{"1m0s created /x/a=1"}, false},
		"is late, and the watch then continues after events that it overtook": {
			nil, 0, true, []string{"a=1", "b=1"},
			[]string{"10s created /x/b=1", "1m0s created /x/a=1", "1m0s bookmark 3"}, false,
		},
		"comes when the delay is removed":          {nil, 0, true, []string{"a=1", "remove", "a=2"}, []string{"10s created /x/a=1", "20s modified /x/a=2 over 1"}, false},
		"that waits makes all later events wait":   {nil, 0, false, []string{"b=1", "a=1", "b=2"}, []string{"0s created /x/b=1", "1m10s created /x/a=1", "1m10s modified /x/b=2 over 1"}, false},
		"that waits comes if the delay is removed": {nil, 0, false, []string{"a=1", "a=2", "remove"}, []string{"20s created /x/a=1", "20s modified /x/a=2 over 1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			inStore(t, func(s *delayed) {
				for _, write := range c.existing {
					s.Put(KeyValue{Key: "/x/" + write[:1], Value: []byte(write[2:])})
				}
				stop := s.follow(userContext(s.Context()), 0)
				delay := s.Delay(Delay{Watches: isUser, Match: ofA, Nth: c.nth, By: time.Minute, Merge: c.merge})
				s.apply(delay, c.writes...)
				time.Sleep(2 * time.Minute)
				stop()
				equal(t, "delivered", s.got, c.want...)
				if !delay.Applied() || delay.Merged() != c.merged {
					t.Errorf("applied %t, merged %t, want %t", delay.Applied(), delay.Merged(), c.merged)
				}
			})
		})
	}
}

func TestADelayIsForItsWatchesOnly(t *testing.T) {
	inStore(t, func(s *delayed) {
		stop := s.follow(s.Context(), 0)
		delay := s.Delay(Delay{Watches: isUser, Match: ofA, By: time.Minute})
		s.apply(delay, "a=1", "b=1")
		stop()
		equal(t, "delivered to another watch", s.got, "0s created /x/a=1", "10s created /x/b=1")
		if delay.Applied() {
			t.Error("the delay applied, although none of its watches is open")
		}
	})
}

func TestEventsAreDelayedTwice(t *testing.T) {
	inStore(t, func(s *delayed) {
		stop := s.follow(userContext(s.Context()), 0)
		for _, nth := range []int{1, 2} {
			s.Delay(Delay{Watches: isUser, Match: ofA, Nth: nth, By: time.Minute, Merge: true})
		}
		s.apply(nil, "a=1", "a=2", "a=3")
		stop()
		equal(t, "the first event is merged with the second, and both with the third", s.got, "20s created /x/a=3")
	})
}

func TestAWatchThatContinuesAnother(t *testing.T) {
	for name, c := range map[string]struct {
		merge  bool
		before []string // writes while the first watch is open
		resume int64    // the revision of the last event that the client knows
		after  []string // writes after the second watch has begun
		want   []string
	}{
		"waits for the rest of the delay":            {false, []string{"a=1"}, 1, []string{"b=1"}, []string{"1m0s created /x/a=1", "1m0s created /x/b=1"}},
		"merges the event if it begins before it":    {true, []string{"a=1"}, 1, []string{"a=2"}, []string{"10s created /x/a=2"}},
		"is refused if it would miss the event":      {true, []string{"a=1", "b=1"}, 3, nil, []string{"10s created /x/b=1", "20s " + rpctypes.ErrCompacted.Error()}},
		"goes on if the client has listed meanwhile": {true, []string{"a=1", "b=1", "b=2"}, 5, []string{"b=4"}, []string{"10s created /x/b=1", "20s modified /x/b=2 over 1", "40s modified /x/b=4 over 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			inStore(t, func(s *delayed) {
				stop := s.follow(userContext(s.Context()), 0)
				s.Delay(Delay{Watches: isUser, Match: ofA, By: time.Minute, Merge: c.merge})
				s.apply(nil, c.before...)
				stop()
				for s.Revision() < c.resume {
					s.apply(nil, "b=3")
				}
				stop = s.follow(userContext(s.Context()), c.resume+1)
				s.apply(nil, c.after...)
				time.Sleep(2 * time.Minute)
				stop()
				equal(t, "delivered", s.got, c.want...)
			})
		})
	}
}

func TestAWatchThatContinuesAnotherAtOnceMissesNoEvent(t *testing.T) {
	inStore(t, func(s *delayed) {
		first, cancel := context.WithCancel(userContext(s.Context()))
		defer s.follow(first, 0)()
		s.Delay(Delay{Watches: isUser, Match: ofA, By: time.Minute, Merge: true})
		s.apply(nil, "a=1", "b=1")
		cancel() // the goroutine of the watch ends later
		second, cancel := context.WithTimeout(userContext(s.Context()), time.Hour)
		defer cancel()
		resumed := <-NewClient(second, s.Store).Watch(second, "/x/", clientv3.WithPrefix(), clientv3.WithRev(4))
		if !errors.Is(resumed.Err(), rpctypes.ErrCompacted) {
			t.Errorf("the second watch delivers %v, %v, want %v", resumed.Events, resumed.Err(), rpctypes.ErrCompacted)
		}
	})
}

func TestReplaceIsARestoredBackup(t *testing.T) {
	inStore(t, func(s *delayed) {
		kept := put(s.T, s.Store, "/x/kept", "1", 0)
		deleted := put(s.T, s.Store, "/x/deleted", "1", 0)
		snapshot := s.Snapshot()
		changed := put(s.T, s.Store, "/x/kept", "2", kept)
		remove(s.T, s.Store, "/x/deleted", deleted)
		last := put(s.T, s.Store, "/x/later", "1", 0)
		defer s.follow(s.Context(), 0)()
		s.Replace(snapshot)
		synctest.Wait()
		equal(t, "the open watch", s.got, "0s "+rpctypes.ErrCompacted.Error())
		equal(t, "the keys", list(s.T, s.Store, "/x/", 0), "/x/deleted=1", "/x/kept=1")
		if s.Revision() < last+bump {
			t.Errorf("the revision is %d, before it was %d", s.Revision(), last)
		}
		if _, _, written, err := s.put("/x/kept", nil, changed, 0); written || err != nil {
			t.Errorf("overwriting a version that is gone: written %t, %v", written, err)
		}
		put(s.T, s.Store, "/x/kept", "3", kept)
		for _, revision := range []int64{kept, last, last + 1} {
			if _, _, _, err := s.list("/x/", "", revision, 0); !errors.Is(err, rpctypes.ErrCompacted) {
				t.Errorf("a list at revision %d: %v", revision, err)
			}
			if _, err := s.Events(revision); !errors.Is(err, rpctypes.ErrCompacted) {
				t.Errorf("the events after revision %d: %v", revision, err)
			}
		}
	})
}

func TestReplaceRestoresLeases(t *testing.T) {
	inStore(t, func(s *delayed) {
		first := s.grant(time.Minute)
		_, _, _, err := s.put("/x/expires", nil, 0, first)
		if err != nil {
			t.Fatal(err)
		}
		snapshot := s.Snapshot()
		later := s.grant(time.Hour)
		time.Sleep(30 * time.Second)
		s.Replace(snapshot)
		if next := s.grant(time.Hour); next == first || next == later {
			t.Errorf("a new lease has the ID %d of an earlier one", next)
		}
		time.Sleep(29 * time.Second)
		equal(t, "before the lease expires", list(s.T, s.Store, "/x/", 0), "/x/expires=")
		time.Sleep(2 * time.Second)
		equal(t, "after that", list(s.T, s.Store, "/x/", 0))
	})
}

func TestEventsAreTheWritesAfterARevision(t *testing.T) {
	store := New()
	a := put(t, store, "/a", "1", 0)
	b := put(t, store, "/b", "1", 0)
	c := remove(t, store, "/a", a)
	for _, test := range []struct {
		after int64
		want  []int64
		err   error
	}{
		{1, []int64{a, b, c}, nil},
		{a, []int64{b, c}, nil},
		{c, nil, nil},
		{c + 1, nil, rpctypes.ErrFutureRev},
	} {
		events, err := store.Events(test.after)
		var got []int64
		for _, event := range events {
			got = append(got, event.Kv.ModRevision)
		}
		if !slices.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("after %d: %v, %v; want %v, %v", test.after, got, err, test.want, test.err)
		}
	}
	if err := store.Compact(b); err != nil {
		t.Fatal(err)
	}
	if events, err := store.Events(a); err != nil || len(events) != 2 {
		t.Errorf("the last revision before the compacted one: %v, %v", events, err)
	}
	if _, err := store.Events(a - 1); !errors.Is(err, rpctypes.ErrCompacted) {
		t.Errorf("an earlier one: %v", err)
	}
}
