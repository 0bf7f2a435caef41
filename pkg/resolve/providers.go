package resolve

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// MaxMissingKinds is the maximum number of missing kinds for which an operator's messages name packages that provide them. A message has
// space for fewer, and a Cache can keep the results for as many.
const MaxMissingKinds = 64

// ProviderHint names the packages in one catalog that provide a kind in any version, whether or not they are requested.
type ProviderHint struct {
	Catalog catalog.ID
	Labels  map[string]string
	// Packages are the names of the packages, sorted.
	Packages []string
	// Partial reports whether some of the catalog's packages were not read. The unread packages may also provide the kind.
	Partial bool
}

// providerHints returns the catalogs' hints for a missing kind, and adds the kind to Decision.MissingKinds. It returns nil if there is no
// source of hints, or if too many kinds are missing.
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

// omitsHints reports whether the messages give no hint for a kind, because they already give hints for MaxMissingKinds other kinds.
func (q *query) omitsHints(gvk catalog.GVK) bool {
	return !q.missingKinds[gvk] && len(q.missingKinds) >= MaxMissingKinds
}

// advice returns which packages would provide a kind that the package requirer requires. It skips catalogs that the
// PlatformOperatorManager's selector excludes. It ignores the operator's own selector, because another PlatformOperator would request the
// package.
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
	advice.Forbidden, advice.Partial = sortedUnique(advice.Forbidden), sortedUnique(advice.Partial)
	for _, pkg := range sortedUnique(packages) {
		if operator, isRequested := q.index.holders[pkg]; isRequested {
			advice.Requested = append(advice.Requested, reason.RequestedPackage{Package: pkg, Operator: operator})
			continue
		}
		advice.Packages = append(advice.Packages, pkg)
	}
	return advice
}

// Providing returns the names of the packages in hints that the PlatformOperatorManager permits, sorted. It omits the requested package,
// which already has a PlatformOperator.
func (r Request) Providing(hints []ProviderHint) []string {
	var packages []string
	for _, each := range hints {
		if !r.isPermitted(visibleLabels(Catalog{ID: each.Catalog, Labels: each.Labels})) {
			continue
		}
		for _, pkg := range each.Packages {
			if pkg != r.Package && r.allows(pkg) {
				packages = append(packages, pkg)
			}
		}
	}
	return sortedUnique(packages)
}

// sortedUnique sorts texts in place and returns them without duplicates.
func sortedUnique(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
