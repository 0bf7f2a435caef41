package resolve

import (
	"cmp"
	"slices"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
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

// outranked returns the Refusal of an option because an option of a higher priority fits.
func (o *Option) outranked(by *Option) Refusal {
	return Refusal{Candidate: o.Candidate, Rule: RulePriority, Cause: reason.Outranked{Catalog: o.Catalog, Priority: o.priority, By: by.Catalog}}
}

// whyAmbiguous returns a reason if one of options is the same version as first in another catalog with another image; nil otherwise.
// options must have the same priority.
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

// Moves returns the available versions and the refused ones, with the reason why an operator cannot be upgraded to each now. It omits
// invalid versions and downgrades. The upgrade gate derives its remedies from them.
func (d Decision) Moves() []compat.Candidate {
	var moves []compat.Candidate
	newer, blocked := map[string]bool{}, map[string]Update{} // updates by version: all, and those that are blocked
	for _, update := range d.Updates {
		newer[update.Version.String()] = true
		if update.Reason != "" {
			blocked[update.Version.String()] = update
		}
	}
	for _, c := range d.Available {
		move := compat.Candidate{
			Version: c.Bundle.Version, Release: c.Bundle.Release, Newer: newer[c.Version.String()], Max: c.Bundle.MaxOpenShiftVersions, Obstacle: d.Obstacle,
		}
		if update, isBlocked := blocked[c.Version.String()]; isBlocked {
			move.Obstacle = "it " + update.Why()
			if update.Reason == platformv1alpha1.BlockedAwaitingApproval {
				move.Approve = c.Version.String()
			}
		}
		move.Installable = d.Chosen != nil && move.Obstacle == ""
		moves = append(moves, move)
	}
	for _, r := range d.Refused {
		if r.Version.IsZero() || r.Rule == RuleDowngrade {
			continue
		}
		moves = append(moves, compat.Candidate{
			Version:  r.Bundle.Version,
			Release:  r.Bundle.Release,
			Newer:    newer[r.Version.String()],
			Max:      r.Bundle.MaxOpenShiftVersions,
			Obstacle: "it " + r.Why(),
		})
	}
	return moves
}
