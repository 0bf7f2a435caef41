package etcd

import (
	"slices"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Store is a key-value store that keeps the versions of each key. Its methods may be called concurrently. Callers must not modify returned
// values.
type Store struct {
	mu sync.Mutex
	// revision is the revision of the last write. compacted is the lowest revision that can be read.
	revision, compacted int64
	// keys are the sorted keys of histories.
	keys      []string
	histories map[string][]version
	// events holds all writes since the compacted revision, in the order of their revisions.
	events  []*clientv3.Event
	watches map[*watch]struct{}
	leases  map[clientv3.LeaseID]*lease
	delays  []*DelayedEvent
}

// version is one version of a key: a value or a deletion.
type version struct {
	*mvccpb.KeyValue
	deleted bool
}

// New returns an empty store. Its first write has revision 2, as in etcd.
func New() *Store {
	return &Store{
		revision: 1, compacted: 1,
		histories: map[string][]version{}, watches: map[*watch]struct{}{}, leases: map[clientv3.LeaseID]*lease{},
	}
}

// Close stops the timers of leases and of delayed events. It does not end watches; a watch ends when its context ends.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, lease := range s.leases {
		lease.timer.Stop()
	}
	for _, d := range s.delays {
		if d.timer != nil {
			d.timer.Stop()
		}
	}
}

// Revision returns the revision of the last write.
func (s *Store) Revision() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

// Compacted returns the lowest revision that can be read.
func (s *Store) Compacted() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.compacted
}

// Events returns the writes after a revision, in order. It returns ErrCompacted if the history no longer contains all of them, and
// ErrFutureRev if the revision is in the future.
func (s *Store) Events(after int64) ([]*clientv3.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after > s.revision {
		return nil, rpctypes.ErrFutureRev
	}
	if after+1 < s.compacted {
		return nil, rpctypes.ErrCompacted
	}
	first, _ := slices.BinarySearchFunc(s.events, after+1, func(event *clientv3.Event, revision int64) int { return int(event.Kv.ModRevision - revision) })
	return slices.Clone(s.events[first:]), nil
}

// Compact removes the versions that are visible neither at the revision nor later. After that, a list or a watch at an earlier revision
// gets ErrCompacted. Like etcd, Compact returns an error for a revision that is already compacted or in the future.
func (s *Store) Compact(revision int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision <= s.compacted {
		return rpctypes.ErrCompacted
	}
	if revision > s.revision {
		return rpctypes.ErrFutureRev
	}
	s.compacted = revision
	s.events = slices.DeleteFunc(slices.Clone(s.events), func(event *clientv3.Event) bool { return event.Kv.ModRevision < revision }) // snapshots share the old slice
	s.keys = slices.DeleteFunc(s.keys, func(key string) bool {
		s.histories[key] = compactHistory(s.histories[key], revision)
		gone := len(s.histories[key]) == 0
		if gone {
			delete(s.histories, key)
		}
		return gone
	})
	return nil
}

// compactHistory returns the versions that compaction keeps: all versions after the revision, and the version at the revision unless it is
// a deletion.
func compactHistory(history []version, revision int64) []version {
	first := 0
	for i, version := range history {
		if version.ModRevision <= revision {
			first = i
		}
	}
	if history[first].deleted && history[first].ModRevision <= revision {
		first++
	}
	return slices.Clone(history[first:])
}

// at returns the version of a key at a revision, or nil if the key did not exist.
func (s *Store) at(key string, revision int64) *mvccpb.KeyValue {
	history := s.histories[key]
	for i := len(history) - 1; i >= 0; i-- {
		if history[i].ModRevision > revision {
			continue
		}
		if history[i].deleted {
			return nil
		}
		return history[i].KeyValue
	}
	return nil
}

// list returns the keys and values in the range [start, end) at a revision, their number without the limit, and the current revision. If
// end is empty, the range is only the key start. Revision 0 means the current revision. Limit 0 means no limit. It returns ErrCompacted or
// ErrFutureRev if the revision cannot be read.
func (s *Store) list(start, end string, revision, limit int64) (found []*mvccpb.KeyValue, count, present int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case revision == 0:
		revision = s.revision
	case revision > s.revision:
		return nil, 0, 0, rpctypes.ErrFutureRev
	case revision < s.compacted:
		return nil, 0, 0, rpctypes.ErrCompacted
	}
	first, _ := slices.BinarySearch(s.keys, start)
	for _, key := range s.keys[first:] {
		if !inRange(key, start, end) {
			break
		}
		kv := s.at(key, revision)
		if kv == nil {
			continue
		}
		if count++; limit == 0 || count <= limit {
			found = append(found, kv)
		}
	}
	return found, count, s.revision, nil
}

// inRange reports whether a key is in the range [start, end). If end is empty, it reports whether the key equals start.
func inRange(key, start, end string) bool {
	if end == "" {
		return key == start
	}
	return start <= key && key < end
}

// put writes a key if the revision of its last modification is the expected one; expected is 0 if the key must not exist. It returns the
// key's current version, which may be nil, the store's revision, and whether it wrote the key. It returns ErrLeaseNotFound for an unknown
// lease.
func (s *Store) put(key string, value []byte, expected int64, leaseID clientv3.LeaseID) (current *mvccpb.KeyValue, revision int64, written bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	previous := s.at(key, s.revision)
	if modified(previous) != expected {
		return previous, s.revision, false, nil
	}
	if leaseID != 0 && s.leases[leaseID] == nil {
		return nil, 0, false, rpctypes.ErrLeaseNotFound
	}
	return s.write(key, value, previous, leaseID), s.revision, true, nil
}

// write records a new version of a key, and returns it. previous is nil for a new key.
func (s *Store) write(key string, value []byte, previous *mvccpb.KeyValue, leaseID clientv3.LeaseID) *mvccpb.KeyValue {
	kv := &mvccpb.KeyValue{Key: []byte(key), Value: value, CreateRevision: s.revision + 1, Version: 1, Lease: int64(leaseID)}
	if previous != nil {
		kv.CreateRevision, kv.Version = previous.CreateRevision, previous.Version+1
	}
	s.record(kv, previous, false)
	return kv
}

// KeyValue is a key and its value for Put.
type KeyValue struct {
	Key   string
	Value []byte
}

// Put writes keys in the given order, without comparing revisions. Concurrent reads of the latest revision return all of the new values or
// none.
func (s *Store) Put(all ...KeyValue) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, each := range all {
		s.write(each.Key, each.Value, s.at(each.Key, s.revision), 0)
	}
}

// remove deletes a key if the revision of its last modification is the expected one; expected is 0 if the key must not exist. If the
// revision differs, remove returns the key's current version and false. deleted is true if the key does not exist after the call. revision
// is the store's revision.
func (s *Store) remove(key string, expected int64) (current *mvccpb.KeyValue, revision int64, deleted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	previous := s.at(key, s.revision)
	if modified(previous) != expected {
		return previous, s.revision, false
	}
	if previous != nil { // deleting a key that does not exist changes nothing
		s.recordDeletion(previous)
	}
	return nil, s.revision, true
}

func (s *Store) recordDeletion(previous *mvccpb.KeyValue) {
	s.record(&mvccpb.KeyValue{Key: previous.Key}, previous, true)
}

func modified(kv *mvccpb.KeyValue) int64 {
	if kv == nil {
		return 0
	}
	return kv.ModRevision
}

// record adds a version of a key at the next revision, and queues its event for the watches.
func (s *Store) record(kv, previous *mvccpb.KeyValue, deleted bool) {
	s.revision++
	kv.ModRevision = s.revision
	key := string(kv.Key)
	if _, known := s.histories[key]; !known {
		i, _ := slices.BinarySearch(s.keys, key)
		s.keys = slices.Insert(s.keys, i, key)
	}
	s.histories[key] = append(s.histories[key], version{KeyValue: kv, deleted: deleted})
	event := &clientv3.Event{Type: clientv3.EventTypePut, Kv: kv, PrevKv: previous}
	if deleted {
		event.Type = clientv3.EventTypeDelete
	}
	s.events = append(s.events, event)
	s.count(event)
	s.deliver(event)
	s.finishMerged(event)
}
