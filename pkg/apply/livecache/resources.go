package livecache

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// Resource is the API resource of a kind, and its cache.
type Resource struct {
	Mapping *meta.RESTMapping
	// Cache holds the owned objects of the resource.
	Cache *Cache
}

// Unread returns a WaitError if the API server has denied the lists or watches of the resource for some time, so that the cache is out of
// date; else nil.
func (r Resource) Unread() error {
	if denied := r.Cache.lastingDenial(); denied != nil {
		return unwatchable(r.Mapping.Resource, denied)
	}
	return nil
}

// IsNamespaced reports whether the objects of the resource are in namespaces.
func (r Resource) IsNamespaced() bool { return r.Mapping.Scope.Name() == meta.RESTScopeNameNamespace }

// Resources finds resources and their caches. It is safe for concurrent use.
type Resources struct {
	Mapper *Mapper
	Caches *Caches
	// changed is called with an owner that waits for a kind when a CustomResourceDefinition of the kind's API group appears or changes.
	changed func(owner string)

	mu sync.Mutex
	// observed is the cache of CustomResourceDefinitions whose events invalidate the Mapper; nil before the first use of such a cache.
	observed *Cache
}

// NewResources returns Resources. They call changed with an owner when a kind that it waits for may be served. changed must not block.
func NewResources(mapper *Mapper, caches *Caches, changed func(owner string)) *Resources {
	return &Resources{Mapper: mapper, Caches: caches, changed: changed}
}

// Find returns the resource of a kind with its filled cache, for an owner. It starts the cache if the cache is not running. It returns a
// WaitError if the kind is not served or the cache is not filled.
func (r *Resources) Find(ctx context.Context, owner string, kind schema.GroupVersionKind) (Resource, error) {
	mapping, err := r.Mapper.Mapping(ctx, owner, kind)
	if err != nil {
		return Resource{}, err
	}
	filled, err := r.Caches.Get(ctx, owner, mapping.Resource)
	if err == nil && object.IsCRD(kind.GroupKind()) {
		err = r.observeDefinitions(filled)
	}
	return Resource{Mapping: mapping, Cache: filled}, err
}

// Release releases the caches of an owner that was deleted, and removes the owner from the Mapper.
func (r *Resources) Release(owner string) {
	r.Caches.Keep(owner, nil)
	r.Mapper.forget(owner)
}

// observeDefinitions adds an event handler to a cache of CustomResourceDefinitions, unless the cache already has the handler. A
// CustomResourceDefinition that is created or updated may define a kind that an owner waits for.
func (r *Resources) observeDefinitions(definitions *Cache) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.observed == definitions {
		return nil
	}
	notify := func(event any) {
		live, ok := event.(*Live)
		if !ok {
			return
		}
		if _, group, found := strings.Cut(live.Name, "."); found {
			for _, owner := range r.Mapper.invalidateGroup(group) {
				r.changed(owner)
			}
		}
	}
	_, err := definitions.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: notify, UpdateFunc: func(_, after any) { notify(after) },
	})
	if err != nil {
		return fmt.Errorf("listening to CustomResourceDefinitions: %w", err)
	}
	r.observed = definitions
	return nil
}
