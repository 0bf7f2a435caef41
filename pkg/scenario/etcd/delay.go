package etcd

import (
	"context"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Delay delays an event on its way to some watches. Writes and reads do not wait.
type Delay struct {
	// Watches reports whether the delay applies to a watch that was started with a context. Required.
	Watches func(ctx context.Context) bool
	// Match selects events. The store calls it while it is locked, once for each write after Store.Delay. Required.
	Match func(*clientv3.Event) bool
	// Nth selects one of the matching events, counted from 1. The default is 1.
	Nth int
	// By is the maximum time for which the event is delayed, counted from the write.
	By time.Duration
	// Merge withholds the event alone, until the next event of its key. Watches deliver one event for both. If there is no next event within
	// By, watches deliver the event late, after events with higher revisions. If Merge is false, the watches of the key deliver neither the
	// event nor any later event until By has passed.
	Merge bool
}

// DelayedEvent is the event that a Delay selects. Its methods may be called concurrently.
type DelayedEvent struct {
	delay Delay
	store *Store
	// The store's mutex guards all other fields. matched is the number of matching events. event is the selected one, or nil before it was
	// written.
	matched int
	event   *clientv3.Event
	timer   *time.Timer
	// isPending is true from the write of the event until its delay ends.
	isPending bool
	// isApplied and isMerged are the results of Applied and Merged.
	isApplied, isMerged bool
	// broken are the watches that ended while they withheld the event.
	broken []brokenWatch
}

// brokenWatch is a watch that ended while it withheld an event, and that had delivered later events, up to the revision sent.
type brokenWatch struct {
	start, end string
	sent       int64
}

// Delay adds a delay for an event that is written later.
func (s *Store) Delay(delay Delay) *DelayedEvent {
	s.mu.Lock()
	defer s.mu.Unlock()
	d := &DelayedEvent{delay: delay, store: s}
	s.delays = append(s.delays, d)
	return d
}

// Applied reports whether the delay of the event has begun at a watch.
func (d *DelayedEvent) Applied() bool {
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	return d.isApplied
}

// Merged reports whether a watch merged the event with the next event of its key.
func (d *DelayedEvent) Merged() bool {
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	return d.isMerged
}

// Remove removes the delay. Watches deliver the event now if they have not delivered it. Later calls have no effect.
func (d *DelayedEvent) Remove() {
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	d.finish()
	// The delay stays in the list while a client may resume a watch after the event that it missed.
	if len(d.broken) == 0 {
		d.store.delays = slices.DeleteFunc(d.store.delays, func(other *DelayedEvent) bool { return other == d })
	}
	d.delay.Match = func(*clientv3.Event) bool { return false }
}

// count begins the delays that select an event.
func (s *Store) count(event *clientv3.Event) {
	for _, d := range s.delays {
		if d.event != nil || !d.delay.Match(event) {
			continue
		}
		if d.matched++; d.matched == max(d.delay.Nth, 1) && d.delay.By > 0 {
			d.event, d.isPending = event, true
			d.timer = time.AfterFunc(d.delay.By, func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				d.finish()
			})
		}
	}
}

// delayFor returns the pending delay of an event at a watch, or nil.
func (s *Store) delayFor(event *clientv3.Event, w *watch) *DelayedEvent {
	for _, d := range s.delays {
		if d.isPending && d.event == event && d.delay.Watches(w.context) {
			return d
		}
	}
	return nil
}

// finishMerged ends the delays of the events that an event of the same key replaces.
func (s *Store) finishMerged(event *clientv3.Event) {
	for _, d := range s.delays {
		if d.isPending && d.delay.Merge && d.event != event && string(d.event.Kv.Key) == string(event.Kv.Key) {
			d.finish()
		}
	}
}

// finish ends the delay. Watches deliver the event if they still withhold it.
func (d *DelayedEvent) finish() {
	if !d.isPending {
		return
	}
	d.isPending = false
	d.timer.Stop()
	for w := range d.store.watches {
		w.release(d)
	}
}

// merge returns one event for two events of a key: the change from the version before the first to the version after the second. It returns
// nil if the key existed neither before nor after.
func merge(first, second *clientv3.Event) *clientv3.Event {
	before := first.PrevKv
	if second.Type == clientv3.EventTypeDelete {
		if before == nil {
			return nil
		}
		return &clientv3.Event{Type: second.Type, Kv: second.Kv, PrevKv: before}
	}
	now := &mvccpb.KeyValue{
		Key: second.Kv.Key, Value: second.Kv.Value, Version: second.Kv.Version, Lease: second.Kv.Lease,
		// An event is a creation if both revisions are equal.
		CreateRevision: second.Kv.ModRevision, ModRevision: second.Kv.ModRevision,
	}
	if before != nil {
		now.CreateRevision = before.CreateRevision
	}
	return &clientv3.Event{Type: second.Type, Kv: now, PrevKv: before}
}

// recordBroken remembers a watch that ends while it withholds events, if its client may resume it after these events.
func (w *watch) recordBroken() {
	for _, withheld := range w.withheld {
		if withheld.event.Kv.ModRevision < w.sent {
			withheld.delay.broken = append(withheld.delay.broken, brokenWatch{w.start, w.end, w.sent})
		}
	}
}

// missesEvent reports whether a new watch continues one that ended while it withheld an event, after the revision of that event. It returns
// true once for each such watch.
func (s *Store) missesEvent(w *watch) bool {
	for _, d := range s.delays {
		if len(d.broken) == 0 || !d.delay.Watches(w.context) {
			continue
		}
		i := slices.IndexFunc(d.broken, func(broken brokenWatch) bool {
			return broken.start == w.start && broken.end == w.end && d.event.Kv.ModRevision < w.from && w.from <= broken.sent+1
		})
		if i >= 0 {
			d.broken = slices.Delete(d.broken, i, i+1)
			return true
		}
	}
	return false
}
