package operatorstatus

import (
	"fmt"
	"slices"
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/attempt"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/truncate"
	"github.com/openshift/platform-operators/pkg/upgrade"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// maxBlockedMessage is the maximum size of the blockedMessage of an update, in bytes; the API has the same limit.
const maxBlockedMessage = 1024

// setUpdates sets status.availableUpdates to the versions above the installed one, newest first, with the path to each or the reason why it
// is blocked. If nothing is installed, it clears the list. While the catalogs cannot be read, it keeps the list of the last sync and only
// removes the versions that have been reached.
func (r *report) setUpdates() {
	status := &r.operator.Status
	if status.Installed == nil {
		status.AvailableUpdates, status.AvailableUpdatesTotal = nil, 0
		r.updates = &UpdateSummary{}
		return
	}
	if r.areUpdatesUnknown() {
		removeReached(status)
		return
	}
	updates := r.decision().Updates
	status.AvailableUpdates, status.AvailableUpdatesTotal = nil, int32(min(len(updates), 1<<30)) //nolint:gosec // bounded in the same line
	for _, update := range updates[:min(len(updates), platformv1alpha1.MaxAvailableUpdates)] {
		status.AvailableUpdates = append(status.AvailableUpdates, r.availableUpdate(update))
	}
	r.updates = summarize(updates, status.AvailableUpdates)
}

// areUpdatesUnknown reports whether the versions above the installed one are unknown, because no catalog was read, none could be read, or
// one has not been read yet.
func (r *report) areUpdatesUnknown() bool {
	decision := r.decision()
	return r.in.Refusal != nil || r.isDecisionPending() || decision.UnreadCatalogs != "" && len(decision.Available) == 0 && len(decision.Refused) == 0
}

// removeReached removes the installed version and all lower ones from the updates that an earlier sync listed, and from their paths. It
// does nothing if the installed version is not among them.
func removeReached(status *platformv1alpha1.PlatformOperatorStatus) {
	reached := slices.IndexFunc(status.AvailableUpdates, func(u platformv1alpha1.AvailableUpdate) bool {
		return u.Version == status.Installed.Version
	})
	if reached < 0 {
		return
	}
	left := slices.Clone(status.AvailableUpdates[:reached]) // the list is newest first: later elements are lower
	for i := range left {
		left[i].Path = left[i].Path[slices.Index(left[i].Path, status.Installed.Version)+1:]
	}
	status.AvailableUpdates, status.AvailableUpdatesTotal = left, int32(reached) //nolint:gosec // an index of a list of at most 20
}

func (r *report) availableUpdate(from resolve.Update) platformv1alpha1.AvailableUpdate {
	channels := slices.DeleteFunc(slices.Sorted(slices.Values(from.Channels)), func(name string) bool { return len(name) > resolve.MaxName })
	update := platformv1alpha1.AvailableUpdate{
		Version:  truncate.Cut(from.Version.String(), resolve.MaxVersion),
		Channels: channels[:min(len(channels), platformv1alpha1.MaxUpdateChannels)],
	}
	for _, version := range from.Path[:min(len(from.Path), platformv1alpha1.MaxPath)] {
		update.Path = append(update.Path, truncate.Cut(version, resolve.MaxVersion))
	}
	reason, why := from.Reason, from.Why()
	if reason == "" || reason == platformv1alpha1.BlockedAwaitingApproval {
		if other, text := r.blockedNow(from); other != "" {
			reason, why = other, text
		}
	}
	if reason != "" {
		update.BlockedReason = reason
		update.BlockedMessage = truncate.Cut(fmt.Sprintf("Version %s %s.", update.Version, upgradestep.TrimStop(why)), maxBlockedMessage)
	}
	return update
}

// blockedNow returns why the operator is not moved now to a version that is otherwise available. The reason is empty if the operator may be
// moved.
func (r *report) blockedNow(update resolve.Update) (reason platformv1alpha1.BlockedReason, why string) {
	if r.operator.Spec.Paused {
		return platformv1alpha1.BlockedPaused, "is not installed while spec.paused is set"
	}
	history, recorded := r.operator.Status.History, r.in.Current.Recorded
	if len(history) > 0 && history[0].Bundle == update.Bundle.Name && recorded != nil && upgradestep.SameBundle(*recorded, upgradestep.BundleOf(update.Candidate)) {
		switch history[0].State {
		case platformv1alpha1.HistoryRolledBack:
			return platformv1alpha1.BlockedFailed, fmt.Sprintf("was tried, missed its deadline and was rolled back; it is not tried again until its bundle, "+
				"spec.install.config, spec.install.adoption or spec.install.progressDeadlineSeconds changes%s, or annotation %s is set to a new value",
				r.repeatedWhen(update.Bundle.Name), platformv1alpha1.AnnotationRetry)
		case platformv1alpha1.HistoryFailed:
			return platformv1alpha1.BlockedFailed, "is being tried and fails; the Progressing condition says why"
		}
	}
	if r.in.Step.Reason == upgradestep.ReasonUnhealthy {
		return platformv1alpha1.BlockedUnhealthy, fmt.Sprintf("is not installed until version %s is healthy; the Progressing condition says why, and what to do", recorded.Version)
	}
	if update.Reason == "" && r.isNextStepUnapproved(update) {
		of := "its plan"
		if len(update.Path) > 1 {
			of = "the plan of version " + recorded.Version
		}
		return platformv1alpha1.BlockedAwaitingPlanApproval, fmt.Sprintf("is not installed before %s is approved; the Progressing condition says how", of)
	}
	if cluster := r.in.Decided.ClusterUpdate; cluster != "" && !r.in.Decided.Spec.Approves(update.Candidate, r.operator.Status.Installed) {
		return platformv1alpha1.BlockedClusterUpdating, fmt.Sprintf("is not installed while the cluster itself is being updated to %s", cluster)
	}
	return "", ""
}

// isNextStepUnapproved reports whether the first upgrade step on the path to an update has begun, and waits for the approval of its plan.
func (r *report) isNextStepUnapproved(update resolve.Update) bool {
	recorded := r.in.Current.Recorded
	if recorded == nil || len(update.Path) == 0 || upgradestep.RolloutOf(r.in.Current.Deployment).State != upgradestep.RolloutAwaitingApproval {
		return false
	}
	next, err := upgrade.ParseVersion(recorded.Version, recorded.Release)
	return err == nil && next.String() == update.Path[0]
}

// repeatedWhen returns the change in the cluster after which a failed version is tried again, as a clause from attempt.RepeatedWhen. bundle
// is the name of the version's bundle.
func (r *report) repeatedWhen(bundle string) string {
	if r.in.Current.Deployment == nil {
		return ""
	}
	for _, revision := range slices.Backward(r.in.Current.Deployment.Status.Revisions) {
		if revision.Bundle == bundle && revision.State == corev1alpha2.RevisionFailed {
			return attempt.RepeatedWhen(revision.FailedFor, revision.KindsMissing)
		}
	}
	return ""
}

// UpdateSummary summarizes the available updates for metrics.
type UpdateSummary struct {
	// Since is the creation time of the oldest version that the operator could be moved to but has not been. It is zero if there is no such
	// version, or if no bundle has a creation time.
	Since time.Time
	// Blocked is the number of blocked versions, keyed by the reason.
	Blocked map[platformv1alpha1.BlockedReason]int
}

// countsAsBehind lists the reasons for which an update may be blocked although the operator could otherwise be moved to it.
// UpdateSummary.Since includes only updates with these reasons; "" is the reason of an update that is not blocked.
var countsAsBehind = map[platformv1alpha1.BlockedReason]bool{
	"":                                       true,
	platformv1alpha1.BlockedAwaitingApproval: true,
	platformv1alpha1.BlockedAwaitingPlanApproval: true,
	platformv1alpha1.BlockedClusterUpdating:      true,
	platformv1alpha1.BlockedFailed:               true,
	platformv1alpha1.BlockedPaused:               true,
	platformv1alpha1.BlockedUnhealthy:            true,
	platformv1alpha1.BlockedRange:                true,
}

// summarize returns the summary of all updates. listed are the first of these updates as they appear in status, where their blocked reasons
// may be different; those take precedence.
func summarize(updates []resolve.Update, listed []platformv1alpha1.AvailableUpdate) *UpdateSummary {
	sum := &UpdateSummary{Blocked: map[platformv1alpha1.BlockedReason]int{}}
	for i, update := range updates {
		reason := update.Reason
		if i < len(listed) {
			reason = listed[i].BlockedReason // status may have a reason that applies only now
		}
		if reason != "" {
			sum.Blocked[reason]++
		}
		if created := creationTime(update.Bundle.CreatedAt); countsAsBehind[reason] && !created.IsZero() && (sum.Since.IsZero() || created.Before(sum.Since)) {
			sum.Since = created
		}
	}
	return sum
}

// creationTime returns the time in the createdAt annotation of a CSV, which authors write in several layouts; zero if the layout is
// unknown.
func creationTime(text string) time.Time {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime, time.DateOnly, "2006/01/02"} {
		if at, err := time.Parse(layout, text); err == nil {
			return at
		}
	}
	return time.Time{}
}
