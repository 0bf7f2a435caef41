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

// providerHints remembers, for each PlatformOperator that lacks a kind, which packages its status named as providers, so that the status is
// updated when that changes. The zero value is ready. It is safe for concurrent use.
type providerHints struct {
	lock       sync.Mutex
	byOperator map[string]map[catalog.GVK][]resolve.ProviderHint
}

// set stores the hints in the status of a PlatformOperator; none if it lacks no kind.
func (h *providerHints) set(name string, hints map[catalog.GVK][]resolve.ProviderHint) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if len(hints) == 0 {
		delete(h.byOperator, name)
		return
	}
	if h.byOperator == nil {
		h.byOperator = map[string]map[catalog.GVK][]resolve.ProviderHint{}
	}
	h.byOperator[name] = hints
}

// stale returns, sorted, which of these PlatformOperators, or of all if none is named, have hints that differ from those now.
func (h *providerHints) stale(now func(catalog.GVK) []resolve.ProviderHint, names ...string) (stale []string) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(h.byOperator))
	}
	fresh := map[catalog.GVK][]resolve.ProviderHint{}
	for _, name := range names {
		for gvk, hint := range h.byOperator[name] {
			if _, known := fresh[gvk]; !known {
				fresh[gvk] = now(gvk)
			}
			if !reflect.DeepEqual(hint, fresh[gvk]) {
				stale = append(stale, name)
				break
			}
		}
	}
	return stale
}

// recordingProviders returns Catalogs.Providers as the resolver calls it; the reconciliation records the results.
func (c *controller) recordingProviders(r *reconciliation) func(catalog.GVK) []resolve.ProviderHint {
	r.providers = map[catalog.GVK][]resolve.ProviderHint{}
	return func(gvk catalog.GVK) []resolve.ProviderHint {
		r.providers[gvk] = c.catalogs.Providers(gvk)
		return r.providers[gvk]
	}
}

// hints returns the recorded providers of the kinds that the PlatformOperator lacks.
func (r *reconciliation) hints() map[catalog.GVK][]resolve.ProviderHint {
	lacking := r.stepInput.Decision.MissingKinds
	hints := make(map[catalog.GVK][]resolve.ProviderHint, len(lacking))
	for _, gvk := range lacking {
		hints[gvk] = r.providers[gvk]
	}
	return hints
}

// operatorsWithStaleHints enqueues the PlatformOperators whose status names other providers than the catalogs have now.
func (c *controller) operatorsWithStaleHints(runtime.Object) []string {
	return c.providerHints.stale(c.catalogs.Providers)
}
