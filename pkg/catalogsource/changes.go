package catalogsource

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// Changes tells controllers of which packages something else can be said than before, in the form that library-go's factory
// takes: an informer whose objects are named after packages. It holds no objects. It is synced when it is known what there is
// to tell of, such as which catalogs there are, read or not: a controller must not wait for one that may be down, nor decide
// as if there were none. The zero value is ready for use.
type Changes struct {
	lock     sync.Mutex
	handlers []cache.ResourceEventHandler
	listed   bool
}

// AddEventHandler registers a handler; it is called from the goroutine that found the change and must not block.
func (c *Changes) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.handlers = append(c.handlers, handler)
	return nil, nil // nobody takes a handler away again
}

// HasSynced says whether everything that there was at the start is known, or does not come soon.
func (c *Changes) HasSynced() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.listed
}

// SetListed has HasSynced say so from now on.
func (c *Changes) SetListed() {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.listed = true
}

// Notify tells every handler that these packages changed.
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
