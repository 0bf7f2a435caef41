package livecache

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// RecentTime is the maximum time for which the response to a write takes precedence over a cache that does not contain this write yet.
// After that time, only the API server can show whether the cache is still behind, or whether a backup was restored.
const RecentTime = 30 * time.Second

// Cache holds those live objects of one resource that BundleDeployments own. It is safe for concurrent use.
type Cache struct {
	informer cache.SharedIndexInformer
	stop     context.CancelFunc
	clock    clock.PassiveClock
	// owners are the owners that use the cache. released counts how often the cache has lost its last owner. The lock of Caches guards both
	// fields.
	owners   map[string]bool
	released int

	mu sync.Mutex
	// fault is the last error of a list or watch since the last event; nil if there is none. It explains why the cache is not filled.
	fault error
	// denial is the denial of lists or watches since the last watch that started.
	denial denial
	// faulted is closed after the first error of a list or watch.
	faulted   chan struct{}
	firstOnce sync.Once
	// recent holds the API server's responses to writes until the watch has delivered the objects, so that nothing is written twice. The
	// keys are those of the informer's store.
	recent map[string]recentObject
	// progress is the newest resourceVersion, of any object, that the watch has delivered. The watch delivers all objects in one order, so
	// it has delivered every older write, unless the object was deleted.
	progress string
}

type recentObject struct {
	live *Live
	at   time.Time
}

// prepare adds the handlers of the informer. They call changed with the owner of an object that changed, and changedAll when a lasting
// denial begins.
func (c *Cache) prepare(changed func(owner string), changedAll func()) error {
	if err := c.informer.SetTransform(func(received any) (any, error) {
		live, ok := received.(*unstructured.Unstructured)
		if !ok {
			return received, nil // a list transforms its objects twice
		}
		kept, err := NewLive(live)
		if err != nil {
			return nil, err
		}
		return kept, kept.compress()
	}); err != nil {
		return err
	}
	if err := c.informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		c.setFault(err)
		if c.setDenial(err) {
			changedAll()
		}
	}); err != nil {
		return err
	}
	_, err := c.informer.AddEventHandler(notifier{c, changed})
	return err
}

func (c *Cache) setFault(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = err
	if err != nil {
		c.firstOnce.Do(func() { close(c.faulted) })
	}
}

// notifier handles the events of an informer. It confirms recent writes, and calls changed with the owners of changed objects.
type notifier struct {
	cache   *Cache
	changed func(owner string)
}

// OnAdd implements cache.ResourceEventHandler.
func (n notifier) OnAdd(added any, _ bool) {
	n.cache.confirm(added, false)
	n.notify(added)
}

// OnUpdate implements cache.ResourceEventHandler.
func (n notifier) OnUpdate(before, after any) {
	then, ok := before.(*Live)
	now, both := after.(*Live)
	if ok && both && isOlder(now.ResourceVersion, then.ResourceVersion) {
		n.cache.restart()
	}
	n.cache.confirm(after, false)
	if ok && both && then.isEquivalent(now) {
		return // only the status changed, and not its health, so the owner need not check all its objects
	}
	n.notify(before, after) // the update may have changed the owner label itself
}

// OnDelete implements cache.ResourceEventHandler.
func (n notifier) OnDelete(deleted any) {
	if last, ok := deleted.(cache.DeletedFinalStateUnknown); ok {
		deleted = last.Obj
		n.cache.confirmMissed(deleted)
	} else {
		n.cache.confirm(deleted, true)
	}
	n.notify(deleted)
}

func (n notifier) notify(objects ...any) {
	for _, each := range objects {
		if live, ok := each.(*Live); ok && live.Owner != "" {
			n.changed(live.Owner)
		}
	}
}

// Get returns an object from the cache or from the response to the last write, whichever is newer; nil if it does not exist. unconfirmed is
// true while the watch has not delivered the last write. Callers share the object and must not change it.
func (c *Cache) Get(key object.Key) (live *Live, unconfirmed bool) {
	name := storeKey(key.Namespace, key.Name)
	var cached *Live
	if found, ok, err := c.informer.GetStore().GetByKey(name); err == nil && ok {
		cached, _ = found.(*Live)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	written, ok := c.recent[name]
	if !ok {
		return cached, false
	}
	if c.clock.Since(written.at) > RecentTime || c.hasPassed(written.live.ResourceVersion) || cached != nil && !isOlder(cached.ResourceVersion, written.live.ResourceVersion) {
		delete(c.recent, name)
		return cached, false
	}
	return written.live, true
}

// OwnedBy returns the objects in the cache whose Owner is the given one. Callers share them and must not change them.
func (c *Cache) OwnedBy(owner string) []*Live {
	var found []*Live
	for _, each := range c.informer.GetStore().List() {
		if live, ok := each.(*Live); ok && live.Owner == owner {
			found = append(found, live)
		}
	}
	return found
}

// Remember stores the API server's response to a write until the watch has delivered the object, and returns it as a Live. If the cache is
// out of date, the response to a read can be stored in the same way. Remember does not store a response if the watch has already delivered
// the same or a newer resourceVersion of any object: the watch has then also delivered this object, and perhaps its deletion, which the
// watch delivers only once.
func (c *Cache) Remember(live *unstructured.Unstructured) (*Live, error) {
	kept, err := NewLive(live)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if name := storeKey(kept.Namespace, kept.Name); c.hasPassed(kept.ResourceVersion) {
		delete(c.recent, name)
	} else {
		c.recent[name] = recentObject{live: kept, at: c.clock.Now()}
	}
	return kept, nil
}

// Forget drops the response to the last write of an object, for example because the object was deleted. It does nothing if there is no
// response.
func (c *Cache) Forget(key object.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.recent, storeKey(key.Namespace, key.Name))
}

// confirm records the progress of the watch and clears fault. It drops the response to a write that the watch has delivered, or whose
// object the watch reports as deleted.
func (c *Cache) confirm(delivered any, deleted bool) {
	if live, ok := delivered.(*Live); ok {
		c.advance(live.ResourceVersion)
		c.drop(live, deleted)
	}
}

// confirmMissed is like confirm, but for a deletion that the watch has missed. The object's resourceVersion does not count as progress,
// because it is older than the deletion. If a backup of etcd was restored, it may even be from before the restore.
func (c *Cache) confirmMissed(deleted any) {
	if live, ok := deleted.(*Live); ok {
		c.drop(live, true)
	}
}

// advance records that the watch has delivered a resourceVersion.
func (c *Cache) advance(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.progress == "" || isOlder(c.progress, version) {
		c.progress = version
	}
}

// restart clears the progress of the watch. It is called when the watch delivers an older resourceVersion of an object than before. This
// means that a backup of etcd was restored, and that the watch has yet to deliver resourceVersions that are lower than progress.
func (c *Cache) restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress = ""
}

// drop clears fault, and drops the response for an object that the watch has delivered.
func (c *Cache) drop(live *Live, deleted bool) {
	name := storeKey(live.Namespace, live.Name)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = nil
	written, ok := c.recent[name]
	if !ok {
		return
	}
	if deleted && written.live.UID == live.UID || !isOlder(live.ResourceVersion, written.live.ResourceVersion) {
		delete(c.recent, name)
	}
}

// hasPassed reports whether the watch has delivered this resourceVersion or a newer one. It returns false for values that cannot be
// compared.
func (c *Cache) hasPassed(version string) bool {
	order, err := resourceversion.CompareResourceVersion(c.progress, version)
	return err == nil && order >= 0
}

func (c *Cache) lastFault() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fault
}

// isOlder reports whether resourceVersion a is older than b. It returns false for values that cannot be compared, so that the cache takes
// precedence.
func isOlder(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}

func storeKey(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
