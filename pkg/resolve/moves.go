package resolve

import (
	"fmt"
	"slices"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/compat"
)

// maxChannels is the maximum length of spec.package.channels; the API has the same limit.
const maxChannels = 16

// Moves lists the available and the refused versions. The upgrade gate derives its remedies from the list. For each version, the list has
// the reason why the operator cannot be upgraded to it now, and the change to the request that would permit the upgrade. It omits invalid
// versions and downgrades.
func (d Decision) Moves(request Request) []compat.Candidate {
	var moves []compat.Candidate
	updates := map[string]Update{}
	for _, update := range d.Updates {
		updates[update.Version.String()] = update
	}
	for _, c := range d.Available {
		update, isNewer := updates[c.Version.String()]
		move := compat.Candidate{
			Version: c.Bundle.Version, Release: c.Bundle.Release, Newer: isNewer, Max: c.Bundle.MaxOpenShiftVersions, Obstacle: d.Obstacle,
		}
		if update.Reason != "" {
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
		update, isNewer := updates[r.Version.String()]
		moves = append(moves, compat.Candidate{
			Version:  r.Bundle.Version,
			Release:  r.Bundle.Release,
			Newer:    isNewer,
			Max:      r.Bundle.MaxOpenShiftVersions,
			Obstacle: "it " + r.Why(),
			Change:   d.changeFor(request, update, r),
		})
	}
	return moves
}

// changeFor returns the change to the request that permits a refused update; nil if no change does, or if the change would exceed the API's
// limits. It does not widen the range for a bundle with a release, because ranges do not distinguish releases.
func (d Decision) changeFor(request Request, update Update, refusal Refusal) *compat.Change {
	if !update.NotRequested || !update.Fits || keyOf(update.Candidate) != keyOf(refusal.Candidate) {
		return nil
	}
	switch refusal.Rule {
	case RuleChannel:
		channels := slices.Clone(request.Channels)
		if installed := d.installed(request); len(channels) == 0 && installed != nil {
			channels = []string{installed.Channel} // the default channel
		}
		if len(channels) > 0 && len(channels) < maxChannels {
			return &compat.Change{Channels: append(channels, refusal.Channel)}
		}
	case RuleRange:
		wider := fmt.Sprintf("%s || >=%s <=%s", request.VersionRange, request.InstalledVersion, refusal.Bundle.Version)
		if update.Reachable && refusal.Bundle.Release == "" && len(wider) <= maxRange {
			return &compat.Change{Range: wider}
		}
	}
	return nil
}

// installed returns the available candidate of the installed version; nil if there is none.
func (d Decision) installed(request Request) *Candidate {
	i := slices.IndexFunc(d.Available, func(c Candidate) bool {
		return c.Bundle.Version == request.InstalledVersion && c.Bundle.Release == request.InstalledRelease
	})
	if i < 0 {
		return nil
	}
	return &d.Available[i]
}
