package catalogsource

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// Changes notifies controllers of packages whose content changed. It has the interface of an informer for library-go's factory: each
// notification is for one object that is named after the package, and Changes stores no objects. It is synced as soon as the set of
// catalogs is known, whether or not they have been read: a controller must neither wait for a catalog that may be down nor decide as if
// there were no catalogs. The zero value is ready for use.
type Changes struct {
	lock     sync.Mutex
	handlers []cache.ResourceEventHandler
	listed   bool
}

// AddEventHandler registers a handler. Notify calls the handler's OnAdd synchronously, so OnAdd must not block. The registration is always
// nil.
func (c *Changes) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.handlers = append(c.handlers, handler)
	return nil, nil // handlers are never removed
}

// HasSynced reports whether SetListed was called.
func (c *Changes) HasSynced() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.listed
}

// SetListed makes HasSynced return true.
func (c *Changes) SetListed() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.listed = true
}

// Notify calls OnAdd of every handler for each of these packages.
func (c *Changes) Notify(packages []string) {
	c.lock.Lock()
	handlers := slices.Clone(c.handlers)
	c.lock.Unlock()
	for _, name := range packages {
		object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, handler := range handlers {
			handler.OnAdd(object, false)
		}
	}
}
