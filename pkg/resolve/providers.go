package resolve

import (
	"slices"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// MaxMissingKinds is for how many kinds an operator's messages say which packages provide them: more than a message has room for, and
// few enough that a Cache can keep the results.
const MaxMissingKinds = 64

// ProviderHint is which packages of one catalog provide a kind in any version, whether they are requested or not.
type ProviderHint struct {
	Catalog catalog.ID
	Labels  map[string]string
	// Packages are sorted.
	Packages []string
	// Partial says that other packages of the catalog may, too: they have not been read.
	Partial bool
}

// providerHints are the catalogs' hints for a kind that an operator misses, which is then in its Decision.
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

// omitsHints returns whether too many other kinds are missing for a hint for this one.
func (q *query) omitsHints(gvk catalog.GVK) bool {
	return !q.missingKinds[gvk] && len(q.missingKinds) >= MaxMissingKinds
}

// advice says what would provide a kind that a package requires. Catalogs that the manager's selector excludes are left out. The
// operator's own selector does not count: the package that provides the kind would have an operator with a selector of its own.
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

// sortedOnce sorts texts and drops repeated ones.
func sortedOnce(texts []string) []string {
	slices.Sort(texts)
	return slices.Compact(texts)
}
