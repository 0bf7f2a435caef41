package catalogs

import (
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// Changes tells controllers which packages' catalog content changed, in the form that library-go's factory takes: an
// informer whose objects are named after packages. It holds no objects. It is synced when it is known which catalogs there
// are, read or not: a controller must not wait for one that may be down, nor decide as if there were none.
type Changes struct {
	lock     sync.Mutex
	handlers []cache.ResourceEventHandler
	listed   bool
}

// AddEventHandler registers a handler; it is called from the goroutine that read the catalog and must not block.
func (c *Changes) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.handlers = append(c.handlers, handler)
	return nil, nil // nobody takes a handler away again
}

// HasSynced says whether the snapshots know of every catalog that there was at the start.
func (c *Changes) HasSynced() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.listed
}

func (c *Changes) setListed() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.listed = true
}

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
