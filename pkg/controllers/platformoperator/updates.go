package platformoperator

import (
	"fmt"
	"slices"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// maxBlockedMessage bounds what is said of one update, in bytes, as the API does.
const maxBlockedMessage = 1024

// reportUpdates lists the versions above what is installed, newest first, with the way there or what is in it. What cannot
// be told now, because a catalog is away, stays as it was told last.
func (s *state) reportUpdates() {
	status := &s.operator.Status
	if status.Installed == nil {
		status.AvailableUpdates, status.AvailableUpdatesTotal = nil, 0
		s.outlooks.set(s.operator.Name, outlook{})
		return
	}
	if s.cannotTellUpdates() {
		forgetReached(status)
		return
	}
	updates := s.decision.Updates
	status.AvailableUpdates, status.AvailableUpdatesTotal = nil, int32(min(len(updates), 1<<30)) //nolint:gosec // bounded in the same line
	for _, update := range updates[:min(len(updates), platformv1alpha1.MaxAvailableUpdates)] {
		status.AvailableUpdates = append(status.AvailableUpdates, s.updateOf(update))
	}
	s.outlooks.set(s.operator.Name, outlookOf(updates, status.AvailableUpdates))
}

// forgetReached takes what has been reached meanwhile out of what was told last, and out of the ways to the rest.
func forgetReached(status *platformv1alpha1.PlatformOperatorStatus) {
	reached := slices.IndexFunc(status.AvailableUpdates, func(u platformv1alpha1.AvailableUpdate) bool {
		return u.Version == status.Installed.Version
	})
	if reached < 0 {
		return
	}
	left := slices.Clone(status.AvailableUpdates[:reached]) // newest first: what comes after it is lower
	for i := range left {
		left[i].Path = left[i].Path[slices.Index(left[i].Path, status.Installed.Version)+1:]
	}
	status.AvailableUpdates, status.AvailableUpdatesTotal = left, int32(reached) //nolint:gosec // an index of a list of at most 20
}

func (s *state) updateOf(from resolve.Update) platformv1alpha1.AvailableUpdate {
	channels := slices.DeleteFunc(slices.Sorted(slices.Values(from.Channels)), func(name string) bool { return len(name) > resolve.MaxName })
	update := platformv1alpha1.AvailableUpdate{
		Version:  bounded(from.Version.String(), resolve.MaxVersion),
		Channels: channels[:min(len(channels), platformv1alpha1.MaxUpdateChannels)],
	}
	for _, version := range from.Path[:min(len(from.Path), platformv1alpha1.MaxPath)] {
		update.Path = append(update.Path, bounded(version, resolve.MaxVersion))
	}
	reason, why := from.Reason, from.Why
	if reason == "" || reason == platformv1alpha1.BlockedAwaitingApproval {
		if other, text := s.heldUp(from); other != "" {
			reason, why = other, text
		}
	}
	if reason != "" {
		update.BlockedReason = reason
		update.BlockedMessage = bounded(fmt.Sprintf("Version %s %s.", update.Version, trimStop(why)), maxBlockedMessage)
	}
	return update
}

// heldUp says what keeps a version that could be moved to from being moved to now.
func (s *state) heldUp(update resolve.Update) (reason platformv1alpha1.BlockedReason, why string) {
	if s.operator.Spec.Paused {
		return platformv1alpha1.BlockedPaused, "is not moved to while spec.paused is set"
	}
	if history := s.operator.Status.History; len(history) > 0 && history[0].Bundle == update.Bundle.Name && s.record != nil && sameBundle(*s.record, bundleOf(update.Candidate)) {
		switch history[0].State {
		case platformv1alpha1.HistoryRolledBack:
			return platformv1alpha1.BlockedFailed, "was tried, missed its deadline and was rolled back; it is not tried again before the spec or the catalog changes"
		case platformv1alpha1.HistoryFailed:
			return platformv1alpha1.BlockedFailed, "is being tried and fails; the Progressing condition says why"
		}
	}
	if s.hop.unhealthy {
		return platformv1alpha1.BlockedUnhealthy, fmt.Sprintf("is not moved to while version %s is not healthy; the Progressing condition says why, and the way out", s.record.Version)
	}
	if s.updating != "" && !s.approves(update.Candidate) {
		return platformv1alpha1.BlockedClusterUpdating, fmt.Sprintf("is not moved to while the cluster itself is being updated to %s", s.updating)
	}
	return "", ""
}
