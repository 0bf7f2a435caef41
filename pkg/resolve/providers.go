package resolve

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// MaxMissingKinds bounds the kinds for which an operator's messages name packages that provide them. A message has space for fewer, and a
// Cache can keep as many results.
const MaxMissingKinds = 64

// ProviderHint lists the packages of one catalog that provide a kind in any version, whether or not they are requested.
type ProviderHint struct {
	Catalog catalog.ID
	Labels  map[string]string
	// Packages are sorted.
	Packages []string
	// Partial is true if the catalog has packages that were not read, which may provide the kind, too.
	Partial bool
}

// providerHints returns the hints of the catalogs for a missing kind, and records the kind for the Decision.
func (q *query) providerHints(gvk catalog.GVK) []ProviderHint {
	if q.index.State.ProviderHints == nil || q.omitsHints(gvk) {
		return nil
	}
	if q.missingKinds == nil {
		q.missingKinds = map[catalog.GVK]bool{}
	}
	q.missingKinds[gvk] = true
	return q.index.Hints(gvk)
}

// omitsHints reports whether too many other kinds are missing for another hint.
func (q *query) omitsHints(gvk catalog.GVK) bool {
	return !q.missingKinds[gvk] && len(q.missingKinds) >= MaxMissingKinds
}

// advice returns what would provide a required kind. Catalogs that the manager's selector excludes are left out. The operator's own
// selector does not count, because the package that provides the kind would have a PlatformOperator with its own selector.
func (q *query) advice(requirer string, gvk catalog.GVK) *reason.Advice {
	if q.omitsHints(gvk) {
		return &reason.Advice{Omitted: true}
	}
	advice := &reason.Advice{Requirer: requirer}
	var packages []string
	for _, each := range q.providerHints(gvk) {
		if !q.request.isPermitted(visibleLabels(Catalog{ID: each.Catalog, Labels: each.Labels})) {
			continue
		}
		if each.Partial {
			advice.Partial = append(advice.Partial, each.Catalog.String())
		}
		for _, pkg := range each.Packages {
			switch {
			case pkg == requirer:
				advice.ItProvides = true
			case !q.request.allows(pkg):
				advice.Forbidden = append(advice.Forbidden, pkg)
			default:
				packages = append(packages, pkg)
			}
		}
	}
	advice.Forbidden, advice.Partial = sortedOnce(advice.Forbidden), sortedOnce(advice.Partial)
	for _, pkg := range sortedOnce(packages) {
		if operator, isRequested := q.index.holders[pkg]; isRequested {
			advice.Requested = append(advice.Requested, reason.RequestedPackage{Package: pkg, Operator: operator})
			continue
		}
		advice.Packages = append(advice.Packages, pkg)
	}
	return advice
}

// sortedOnce sorts texts and drops duplicates.
func sortedOnce(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
