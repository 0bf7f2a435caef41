package etcd

import (
	"maps"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
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

// At returns a copy of the snapshot that omits the writes after a revision. It returns ErrCompacted if the history does not contain the
// state at the revision, and ErrFutureRev if the revision is later than that of the snapshot.
func (s *Snapshot) At(revision int64) (*Snapshot, error) {
	switch {
	case revision < s.compacted:
		return nil, rpctypes.ErrCompacted
	case revision > s.revision:
		return nil, rpctypes.ErrFutureRev
	}
	earlier := &Snapshot{
		Time: s.Time, revision: revision, compacted: s.compacted, leases: s.leases, histories: make(map[string][]version, len(s.histories)),
	}
	for _, key := range s.keys {
		history := s.histories[key]
		n := 0
		for n < len(history) && history[n].ModRevision <= revision {
			n++
		}
		if n > 0 {
			earlier.keys = append(earlier.keys, key)
			earlier.histories[key] = history[:n:n]
		}
	}
	n := 0
	for n < len(s.events) && s.events[n].Kv.ModRevision <= revision {
		n++
	}
	earlier.events = s.events[:n:n]
	return earlier, nil
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
