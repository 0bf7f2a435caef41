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

// Resource is where the objects of one kind are read and written.
type Resource struct {
	Mapping *meta.RESTMapping
	// Cache holds the owned objects.
	Cache *Cache
}

// IsNamespaced reports whether the objects are in namespaces.
func (r Resource) IsNamespaced() bool { return r.Mapping.Scope.Name() == meta.RESTScopeNameNamespace }

// Resources finds resources and their caches. It is safe for concurrent use.
type Resources struct {
	Mapper *Mapper
	Caches *Caches
	// changed is called with an owner that waited for a kind when the kind may be served.
	changed func(owner string)

	mu sync.Mutex
	// observed is the cache of CustomResourceDefinitions whose events invalidate the Mapper.
	observed *Cache
}

// NewResources returns Resources that call changed with an owner that should look again. It must not block.
func NewResources(mapper *Mapper, caches *Caches, changed func(owner string)) *Resources {
	return &Resources{Mapper: mapper, Caches: caches, changed: changed}
}

// Find returns the resource of a kind with its filled cache, for an owner.
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

// Release forgets an owner that is gone.
func (r *Resources) Release(owner string) {
	r.Caches.Keep(owner, nil)
	r.Mapper.forget(owner)
}

// observeDefinitions listens to a cache of CustomResourceDefinitions. One that is created or established may define a kind that an owner
// waits for.
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
