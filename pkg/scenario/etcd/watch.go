package etcd

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// watch is an open watch of a range of keys. It delivers events in the order of their revisions. Writers never wait for the delivery.
type watch struct {
	start, end string
	// from is the revision of the first event to deliver. It may be in the future.
	from int64
	// queue holds the events that were not delivered yet. Store.mu guards it. A value in wake means that the queue has new events.
	queue []*clientv3.Event
	wake  chan struct{}
}

// watch starts a watch that ends when the context ends. Revision 0 delivers future events only. If the revision is compacted, the channel
// delivers an error and is closed.
func (s *Store) watch(ctx context.Context, start, end string, revision int64) clientv3.WatchChan {
	results := make(chan clientv3.WatchResponse)
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision == 0 {
		revision = s.revision + 1
	}
	if revision < s.compacted {
		refused := make(chan clientv3.WatchResponse, 1)
		refused <- clientv3.WatchResponse{CompactRevision: s.compacted, Canceled: true}
		close(refused)
		return refused
	}
	w := &watch{start: start, end: end, from: revision, wake: make(chan struct{}, 1)}
	for _, event := range s.events {
		w.add(event)
	}
	s.watches[w] = struct{}{}
	go func() {
		defer close(results)
		defer s.forget(w)
		s.serve(ctx, w, results)
	}()
	return results
}

func (s *Store) forget(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watches, w)
}

func (s *Store) deliver(event *clientv3.Event) {
	for w := range s.watches {
		w.add(event)
	}
}

func (w *watch) add(event *clientv3.Event) {
	if event.Kv.ModRevision < w.from || !inRange(string(event.Kv.Key), w.start, w.end) {
		return
	}
	w.queue = append(w.queue, event)
	select {
	case w.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

func (s *Store) serve(ctx context.Context, w *watch, results chan<- clientv3.WatchResponse) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		}
		s.mu.Lock()
		events := w.queue
		w.queue = nil
		s.mu.Unlock()
		if len(events) == 0 {
			continue
		}
		response := clientv3.WatchResponse{Header: pb.ResponseHeader{Revision: events[len(events)-1].Kv.ModRevision}, Events: events}
		select {
		case <-ctx.Done():
			return
		case results <- response:
		}
	}
}
