package scenario

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/endpoints/request"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// Event is a write to an object in the cluster's storage, as watches deliver it.
type Event struct {
	// Revision is the revision of the write. It is the object's resourceVersion after the write.
	Revision int64
	// Type is watch.Added, watch.Modified or watch.Deleted.
	Type watch.EventType
	// Resource, Namespace and Name identify the object. Namespace is empty for a cluster-scoped resource.
	Resource        schema.GroupResource
	Namespace, Name string
}

// String returns the event in one line, such as `MODIFIED deployments.apps "a/b" at 17`.
func (e Event) String() string {
	name := e.Name
	if e.Namespace != "" {
		name = e.Namespace + "/" + name
	}
	return fmt.Sprintf("%s %s %q at %d", e.Type, e.Resource, name, e.Revision)
}

// newEvent returns the Event for a write. isObject is false if the written key is not the key of an API object.
func newEvent(stored *clientv3.Event) (event Event, isObject bool) {
	event = Event{Revision: stored.Kv.ModRevision, Type: watch.Modified}
	switch {
	case stored.Type == clientv3.EventTypeDelete:
		event.Type = watch.Deleted
	case stored.IsCreate():
		event.Type = watch.Added
	}
	event.Resource, event.Namespace, event.Name, isObject = apiserver.ParseStorageKey(string(stored.Kv.Key))
	return event, isObject
}

// Revision returns the revision of the last write.
func (c *Cluster) Revision() int64 { return c.store.Revision() }

// CompactedRevision returns the revision of the oldest state that can be read. Compact and RestoreSnapshot raise it.
func (c *Cluster) CompactedRevision() int64 { return c.store.Compacted() }

// Events returns the writes after a revision, in order. It includes the writes by all users and by the cluster's own components. It returns
// an error if Compact or RestoreSnapshot has removed some of these writes, or if the revision is in the future.
func (c *Cluster) Events(after int64) ([]Event, error) {
	stored, err := c.store.Events(after)
	if err != nil {
		return nil, fmt.Errorf("listing the writes after revision %d: %w", after, err)
	}
	events := make([]Event, 0, len(stored))
	for _, each := range stored {
		if event, isObject := newEvent(each); isObject {
			events = append(events, event)
		}
	}
	return events, nil
}

// EventDelay delays the delivery of an event to the watches of one user. Neither the write itself nor the watches of other users are
// delayed.
type EventDelay struct {
	// User is the user whose watches deliver the event late, in all of the user's processes. Required.
	User string
	// Match selects events. It is called once for each write, while the storage is locked, and must not use the cluster. Nil matches all
	// events.
	Match func(Event) bool
	// Nth selects one of the matching events, counted from 1 since DelayEvent was called. The default is 1.
	Nth int
	// By is the maximum time for which the event is delayed, counted from the write. In a bubble, it is virtual time. Required: 0 delays
	// nothing.
	By time.Duration
	// Merge makes the user's watches withhold only the selected event, until the next event for the same object. They deliver the two as
	// one event: created and modified as Added, deleted and created as Modified with a different UID, created and deleted as no event. A
	// client sees the same if its watch breaks between the two writes and it then lists again. If there is no next event within By, the
	// event is delivered late, after later events for other objects. A bookmark follows it, so that a client that resumes the watch does
	// not go back to the revision of the late event.
	//
	// If Merge is false, the user's watches that may deliver the event deliver neither the event nor later events until By has passed, as
	// on a slow connection. Watches of other kinds are not delayed.
	Merge bool
}

// DelayEvent adds a delay for a future event. The delay also applies to watches that start after the write, if they start at an earlier
// resourceVersion. If several delays select the same event, the first one takes effect. If a watch ends while it withholds an event and has
// delivered later events, the watch that resumes it gets 410 Gone, so that the client lists again and does not miss the event.
func (c *Cluster) DelayEvent(d EventDelay) *DelayedEvent {
	return &DelayedEvent{c.store.Delay(etcd.Delay{
		Watches: func(ctx context.Context) bool {
			user, isRequest := request.UserFrom(ctx) // the cluster's controllers also watch the storage, without a request
			return isRequest && user.GetName() == d.User
		},
		Match: func(stored *clientv3.Event) bool {
			event, isObject := newEvent(stored)
			if !isObject || d.Match != nil && !d.Match(event) {
				return false
			}
			c.checker.Load().suspend(d.By + restDelay)
			return true
		},
		Nth: d.Nth, By: d.By, Merge: d.Merge,
	})}
}

// DelayedEvent is the event that an EventDelay selects. Its methods may be called concurrently.
type DelayedEvent struct{ delayed *etcd.DelayedEvent }

// Applied reports whether a watch of the user has withheld the event.
func (e *DelayedEvent) Applied() bool { return e.delayed.Applied() }

// Merged reports whether a watch of the user merged the event with the next event of the object.
func (e *DelayedEvent) Merged() bool { return e.delayed.Merged() }

// Remove removes the delay. If watches withhold the event, they deliver it now. Later calls have no effect.
func (e *DelayedEvent) Remove() { e.delayed.Remove() }
