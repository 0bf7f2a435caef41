package catalogs

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// Changes tells controllers which packages' catalog content changed, in the form that library-go's factory takes: an
// informer whose objects are named after packages. It holds no objects and is always synced, because a controller must
// not wait for a catalog that may be down.
type Changes struct {
	lock     sync.Mutex
	handlers []cache.ResourceEventHandler
}

// AddEventHandler registers a handler; it is called from the goroutine that read the catalog and must not block.
func (c *Changes) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.handlers = append(c.handlers, handler)
	return nil, nil // nobody takes a handler away again
}

// HasSynced is always true.
func (c *Changes) HasSynced() bool { return true }

// Notify tells every handler that these packages changed.
func (c *Changes) Notify(packages []string) {
	c.lock.Lock()
	handlers := append([]cache.ResourceEventHandler(nil), c.handlers...)
	c.lock.Unlock()
	for _, name := range packages {
		object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name}}
		for _, handler := range handlers {
			handler.OnAdd(object, false)
		}
	}
}
