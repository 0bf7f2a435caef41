package livecache

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

const (
	// fillTime is the maximum time that a sync waits for a new cache to be filled. After that, the sync returns and is retried later.
	fillTime = 5 * time.Second
	// unusedTime is the time for which a cache keeps running without owners. A removal uses caches of many kinds for a short time, and
	// often another removal follows.
	unusedTime = 30 * time.Second
)

// Caches holds one cache for every resource for which some owner has objects. A cache starts when the first owner uses it, and stops
// unusedTime after the last owner has released it.
type Caches struct {
	ctx     context.Context
	client  dynamic.Interface
	clock   clock.PassiveClock
	changed func(owner string)
	// isOneRound is true if a cache ends at its first fault, so that the next owner sends a request of its own.
	isOneRound bool

	mu     sync.Mutex
	caches map[schema.GroupVersionResource]*Cache
}

// NewCaches returns Caches whose watches end with the context. They call changed with the owner of each object that changed or was deleted.
// changed must not block.
func NewCaches(ctx context.Context, client dynamic.Interface, clock clock.PassiveClock, changed func(string)) *Caches {
	return &Caches{ctx: ctx, client: client, clock: clock, changed: changed, caches: map[schema.GroupVersionResource]*Cache{}}
}

// ForOneRound returns c, for a process that ends after one sync of each owner. A cache then ends at its first fault and does not try again: each
// owner sends a request of its own, which is sent during the sync of this owner.
func (c *Caches) ForOneRound() *Caches {
	c.isOneRound = true
	return c
}

// Get returns the filled cache of a resource for an owner, and starts the cache if it is not running. It waits at most fillTime. If the
// cache is still not filled, it returns a WaitError, because all objects would seem to be missing. After an error of the watch, it returns
// the WaitError at once.
func (c *Caches) Get(ctx context.Context, owner string, resource schema.GroupVersionResource) (*Cache, error) {
	found, err := c.start(owner, resource)
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
		if c.isOneRound {
			c.mu.Lock()
			c.end(resource, found)
			c.mu.Unlock()
		}
		return nil, unwatchable(resource, fault)
	}
	reason := fmt.Sprintf("is not read yet: the cache of %s is not filled", resource.GroupResource())
	return nil, &object.WaitError{Reason: reason, Unread: true}
}

// unwatchable returns the WaitError for the objects of a resource that cannot be listed or watched.
func unwatchable(resource schema.GroupVersionResource, fault error) error {
	reason := fmt.Sprintf("cannot be read, because %s cannot be watched: %s", resource.GroupResource(), object.Bounded(fault.Error()))
	return &object.WaitError{Reason: reason, Cause: fault, Unread: true}
}

// Filled returns the cache of a resource once its first list is complete; nil before that, and if there is no cache. It does not start a
// cache.
func (c *Caches) Filled(resource schema.GroupVersionResource) *Cache {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.caches[resource]; found != nil && found.informer.HasSynced() {
		return found
	}
	return nil
}

func (c *Caches) start(owner string, resource schema.GroupVersionResource) (*Cache, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.caches[resource]
	if found != nil && len(found.owners) == 0 && found.lastFault() != nil {
		c.end(resource, found) // the kind may have been deleted and created again
		found = nil
	}
	if found != nil {
		found.owners[owner] = true
		return found, nil
	}
	source := &ownedOnly{client: c.client.Resource(resource), started: func() {}}
	informer := cache.NewSharedIndexInformerWithOptions(source.listWatch(c.client),
		&unstructured.Unstructured{}, cache.SharedIndexInformerOptions{ObjectDescription: resource.String()})
	ctx, stop := context.WithCancel(c.ctx)
	started := &Cache{
		informer: informer, stop: stop, clock: c.clock,
		owners: map[string]bool{owner: true}, recent: map[string]recentObject{}, faulted: make(chan struct{}),
	}
	changedAll := func() { c.changedAll(started) }
	source.started = func() {
		if started.clearDenial() {
			changedAll()
		}
	}
	if err := started.prepare(c.changed, changedAll); err != nil {
		stop()
		return nil, fmt.Errorf("watching %s: %w", resource.GroupResource(), err)
	}
	c.caches[resource] = started
	go informer.RunWithContext(ctx)
	return started, nil
}

// changedAll calls changed with each owner of a cache.
func (c *Caches) changedAll(of *Cache) {
	c.mu.Lock()
	owners := slices.Collect(maps.Keys(of.owners))
	c.mu.Unlock()
	for _, owner := range owners {
		c.changed(owner)
	}
}

// Keep releases an owner's caches, except those of the wanted resources. A cache that no owner uses stops after unusedTime.
func (c *Caches) Keep(owner string, wanted map[schema.GroupVersionResource]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for resource, found := range c.caches {
		if wanted[resource] || !found.owners[owner] {
			continue
		}
		delete(found.owners, owner)
		if len(found.owners) == 0 {
			found.released++
			released := found.released
			time.AfterFunc(unusedTime, func() { c.stopUnused(resource, found, released) })
		}
	}
}

// stopUnused stops a cache unless an owner has used it since the release with the given number.
func (c *Caches) stopUnused(resource schema.GroupVersionResource, unused *Cache, released int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(unused.owners) == 0 && unused.released == released {
		c.end(resource, unused)
	}
}

// end stops a cache. The caller holds the lock.
func (c *Caches) end(resource schema.GroupVersionResource, ended *Cache) {
	ended.stop()
	if c.caches[resource] == ended {
		delete(c.caches, resource)
	}
}
