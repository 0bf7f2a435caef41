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

// providerHints holds, for each PlatformOperator that lacks a kind, the packages that its status names as providers. The controller updates
// the status when these packages change. The zero value is ready for use. It is safe for concurrent use.
type providerHints struct {
	lock       sync.Mutex
	byOperator map[string]map[catalog.GVK][]resolve.ProviderHint
}

// set records the hints that the status of a PlatformOperator names. If there are no hints, it removes the PlatformOperator from the
// records.
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

// stale returns the PlatformOperators among names whose hints differ from the current providers, which now returns. Without names it checks
// all PlatformOperators, in sorted order.
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

// recordingProviders returns a function for the resolver that calls Catalogs.Providers and records each result in the reconciliation.
func (c *controller) recordingProviders(r *reconciliation) func(catalog.GVK) []resolve.ProviderHint {
	if r.providers == nil {
		r.providers = map[catalog.GVK][]resolve.ProviderHint{}
	}
	return func(gvk catalog.GVK) []resolve.ProviderHint {
		r.providers[gvk] = c.catalogs.Providers(gvk)
		return r.providers[gvk]
	}
}

// kindsMissing returns the kinds that the BundleDeployment lacks. It returns nil if the catalogs were not read.
func (r *reconciliation) kindsMissing() (kinds []catalog.GVK) {
	if r.catalogs == nil || r.current.Deployment == nil || r.current.Deployment.Status.Plan == nil {
		return nil
	}
	for _, kind := range r.current.Deployment.Status.Plan.KindsMissing {
		kinds = append(kinds, catalog.GVK(kind))
	}
	return kinds
}

// permittedProviders returns the permitted packages that provide the kinds that the BundleDeployment lacks, keyed by kind. It records all
// providers of these kinds, for hints.
func (c *controller) permittedProviders(r *reconciliation) map[catalog.GVK][]string {
	var packages map[catalog.GVK][]string
	for _, kind := range r.kindsMissing() {
		if packages == nil {
			packages = map[catalog.GVK][]string{}
		}
		packages[kind] = r.catalogs.Request.Providing(c.recordingProviders(r)(kind))
	}
	return packages
}

// hints returns the recorded providers of the kinds that the PlatformOperator lacks.
func (r *reconciliation) hints() map[catalog.GVK][]resolve.ProviderHint {
	lacking := append(r.kindsMissing(), r.stepInput.Decision.MissingKinds...)
	hints := make(map[catalog.GVK][]resolve.ProviderHint, len(lacking))
	for _, gvk := range lacking {
		hints[gvk] = r.providers[gvk]
	}
	return hints
}

// operatorsWithStaleHints returns the names of the PlatformOperators whose status names different providers than the catalogs list now.
func (c *controller) operatorsWithStaleHints(runtime.Object) []string {
	return c.providerHints.stale(c.catalogs.Providers)
}
