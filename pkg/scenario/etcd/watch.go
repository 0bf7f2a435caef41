package etcd

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// watch is an open watch on a range of keys. It delivers events in the order of their revisions, except for events that a Delay withheld.
// Writers never wait for the delivery. Store.mu guards all fields that change.
type watch struct {
	context    context.Context
	start, end string
	// from is the revision of the first event to deliver. It may be in the future.
	from int64
	// queue holds the responses that have not been delivered yet. A value in wake means that the queue may contain new responses.
	queue []queued
	wake  chan struct{}
	// withheld holds the events that a Delay withholds until the next event for the same key. It is keyed by that key.
	withheld map[string]queued
	// last is the highest revision that was queued, and sent is the highest revision that left the queue.
	last, sent int64
	// compacted is the compacted revision if Store.Replace ended the watch; otherwise it is 0.
	compacted int64
}

// queued is an event that has not been delivered yet, and the delay of the event, or nil. If event is nil, queued is a progress
// notification that contains the revision.
type queued struct {
	event    *clientv3.Event
	delay    *DelayedEvent
	revision int64
}

// watch starts a watch that ends when the context ends. With revision 0, it delivers only future events. If the revision is compacted, the
// channel delivers an error and is closed. The same happens if the watch would miss an event; see missesEvent.
func (s *Store) watch(ctx context.Context, start, end string, revision int64) clientv3.WatchChan {
	results := make(chan clientv3.WatchResponse)
	s.mu.Lock()
	defer s.mu.Unlock()
	if revision == 0 {
		revision = s.revision + 1
	}
	// A client may resume a watch before the goroutine of the watch that ended has removed it.
	for open := range s.watches {
		if open.context.Err() != nil {
			s.end(open)
		}
	}
	w := &watch{context: ctx, start: start, end: end, from: revision, wake: make(chan struct{}, 1), withheld: map[string]queued{}}
	if revision < s.compacted || s.missesEvent(w) {
		refused := make(chan clientv3.WatchResponse, 1)
		refused <- compactedResponse(max(s.compacted, 1))
		close(refused)
		return refused
	}
	for _, event := range s.events {
		s.add(w, event)
	}
	s.watches[w] = struct{}{}
	go func() {
		defer close(results)
		s.serve(w, results)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.end(w)
	}()
	return results
}

func compactedResponse(revision int64) clientv3.WatchResponse {
	return clientv3.WatchResponse{CompactRevision: revision, Canceled: true}
}

// end removes a watch that has ended. Later calls have no effect.
func (s *Store) end(w *watch) {
	if _, isOpen := s.watches[w]; isOpen {
		delete(s.watches, w)
		w.recordBroken()
	}
}

func (s *Store) deliver(event *clientv3.Event) {
	for w := range s.watches {
		s.add(w, event)
	}
}

// add queues an event for a watch, or withholds it.
func (s *Store) add(w *watch, event *clientv3.Event) {
	if event.Kv.ModRevision < w.from || !inRange(string(event.Kv.Key), w.start, w.end) {
		return
	}
	key, delay := string(event.Kv.Key), s.delayFor(event, w)
	if first, found := w.withheld[key]; found {
		delete(w.withheld, key)
		first.delay.isMerged = true
		if event = merge(first.event, event); event == nil {
			return
		}
	}
	added := queued{event: event, delay: delay, revision: event.Kv.ModRevision}
	if delay != nil {
		delay.isApplied = true
		if delay.delay.Merge {
			w.withheld[key] = added
			return
		}
	}
	w.push(added)
}

func (w *watch) push(added queued) {
	w.queue = append(w.queue, added)
	w.last = max(w.last, added.revision)
	w.signal()
}

func (w *watch) signal() {
	select {
	case w.wake <- struct{}{}:
	default: // a wake-up is already pending
	}
}

// release queues the event whose delay has ended, if the watch withholds that event.
func (w *watch) release(delay *DelayedEvent) {
	w.signal() // the event may be in the queue
	key := string(delay.event.Kv.Key)
	late, found := w.withheld[key]
	if !found || late.delay != delay {
		return
	}
	delete(w.withheld, key)
	last := w.last
	w.push(queued{event: late.event, revision: late.revision})
	if last > late.revision {
		w.push(queued{revision: last}) // otherwise the client would resume the watch at the late event, and see later events again
	}
}

// take removes the responses that can be delivered from the queue, and returns them: all before the first event whose delay is pending. If
// Store.Replace ended the watch, it returns only the error for that.
func (w *watch) take() (responses []clientv3.WatchResponse) {
	var events []*clientv3.Event
	flush := func() {
		if len(events) > 0 {
			responses = append(responses, clientv3.WatchResponse{Header: pb.ResponseHeader{Revision: w.sent}, Events: events})
			events = nil
		}
	}
	for len(w.queue) > 0 && (w.queue[0].delay == nil || !w.queue[0].delay.isPending) {
		next := w.queue[0]
		w.queue[0] = queued{} // frees the event
		w.queue = w.queue[1:]
		w.sent = max(w.sent, next.revision)
		if next.event != nil {
			events = append(events, next.event)
			continue
		}
		flush()
		responses = append(responses, clientv3.WatchResponse{Header: pb.ResponseHeader{Revision: next.revision}})
	}
	flush()
	if w.compacted != 0 {
		responses = []clientv3.WatchResponse{compactedResponse(w.compacted)}
	}
	return responses
}

func (s *Store) serve(w *watch, results chan<- clientv3.WatchResponse) {
	for {
		select {
		case <-w.context.Done():
			return
		case <-w.wake:
		}
		s.mu.Lock()
		responses := w.take()
		s.mu.Unlock()
		for _, response := range responses {
			select {
			case <-w.context.Done():
				return
			case results <- response:
			}
			if response.Canceled {
				return
			}
		}
	}
}
