package revision

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	// maxArchived is the maximum number of revisions that are kept in addition to the active and the desired one. They permit a rollback
	// without access to a registry.
	maxArchived = 3
	// maxRevisions is the maximum length of status.revisions.
	maxRevisions = 8
)

// History is the known state of a BundleDeployment's revisions between syncs. After a restart, NewHistory restores Stored and Lost from the
// cluster; the other fields may start with their zero values.
type History struct {
	// Stored are the stored revisions, oldest first.
	Stored []*Revision
	// Lost are the revisions in status that are no longer stored. Their objects may still exist.
	Lost []corev1alpha2.Revision
	// lostSource is the source of a lost revision of the current spec, and lostResolved is the reference that it was resolved to; both are
	// empty if there is none.
	lostSource, lostResolved string
	// LeftoversRemoved is true after the manager removed the objects that rukpak applied and that are in no revision.
	LeftoversRemoved bool
	// GarbageCollected is true after this process has deleted the stored content that belongs to no revision. Restoring a backup may bring
	// such content back; the controller then sets GarbageCollected to false.
	GarbageCollected bool
	// Faults counts the consecutive syncs that could not apply all objects because of a transient fault, and Refusals those in which
	// something was refused.
	Faults, Refusals int
}

// NewHistory returns the history for stored revisions, oldest first, and the status that was written last.
func NewHistory(headers []Header, status corev1alpha2.BundleDeploymentStatus) History {
	var history History
	for _, header := range headers {
		each := New(header)
		if !isLaterThan(header.Number, status) {
			// The revision did not fit into the status, or the status was lost. So the revision may have been applied.
			each.Stored = corev1alpha2.RevisionArchived
		}
		history.Stored = append(history.Stored, each)
	}
	for _, entry := range status.Revisions {
		found := history.find(entry.Number)
		if found == nil {
			history.Lost = append(history.Lost, lostEntry(entry))
			continue
		}
		found.Stored, found.Started = entry.State, entry.StartedTime
		found.FailedGeneration, found.FailedAttempt = entry.FailedGeneration, entry.FailedAttempt
		found.FailedFor, found.KindsMissing, found.FailureMessage = entry.FailedFor, entry.KindsMissing, entry.FailureMessage
		found.AccountUID = entry.ServiceAccountUID
		found.Approval, found.Applied = PlanApproval{Plan: entry.ApprovedPlan, By: entry.ApprovedBy}, entry.ApprovalState == corev1alpha2.ApprovalFinal
		absent := entry.Presence == corev1alpha2.Absent && entry.StartedTime != nil
		if found.Pruned = absent && entry.State != corev1alpha2.RevisionRollingOut; absent && !found.Pruned {
			found.clean, found.checked, found.reloaded = true, true, true
		}
	}
	return history
}

// isLaterThan reports whether a revision was stored after the status was written. Such a revision was not started, because status records
// each start.
func isLaterThan(number int64, status corev1alpha2.BundleDeploymentStatus) bool {
	return status.ObservedGeneration > 0 && number > status.ActiveRevision &&
		!slices.ContainsFunc(status.Revisions, func(entry corev1alpha2.Revision) bool { return number <= entry.Number })
}

func (h *History) find(number int64) *Revision {
	at := slices.IndexFunc(h.Stored, func(each *Revision) bool { return each.Number == number })
	if at < 0 {
		return nil
	}
	return h.Stored[at]
}

// NextNumber returns the number of the next revision. It is higher than all known numbers, because no number is used twice.
func (h *History) NextNumber(status corev1alpha2.BundleDeploymentStatus) int64 {
	last := status.ActiveRevision
	for _, each := range slices.Concat(status.Revisions, h.Lost) { // status does not have a revision that was lost before its first write
		last = max(last, each.Number)
	}
	for _, each := range h.Stored {
		last = max(last, each.Number)
	}
	return last + 1
}

// Remove removes a revision that is no longer stored.
func (h *History) Remove(number int64) {
	h.Stored = slices.DeleteFunc(h.Stored, func(each *Revision) bool { return each.Number == number })
}

// Lose moves a revision whose stored objects cannot be read from Stored to Lost. Its entry is kept, because its objects in the cluster may
// still exist.
func (h *History) Lose(lost *Revision) {
	h.Remove(lost.Number)
	entry := lost.entry()
	if entry.State != corev1alpha2.RevisionFailed {
		entry.State = corev1alpha2.RevisionArchived
	}
	h.Lost = append(h.Lost, entry)
}

// lostEntry returns the status entry for a revision that was lost while no manager ran. Such a revision can no longer be in state active or
// rolling out.
func lostEntry(entry corev1alpha2.Revision) corev1alpha2.Revision {
	if entry.State == corev1alpha2.RevisionActive || entry.State == corev1alpha2.RevisionRollingOut {
		entry.State = corev1alpha2.RevisionArchived
	}
	return entry
}

// latest returns the newest stored revision with the desired content; nil if there is none.
func (h *History) latest(desired Desired) *Revision {
	for _, each := range slices.Backward(h.Stored) {
		if desired.matches(each.Header) {
			return each
		}
	}
	return nil
}

// Pinned returns the reference by digest that a source was resolved to before; empty if it was never resolved. The controller fetches this
// reference, so that a tag is not resolved again when a different field of the spec changes.
func (h *History) Pinned(desired Desired) string {
	if desired.Resolved != "" {
		return desired.Resolved
	}
	for _, each := range slices.Backward(h.Stored) {
		if each.Source == desired.Source {
			return each.Resolved
		}
	}
	if h.lostSource == desired.Source {
		return h.lostResolved
	}
	return ""
}

// AccountUID returns the UID that a ServiceAccount had when the newest revision that it applies was started; empty if it has applied none.
func (h *History) AccountUID(serviceAccount string) string {
	for _, each := range slices.Backward(h.Stored) {
		if each.ServiceAccount == serviceAccount && each.AccountUID != "" {
			return each.AccountUID
		}
	}
	for _, each := range slices.Backward(h.Lost) {
		if each.ServiceAccountName == serviceAccount && each.ServiceAccountUID != "" {
			return each.ServiceAccountUID
		}
	}
	return ""
}

// KeepResolved keeps the reference that the spec's source was resolved to, if the source's revision was lost while no manager ran. The
// revision is then stored again from that reference, and not from what a tag points to now. It keeps nothing if the spec has changed since.
func (h *History) KeepResolved(deployment *corev1alpha2.BundleDeployment) {
	source, resolved := deployment.Spec.Source.Image, deployment.Status.ResolvedSource
	if len(h.Lost) > 0 && source != nil && resolved != nil && resolved.Image != nil && deployment.Status.ObservedGeneration == deployment.Generation {
		h.lostSource, h.lostResolved = source.Ref, resolved.Image.Ref
	}
}

// Desired is the content that the spec requests.
type Desired struct {
	// Source, Config and ServiceAccount correspond to the fields of Header with these names, and Format to the format of Header.Renderer.
	Source, Config, ServiceAccount, Format string
	// Resolved is the reference of the content by digest; empty if any digest that Source was resolved to is acceptable.
	Resolved string
	// Missing is a clause that names an object that must exist before the content can be fetched; empty if nothing is missing.
	Missing string
}

func (d Desired) matches(header Header) bool {
	return header.Source == d.Source && header.Config == d.Config && header.ServiceAccount == d.ServiceAccount && header.Format() == d.Format &&
		(d.Resolved == "" || header.Resolved == d.Resolved)
}
