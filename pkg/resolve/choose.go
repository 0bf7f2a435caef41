package resolve

import (
	"cmp"
	"slices"

	"github.com/openshift/platform-operators/pkg/resolve/reason"
)

// highestPriority separates the options of the highest priority (kept) from the others (lower).
func highestPriority(fitting []*Option) (kept, lower []*Option) {
	if len(fitting) == 0 {
		return nil, nil
	}
	best := slices.MaxFunc(fitting, func(a, b *Option) int { return cmp.Compare(a.priority, b.priority) })
	for _, o := range fitting {
		if o.priority == best.priority {
			kept = append(kept, o)
			continue
		}
		lower = append(lower, o)
	}
	return kept, lower
}

// outranked returns the Refusal of o. The cause is that the option by, from a catalog with a higher priority, fits.
func (o *Option) outranked(by *Option) Refusal {
	return Refusal{Candidate: o.Candidate, Rule: RulePriority, Cause: reason.Outranked{Catalog: o.Catalog, Priority: o.priority, By: by.Catalog}}
}

// whyAmbiguous returns a reason if one of options has the same version as first, but comes from another catalog with a different image; nil
// otherwise. options must have the same priority.
func whyAmbiguous(q *query, first *Option, options []*Option) reason.Reason {
	for _, o := range options {
		if o.Version.IsZero() || !o.isRequested || o.Version.Compare(first.Version) != 0 || o.Catalog == first.Catalog || content(o.Bundle) == content(first.Bundle) || o.unfit != nil {
			continue
		}
		if o.Catalog.Compare(first.Catalog) < 0 {
			first, o = o, first
		}
		return reason.Ambiguous{
			Version: first.Version, Package: q.request.Package,
			First: reason.Image{Catalog: first.Catalog, Image: first.Bundle.Image}, Second: reason.Image{Catalog: o.Catalog, Image: o.Bundle.Image},
		}
	}
	return nil
}

// sortRefusals sorts refusals by version, newest first.
func sortRefusals(refusals []Refusal) {
	slices.SortFunc(refusals, func(a, b Refusal) int {
		return cmp.Or(newestFirst(a.Candidate, b.Candidate), a.Catalog.Compare(b.Catalog))
	})
}
