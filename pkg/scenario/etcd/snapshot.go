package etcd

import (
	"maps"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Snapshot is an immutable copy of a Store's data. It may be used concurrently, and in any bubble.
type Snapshot struct {
	// Time is the time at which the snapshot was taken.
	Time time.Time

	revision, compacted int64
	keys                []string
	histories           map[string][]version
	events              []*clientv3.Event
	leases              map[clientv3.LeaseID]time.Time
}

// Snapshot returns a copy of the store's data and history.
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

// Revision returns the revision of the last write before the snapshot.
func (s *Snapshot) Revision() int64 { return s.revision }

// Restore returns a new store with the snapshot's data and history, and without watches. Leases keep their original expiry times.
func Restore(snapshot *Snapshot) *Store {
	s := New()
	s.revision, s.compacted = snapshot.revision, snapshot.compacted
	s.keys, s.histories, s.events = slices.Clone(snapshot.keys), shareHistories(snapshot.histories), slices.Clip(snapshot.events)
	s.mu.Lock() // blocks the timers of leases that have already expired
	defer s.mu.Unlock()
	for id, expires := range snapshot.leases {
		s.addLease(id, expires)
	}
	return s
}

// shareHistories returns a copy of the map. It clips the slices in the copy, so that an append to one of them allocates a new array.
func shareHistories(histories map[string][]version) map[string][]version {
	shared := maps.Clone(histories)
	for key, history := range shared {
		shared[key] = slices.Clip(history)
	}
	return shared
}
