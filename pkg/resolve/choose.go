package resolve

import (
	"cmp"
	"fmt"
	"slices"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
)

// highestPriority parts the options of the highest priority from the others.
func highestPriority(fitting []*option) (kept, lower []*option) {
	if len(fitting) == 0 {
		return nil, nil
	}
	best := slices.MaxFunc(fitting, func(a, b *option) int { return cmp.Compare(a.priority, b.priority) })
	for _, o := range fitting {
		if o.priority == best.priority {
			kept = append(kept, o)
			continue
		}
		lower = append(lower, o)
	}
	return kept, lower
}

// outranked refuses an option because of one in a catalog of a higher priority.
func (o *option) outranked(by *option) Refusal {
	return Refusal{
		Candidate: o.Candidate,
		Rule:      RulePriority,
		Why:       fmt.Sprintf("is in catalog %s, whose priority %d is below that of %s: select it with spec.package.catalogSelector", o.Catalog, o.priority, by.Catalog),
	}
}

// ambiguous says that catalogs of equal priority disagree on what a version is, and how to decide; empty when they do not.
func ambiguous(ask *question, first *option, options []*option) string {
	for _, o := range options {
		if o.Version.IsZero() || !o.wanted || o.Version.Compare(first.Version) != 0 || o.Catalog == first.Catalog || content(o.Bundle) == content(first.Bundle) || o.unfit != "" {
			continue
		}
		if o.Catalog.Compare(first.Catalog) < 0 {
			first, o = o, first
		}
		return fmt.Sprintf("version %s of package %q is ambiguous: catalogs %s (%s) and %s (%s) have the same priority and different images for it; decide with spec.package.catalogSelector.matchLabels %s, or give one catalog a higher priority",
			clip(first.Version.String(), maxQuoted), ask.Package, first.Catalog, clip(first.Bundle.Image, maxCause), o.Catalog, clip(o.Bundle.Image, maxCause), deciding(first, o))
	}
	return ""
}

// deciding is a selector that takes the first of two catalogs and not the second.
func deciding(first, other *option) string {
	switch {
	case first.Catalog.Kind != other.Catalog.Kind:
		return fmt.Sprintf("{%q: %q}", platformv1alpha1.LabelCatalogKind, first.Catalog.Kind)
	case first.Catalog.Name != other.Catalog.Name:
		return fmt.Sprintf("{%q: %q}", platformv1alpha1.LabelCatalogName, first.Catalog.Name)
	}
	return fmt.Sprintf("{%q: %q}", platformv1alpha1.LabelCatalogNamespace, first.Catalog.Namespace)
}

func sortRefusals(refusals []Refusal) {
	slices.SortFunc(refusals, func(a, b Refusal) int {
		return cmp.Or(newestFirst(a.Candidate, b.Candidate), a.Catalog.Compare(b.Catalog))
	})
}

// Moves are the versions that the operator could be moved to, for the upgrade gate's remedies: those that fit, and
// those that do not, with what is in the way.
func (d Decision) Moves() []compat.Candidate {
	var moves []compat.Candidate
	newer, heldUp := map[string]bool{}, map[string]Update{} // what fits and is not moved to all the same
	for _, update := range d.Updates {
		newer[update.Version.String()] = true
		if update.Reason != "" {
			heldUp[update.Version.String()] = update
		}
	}
	for _, c := range d.Available {
		move := compat.Candidate{
			Version: c.Bundle.Version, Release: c.Bundle.Release, Newer: newer[c.Version.String()], Max: c.Bundle.MaxOpenShiftVersions, Why: d.Obstacle,
		}
		if update, held := heldUp[c.Version.String()]; held {
			move.Why = "it " + update.Why
			if update.Reason == platformv1alpha1.BlockedAwaitingApproval {
				move.Approve = c.Version.String()
			}
		}
		move.Installable = d.Chosen != nil && move.Why == ""
		moves = append(moves, move)
	}
	for _, r := range d.Refused {
		if r.Version.IsZero() || r.Rule == RuleInstalled {
			continue
		}
		moves = append(moves, compat.Candidate{
			Version: r.Bundle.Version,
			Release: r.Bundle.Release,
			Newer:   newer[r.Version.String()],
			Max:     r.Bundle.MaxOpenShiftVersions,
			Why:     "it " + r.Why,
		})
	}
	return moves
}
