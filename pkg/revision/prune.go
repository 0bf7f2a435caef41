package revision

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Removal is the result of deleting objects.
type Removal struct {
	// Done is true if no object is left.
	Done bool
	// Waiting is a clause that says what the deletion waits for. Blocked is true if the deletion cannot continue on its own.
	Waiting string
	Blocked bool
}

// mayPrune reports whether objects of earlier revisions may be deleted in this sync. The status must already record which revision is
// active and, if a revision failed, that it failed. A lasting fault delays pruning. It does not delay pruning after a failed revision,
// whose objects may be the cause of the fault.
func (m *Machine) mayPrune() bool {
	if m.in.Deployment.Spec.Paused || m.desired == nil || !m.isActiveRecorded() {
		return false
	}
	if m.failed != nil {
		return m.stateInStatus(m.failed.Number) == corev1alpha2.RevisionFailed
	}
	return m.fault == nil
}

// isActiveRecorded reports whether the last written status records the active revision, or there is no active revision.
func (m *Machine) isActiveRecorded() bool {
	return m.active == nil || m.active.Number == m.in.Deployment.Status.ActiveRevision
}

// prune deletes the objects that are only in earlier revisions. It skips revisions that were never started: they have no objects in the
// cluster, and checking for them could need the permissions that those revisions waited for.
func (m *Machine) prune() Action {
	old := slices.DeleteFunc(m.archived(), func(each *Revision) bool { return !each.HasObjects() || m.prunedNow[each.Number] })
	switch {
	case len(old) == 0:
		return Action{}
	case !m.in.Deployment.Spec.Paused && m.desired != nil && !m.isActiveRecorded():
		m.recordPruneWait(Removal{Waiting: "that begins when it is written down which revision is active"})
		return Action{}
	case !m.mayPrune():
		return Action{}
	case !old[0].Loaded:
		return Action{Kind: Load, Revision: old[0]}
	}
	m.prunedNow[old[0].Number] = true
	return Action{Kind: Prune, Revision: old[0]}
}

// SetPruned sets the result of Prune for a revision.
func (m *Machine) SetPruned(r *Revision, removal Removal) {
	r.Pruned = removal.Done
	if !removal.Done {
		m.recordPruneWait(removal)
	}
}

// recordPruneWait records what pruning waits for. A blocked removal replaces one that only waits.
func (m *Machine) recordPruneWait(removal Removal) {
	if removal.Blocked || !m.pruneBlocked {
		m.pruneWaiting, m.pruneBlocked = removal.Waiting, removal.Blocked
	}
}

// isSurplus reports whether a stored revision may be deleted: of more than maxArchived archived revisions, the oldest are surplus. The failed
// revision of the desired content never is, because the manager must know that it failed in order not to retry it.
func (m *Machine) isSurplus(r *Revision) bool {
	if !m.mayPrune() || m.pruneWaiting != "" {
		return false
	}
	archived := m.archived()
	at := slices.Index(archived, r)
	return at >= 0 && r != m.failed && at < len(archived)-maxArchived
}

func (m *Machine) deleteSurplus() Action {
	if _, r := m.find(Delete); r != nil {
		return Action{Kind: Delete, Revision: r}
	}
	return Action{}
}

// Deleted sets the result of Delete: the revision is no longer stored.
func (m *Machine) Deleted(r *Revision) { m.in.History.Remove(r.Number) }

func (m *Machine) keepWatches() Action {
	if m.watchesKept || !m.mayPrune() || m.pruneWaiting != "" {
		return Action{}
	}
	m.watchesKept = true
	return Action{Kind: KeepWatches}
}

// removeLeftovers deletes objects that were only in lost revisions, or that rukpak applied. It waits until the active revision is complete,
// because only then is it known which objects must stay.
func (m *Machine) removeLeftovers() Action {
	if m.leftoversTried || len(m.in.History.Lost) == 0 && !m.isInherited() || m.in.Deployment.Spec.Paused || m.active == nil || m.desired != m.active ||
		!m.isComplete() || !m.isActiveRecorded() || m.pruneWaiting != "" {
		return Action{}
	}
	m.leftoversTried = true
	return Action{Kind: RemoveLeftovers}
}

// isInherited reports whether there may be objects left from rukpak.
func (m *Machine) isInherited() bool {
	return !m.in.History.LeftoversRemoved && m.in.Inherited
}

// SetLeftovers sets the result of RemoveLeftovers.
func (m *Machine) SetLeftovers(removal Removal) {
	if removal.Done {
		m.in.History.Lost, m.in.History.LeftoversRemoved = nil, true
		return
	}
	m.recordPruneWait(removal)
}
