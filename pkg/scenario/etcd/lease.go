package etcd

import (
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// lease holds the expiry time of the keys that are attached to it. It cannot be renewed, because an API server's storage never renews a
// lease.
type lease struct {
	expires time.Time
	timer   *time.Timer
}

// grant creates a lease that expires after ttl, and returns its ID.
func (s *Store) grant(ttl time.Duration) clientv3.LeaseID {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := clientv3.LeaseID(len(s.leases) + 1) // expired leases stay in the map, so IDs are unique
	s.addLease(id, time.Now().Add(ttl))
	return id
}

func (s *Store) addLease(id clientv3.LeaseID, expires time.Time) {
	s.leases[id] = &lease{expires: expires, timer: time.AfterFunc(time.Until(expires), func() { s.expire(id) })}
}

// expire deletes the keys whose current version is attached to the lease.
func (s *Store) expire(id clientv3.LeaseID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range s.keys {
		if kv := s.at(key, s.revision); kv != nil && kv.Lease == int64(id) {
			s.recordDeletion(kv)
		}
	}
}
