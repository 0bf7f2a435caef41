package apply

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

const (
	// fillTime is how long a sync waits for a new cache to be filled before it leaves and comes back.
	fillTime = 5 * time.Second
	// recentTime is how long an answer to a write is believed over a cache that does not show it yet.
	recentTime = 30 * time.Second
	// unusedTime is how long a cache runs on without owners. Removals use caches of many kinds for a moment, and one often follows
	// another.
	unusedTime = 30 * time.Second
)

// watches keeps one cache for every resource that some owner has objects of, holding only objects that are some owner's. A
// cache starts when the first owner uses it, and stops unusedTime after the last one did.
type watches struct {
	ctx     context.Context
	client  dynamic.Interface
	clock   clock.PassiveClock
	changed func(owner string)

	mu     sync.Mutex
	caches map[schema.GroupVersionResource]*watched
}

// watched is the cache of one resource.
type watched struct {
	informer cache.SharedIndexInformer
	stop     context.CancelFunc
	clock    clock.PassiveClock
	// owners are those that use the cache, and released counts how often the last of them left. The lock of watches guards both.
	owners   map[string]bool
	released int

	mu sync.Mutex
	// fault is the last error of listing or watching since the last event; it explains why the cache is not filled.
	fault error
	// faulted is closed with the first of them.
	faulted chan struct{}
	// recent holds what our own writes returned until the watch has brought it, so that nothing is written twice.
	recent map[string]recentObject
	// progress is the newest version that the watch has brought, of any object: it brings all of them in one order, so that
	// what was written before is known, or gone again.
	progress string
}

type recentObject struct {
	*seen
	at time.Time
}

func newWatches(ctx context.Context, client dynamic.Interface, clock clock.PassiveClock, changed func(string)) *watches {
	return &watches{ctx: ctx, client: client, clock: clock, changed: changed, caches: map[schema.GroupVersionResource]*watched{}}
}

// of gives the filled cache of a resource for an owner, and starts it if need be. A cache that does not fill is a reason
// to wait: without it objects could not be told from missing ones. One that has met an error is not waited for here.
func (w *watches) of(ctx context.Context, owner string, resource schema.GroupVersionResource) (*watched, error) {
	found, err := w.start(owner, resource)
	if err != nil {
		return nil, err
	}
	synced := found.informer.HasSyncedChecker().Done()
	select {
	case <-synced:
		return found, nil
	default:
	}
	timer := time.NewTimer(fillTime)
	defer timer.Stop()
	select {
	case <-synced:
		return found, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-found.faulted:
	case <-timer.C:
	}
	if fault := found.lastFault(); fault != nil {
		return nil, &waitingError{reason: fmt.Sprintf("%s cannot be watched: %s", resource.GroupResource(), bounded(fault.Error())), cause: fault}
	}
	return nil, waitFor("the cache of %s is not filled yet", resource.GroupResource())
}

// filled returns the cache of a resource once its first list is complete; nil before that, and when there is no cache.
func (w *watches) filled(resource schema.GroupVersionResource) *watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	if found := w.caches[resource]; found != nil && found.informer.HasSynced() {
		return found
	}
	return nil
}

func (w *watches) start(owner string, resource schema.GroupVersionResource) (*watched, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := w.caches[resource]
	if found != nil && len(found.owners) == 0 && found.lastFault() != nil {
		w.end(resource, found) // the kind may have been deleted meanwhile, and served again only now
		found = nil
	}
	if found != nil {
		found.owners[owner] = true
		return found, nil
	}
	informer := cache.NewSharedIndexInformerWithOptions((&ownedOnly{client: w.client.Resource(resource)}).listWatch(w.client),
		&unstructured.Unstructured{}, cache.SharedIndexInformerOptions{ObjectDescription: resource.String()})
	ctx, stop := context.WithCancel(w.ctx)
	started := &watched{
		informer: informer, stop: stop, clock: w.clock,
		owners: map[string]bool{owner: true}, recent: map[string]recentObject{}, faulted: make(chan struct{}),
	}
	if err := started.prepare(w.changed); err != nil {
		stop()
		return nil, fmt.Errorf("watching %s: %w", resource.GroupResource(), err)
	}
	w.caches[resource] = started
	go informer.RunWithContext(ctx)
	return started, nil
}

// keep releases the caches that an owner does not want any more. Those that no owner uses stop after unusedTime.
func (w *watches) keep(owner string, wanted map[schema.GroupVersionResource]bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for resource, found := range w.caches {
		if wanted[resource] || !found.owners[owner] {
			continue
		}
		delete(found.owners, owner)
		if len(found.owners) == 0 {
			found.released++
			released := found.released
			time.AfterFunc(unusedTime, func() { w.stopUnused(resource, found, released) })
		}
	}
}

// stopUnused stops a cache that has had no owner since its last one left for the given time.
func (w *watches) stopUnused(resource schema.GroupVersionResource, unused *watched, released int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(unused.owners) == 0 && unused.released == released {
		w.end(resource, unused)
	}
}

// end stops a cache. The caller holds the lock.
func (w *watches) end(resource schema.GroupVersionResource, ended *watched) {
	ended.stop()
	if w.caches[resource] == ended {
		delete(w.caches, resource)
	}
}

func (c *watched) prepare(changed func(owner string)) error {
	if err := c.informer.SetTransform(func(object any) (any, error) {
		live, ok := object.(*unstructured.Unstructured)
		if !ok {
			return object, nil // what was looked at already comes a second time from a list
		}
		kept, err := look(live)
		if err != nil {
			return nil, err
		}
		return kept, kept.pack()
	}); err != nil {
		return err
	}
	if err := c.informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.fault == nil && err != nil {
			close(c.faulted)
		}
		c.fault = err
	}); err != nil {
		return err
	}
	notify := func(objects ...any) {
		for _, object := range objects {
			if live, ok := object.(*seen); ok && live.owner != "" {
				changed(live.owner)
			}
		}
	}
	_, err := c.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) {
			c.caughtUp(object, false)
			notify(object)
		},
		UpdateFunc: func(before, after any) {
			c.caughtUp(after, false)
			then, ok := before.(*seen)
			now, both := after.(*seen)
			if ok && both && then.sameFor(now) {
				return // a status that tells nothing new: nobody has to look at all of an owner's objects for that
			}
			notify(before, after) // the owner label itself may be what was changed
		},
		DeleteFunc: func(object any) {
			if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = gone.Obj
			}
			c.caughtUp(object, true)
			notify(object)
		},
	})
	return err
}

// get gives an object as the cache or our last write has it, whichever is newer; nil when it is not there. It is
// unconfirmed while the watch has not brought our last write. The object is shared and must not be changed.
func (c *watched) get(key Key) (live *seen, unconfirmed bool) {
	name := storeKey(key.Namespace, key.Name)
	var cached *seen
	if found, ok, err := c.informer.GetStore().GetByKey(name); err == nil && ok {
		cached, _ = found.(*seen)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	written, ok := c.recent[name]
	if !ok {
		return cached, false
	}
	if c.clock.Since(written.at) > recentTime || c.passed(written.ResourceVersion) || cached != nil && !older(cached.ResourceVersion, written.ResourceVersion) {
		delete(c.recent, name)
		return cached, false
	}
	return written.seen, true
}

// of returns an owner's objects in the cache. Callers share them and must not change them.
func (c *watched) of(owner string) []*seen {
	var found []*seen
	for _, each := range c.informer.GetStore().List() {
		if live, ok := each.(*seen); ok && live.owner == owner {
			found = append(found, live)
		}
	}
	return found
}

// remember keeps what a write returned until the watch has brought it. If the watch has come further already, it has brought
// this too, and perhaps also that the object is gone again, which nothing would tell a second time.
func (c *watched) remember(live *unstructured.Unstructured) (*seen, error) {
	kept, err := look(live)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if name := storeKey(kept.Namespace, kept.Name); c.passed(kept.ResourceVersion) {
		delete(c.recent, name)
	} else {
		c.recent[name] = recentObject{seen: kept, at: c.clock.Now()}
	}
	return kept, nil
}

// forget drops what is known of an object from our own writes, for example because it turned out to be gone.
func (c *watched) forget(key Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.recent, storeKey(key.Namespace, key.Name))
}

// caughtUp drops a remembered write that the watch has brought, or whose object the watch says is deleted.
func (c *watched) caughtUp(object any, deleted bool) {
	live, ok := object.(*seen)
	if !ok {
		return
	}
	name := storeKey(live.Namespace, live.Name)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = nil
	if c.progress == "" || older(c.progress, live.ResourceVersion) {
		c.progress = live.ResourceVersion
	}
	written, ok := c.recent[name]
	if !ok {
		return
	}
	if deleted && written.UID == live.UID || !older(live.ResourceVersion, written.ResourceVersion) {
		delete(c.recent, name)
	}
}

// passed says whether the watch is known to have come to a version. Versions that cannot be compared count as not.
func (c *watched) passed(version string) bool {
	order, err := resourceversion.CompareResourceVersion(c.progress, version)
	return err == nil && order >= 0
}

func (c *watched) lastFault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// older says whether one version is older than another. Versions that cannot be compared count as not older, so that the
// cache wins.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}

func storeKey(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
