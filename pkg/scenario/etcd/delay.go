package etcd

import (
	"context"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Delay delays the delivery of an event to some watches. It delays neither writes nor reads.
type Delay struct {
	// Watches reports whether the delay applies to a watch that was started with the given context. Required.
	Watches func(ctx context.Context) bool
	// Match selects events. The store calls it once for each write after Store.Delay, and holds its lock during the call. Required.
	Match func(*clientv3.Event) bool
	// Nth selects one of the matching events, counted from 1. The default is 1.
	Nth int
	// By is the maximum time for which the event is delayed, counted from the write.
	By time.Duration
	// Merge withholds only the selected event, until the next event for the same key. Watches then deliver the two as one event. If there
	// is no next event within By, watches deliver the selected event late, after events with higher revisions. If Merge is false, the
	// watches of the key deliver neither the event nor any later event until By has passed.
	Merge bool
}

// DelayedEvent is the event that a Delay selects. Its methods may be called concurrently.
type DelayedEvent struct {
	delay Delay
	store *Store
	// The store's mutex guards all other fields. matched is the number of matching events. event is the selected event, or nil until it is
	// written.
	matched int
	event   *clientv3.Event
	timer   *time.Timer
	// isPending is true from the write of the event until its delay ends.
	isPending bool
	// isApplied and isMerged are the values that Applied and Merged return.
	isApplied, isMerged bool
	// broken lists the watches that ended while they withheld the event.
	broken []brokenWatch
}

// brokenWatch is a watch of the keys from start to end that ended while it withheld an event. sent is the revision up to which the watch
// delivered events, which is later than the withheld event.
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

// Applied reports whether at least one watch has begun to delay the event.
func (d *DelayedEvent) Applied() bool {
	d.store.mu.Lock()
	defer d.store.mu.Unlock()
	return d.isApplied
}

// Merged reports whether a watch merged the event with the next event for its key.
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
	// The delay stays in the list as long as a client may resume a watch from a revision after the event that the watch missed.
	if len(d.broken) == 0 {
		d.store.delays = slices.DeleteFunc(d.store.delays, func(other *DelayedEvent) bool { return other == d })
	}
	d.delay.Match = func(*clientv3.Event) bool { return false }
}

// count counts an event, and begins the delays that select it.
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

// delayFor returns the pending delay that applies to an event at a watch, or nil.
func (s *Store) delayFor(event *clientv3.Event, w *watch) *DelayedEvent {
	for _, d := range s.delays {
		if d.isPending && d.event == event && d.delay.Watches(w.context) {
			return d
		}
	}
	return nil
}

// finishMerged ends the Merge delays of earlier events for the key of an event, because watches have merged the earlier events with this
// one.
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

// merge returns one event for two events of the same key: the change from the version before the first to the version after the second. It
// returns nil if the key existed neither before the first nor after the second.
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
		// An event counts as a creation if both revisions are equal.
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

// missesEvent reports whether a new watch would miss an event, because it starts after the event and resumes a watch that ended while it
// withheld the event. For each such ended watch, missesEvent returns true only once.
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
