package etcd

import (
	"maps"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Snapshot is what a Store held at one moment. It never changes, and belongs to no bubble.
type Snapshot struct {
	// Time is when it was taken. Objects in it carry times before that.
	Time time.Time

	revision, compacted int64
	keys                []string
	histories           map[string][]version
	events              []*clientv3.Event
	leases              map[clientv3.LeaseID]time.Time
}

// Snapshot returns what the store holds now, with its history.
func (s *Store) Snapshot() *Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	leases := make(map[clientv3.LeaseID]time.Time, len(s.leases))
	for id, lease := range s.leases {
		leases[id] = lease.expires
	}
	return &Snapshot{
		Time: time.Now(), revision: s.revision, compacted: s.compacted, leases: leases,
		keys: slices.Clone(s.keys), histories: shareHistories(s.histories), events: slices.Clip(s.events),
	}
}

// Restore returns a new store with what the snapshot holds, and without watches. Leases expire at the time that they were granted for.
func Restore(snapshot *Snapshot) *Store {
	s := New()
	s.revision, s.compacted = snapshot.revision, snapshot.compacted
	s.keys, s.histories, s.events = slices.Clone(snapshot.keys), shareHistories(snapshot.histories), slices.Clip(snapshot.events)
	s.mu.Lock() // a lease that has expired already waits for it
	defer s.mu.Unlock()
	for id, expires := range snapshot.leases {
		s.addLease(id, expires)
	}
	return s
}

// shareHistories copies the map. The slices are clipped, so that both sides append to an array of their own.
func shareHistories(histories map[string][]version) map[string][]version {
	shared := maps.Clone(histories)
	for key, history := range shared {
		shared[key] = slices.Clip(history)
	}
	return shared
}

// Close ends what the store would do later. Watches end with their contexts.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, lease := range s.leases {
		lease.timer.Stop()
	}
}
