package platformoperator

import (
	"maps"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// advised remembers of operators that lack a kind who was said to bring it, so that each hears when that is somebody else. The zero
// value is ready.
type advised struct {
	lock sync.Mutex
	of   map[string]map[catalog.GVK][]resolve.Providers
}

// set remembers what an operator was told; nothing when it lacks nothing.
func (a *advised) set(name string, said map[catalog.GVK][]resolve.Providers) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if len(said) == 0 {
		delete(a.of, name)
		return
	}
	if a.of == nil {
		a.of = map[string]map[catalog.GVK][]resolve.Providers{}
	}
	a.of[name] = said
}

// stale are the operators, of these or, without any, of all, that were told something else than is known now, sorted.
func (a *advised) stale(now func(catalog.GVK) []resolve.Providers, names ...string) (stale []string) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(a.of))
	}
	fresh := map[catalog.GVK][]resolve.Providers{}
	for _, name := range names {
		for gvk, said := range a.of[name] {
			if _, known := fresh[gvk]; !known {
				fresh[gvk] = now(gvk)
			}
			if !reflect.DeepEqual(said, fresh[gvk]) {
				stale = append(stale, name)
				break
			}
		}
	}
	return stale
}

// askProviders asks the catalogs who brings a kind, and remembers for the rest of the sync what they said.
func (s *state) askProviders(gvk catalog.GVK) []resolve.Providers {
	if s.providers == nil {
		s.providers = map[catalog.GVK][]resolve.Providers{}
	}
	s.providers[gvk] = s.catalogs.Providers(gvk)
	return s.providers[gvk]
}

// providersOf is what the catalogs said of these kinds.
func (s *state) providersOf(kinds []catalog.GVK) map[catalog.GVK][]resolve.Providers {
	said := make(map[catalog.GVK][]resolve.Providers, len(kinds))
	for _, gvk := range kinds {
		said[gvk] = s.providers[gvk]
	}
	return said
}

// advisedOtherwise enqueues the operators that lack a kind of which the catalogs now say something else than they were told.
func (c *controller) advisedOtherwise(runtime.Object) []string {
	return c.advised.stale(c.catalogs.Providers)
}
