package etcd

import (
	"maps"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Snapshot is the data of a Store at one moment. It never changes, and may be used in any bubble.
type Snapshot struct {
	// Time is when it was taken. No object in it was written later.
	Time time.Time

	revision, compacted int64
	keys                []string
	histories           map[string][]version
	events              []*clientv3.Event
	leases              map[clientv3.LeaseID]time.Time
}

// Snapshot returns the store's data, with its history.
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

// Revision is the number of the last write in it.
func (s *Snapshot) Revision() int64 { return s.revision }

// Restore returns a new store with the data of the snapshot, and without watches. Leases expire at the time that they were granted for.
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
