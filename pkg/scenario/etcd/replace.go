package etcd

// bump is the number of revisions that Replace skips. It is the value that etcd's documentation recommends for --bump-revision.
const bump = 1_000_000_000

// Replace replaces the store's data with that of a snapshot, as `etcdutl snapshot restore --bump-revision 1000000000 --mark-compacted`
// does: keys keep the revisions of their last modifications, the store's revision rises, and all history is compacted. Open watches end
// with ErrCompacted. Leases in the snapshot keep their expiry times. Pending delays of events end.
func (s *Store) Replace(snapshot *Snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.delays {
		d.finish()
		d.broken = nil
	}
	s.revision = max(s.revision, snapshot.revision) + bump
	s.compacted = s.revision
	s.events = nil
	s.keys, s.histories = nil, map[string][]version{}
	for _, key := range snapshot.keys {
		if history := compactHistory(snapshot.histories[key], snapshot.revision); len(history) > 0 {
			s.keys, s.histories[key] = append(s.keys, key), history
		}
	}
	s.replaceLeases(snapshot)
	for w := range s.watches {
		w.queue, w.withheld, w.compacted = nil, map[string]queued{}, s.compacted
		w.signal()
	}
}

// replaceLeases adds the leases in a snapshot. Other leases stay in the map, so that IDs remain unique, but no longer have keys.
func (s *Store) replaceLeases(snapshot *Snapshot) {
	for id, expires := range snapshot.leases {
		if previous := s.leases[id]; previous != nil {
			previous.timer.Stop()
		}
		s.addLease(id, expires)
	}
}
