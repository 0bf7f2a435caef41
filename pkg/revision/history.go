package revision

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	// maxArchived is the number of revisions kept beside the active and the desired one: to go back to without a registry.
	maxArchived = 3
	// maxRevisions is the maximum length of status.revisions.
	maxRevisions = 8
)

// History is what is known of a BundleDeployment's revisions between syncs. All of it can be read again from the cluster, or is
// not missed after a restart.
type History struct {
	// Stored are the stored revisions, oldest first.
	Stored []*Revision
	// Lost are revisions in status that are not stored any more. Their objects may still be in the cluster.
	Lost []corev1alpha2.Revision
	// LeftoversRemoved is true after the objects that rukpak applied and no revision has were removed.
	LeftoversRemoved bool
	// GarbageCollected is true after stored content of no revision was deleted, once in a process.
	GarbageCollected bool
	// Faults and Refusals are the numbers of consecutive syncs that could not apply everything, by kind.
	Faults, Refusals int
}

// NewHistory returns the history of stored revisions, given oldest first, and the status that was written last.
func NewHistory(headers []Header, status corev1alpha2.BundleDeploymentStatus) History {
	var history History
	for _, header := range headers {
		each := New(header)
		if !isLaterThan(header.Number, status) {
			// Status had no space for it, or was lost: it may have been applied.
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
		found.FailedGeneration, found.FailureMessage = entry.FailedGeneration, entry.FailureMessage
		absent := entry.Presence == corev1alpha2.Absent && entry.StartedTime != nil
		if found.Pruned = absent && entry.State != corev1alpha2.RevisionRollingOut; absent && !found.Pruned {
			found.clean, found.checked, found.reloaded = true, true, true
		}
	}
	return history
}

// isLaterThan reports whether a revision was stored after the status was written. Then it was not started: the start is in status.
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

// NextNumber returns the number of the next revision. It is higher than all known numbers: no number is used twice.
func (h *History) NextNumber(status corev1alpha2.BundleDeploymentStatus) int64 {
	last := status.ActiveRevision
	for _, each := range status.Revisions {
		last = max(last, each.Number)
	}
	for _, each := range h.Stored {
		last = max(last, each.Number)
	}
	return last + 1
}

// Remove forgets a revision that is not stored any more.
func (h *History) Remove(number int64) {
	h.Stored = slices.DeleteFunc(h.Stored, func(each *Revision) bool { return each.Number == number })
}

// Lose forgets a revision that cannot be read any more, but not that its objects may be in the cluster.
func (h *History) Lose(lost *Revision) {
	h.Remove(lost.Number)
	entry := lost.entry()
	entry.State = corev1alpha2.RevisionArchived
	h.Lost = append(h.Lost, entry)
}

// lostEntry returns the entry of a revision that was lost while no manager ran: it is neither active nor rolling out any more.
func lostEntry(entry corev1alpha2.Revision) corev1alpha2.Revision {
	if entry.State == corev1alpha2.RevisionActive || entry.State == corev1alpha2.RevisionRollingOut {
		entry.State = corev1alpha2.RevisionArchived
	}
	return entry
}

// latest returns the newest stored revision of the desired content; nil if there is none.
func (h *History) latest(desired Desired) *Revision {
	for _, each := range slices.Backward(h.Stored) {
		if desired.matches(each.Header) {
			return each
		}
	}
	return nil
}

// Pinned returns what a source was resolved to; empty if it never was. A tag is not resolved again because another field of the
// spec changed.
func (h *History) Pinned(desired Desired) string {
	if desired.Resolved != "" {
		return desired.Resolved
	}
	for _, each := range slices.Backward(h.Stored) {
		if each.Source == desired.Source {
			return each.Resolved
		}
	}
	return ""
}

// Desired is the content that a spec asks for.
type Desired struct {
	// Source and Config are compared with those of a Header, Format with the format of its renderer.
	Source, Config, Format string
	// Resolved is the content by digest; empty if any content that the source was resolved to will do.
	Resolved string
	// Missing is what must exist before the content can be fetched, as a clause; empty if nothing is missing.
	Missing string
}

func (d Desired) matches(header Header) bool {
	return header.Source == d.Source && header.Config == d.Config && formatOf(header.Renderer) == d.Format &&
		(d.Resolved == "" || header.Resolved == d.Resolved)
}
