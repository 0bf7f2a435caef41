package revision

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Removal is what came of removing objects.
type Removal struct {
	// Done is true if none is left.
	Done bool
	// Waiting is what the removal waits for, as a clause, and Blocked is true if that does not end by itself.
	Waiting string
	Blocked bool
}

// mayPrune reports whether objects of earlier revisions may be removed now: of the one before, once status records that the newer
// one is active, and of a failed one, once status records the failure. Something of a failed one may be in the way of the active
// one, so that no fault of that delays it.
func (m *Machine) mayPrune() bool {
	if m.in.Deployment.Spec.Paused || m.desired == nil || !m.isActiveRecorded() {
		return false
	}
	if m.failed != nil {
		return m.stateInStatus(m.failed.Number) == corev1alpha2.RevisionFailed
	}
	return m.fault == nil
}

// isActiveRecorded reports whether status records which revision is active.
func (m *Machine) isActiveRecorded() bool {
	return m.active == nil || m.active.Number == m.in.Deployment.Status.ActiveRevision
}

// prune removes what only earlier revisions have. Of one that was never started there is nothing: to look for it could take the very
// permissions that it waited for.
func (m *Machine) prune() Action {
	old := slices.DeleteFunc(m.archived(), func(each *Revision) bool { return !each.HasObjects() || m.prunedNow[each.Number] })
	switch {
	case len(old) == 0:
		return Action{}
	case !m.in.Deployment.Spec.Paused && m.desired != nil && !m.isActiveRecorded():
		m.pruneWaits(Removal{Waiting: "that begins when it is written down which revision is active"})
		return Action{}
	case !m.mayPrune():
		return Action{}
	case !old[0].Loaded:
		return Action{Kind: Load, Revision: old[0]}
	}
	m.prunedNow[old[0].Number] = true
	return Action{Kind: Prune, Revision: old[0]}
}

// SetPruned ends Prune.
func (m *Machine) SetPruned(r *Revision, removal Removal) {
	r.Pruned = removal.Done
	if !removal.Done {
		m.pruneWaits(removal)
	}
}

// pruneWaits records what pruning waits for. Of several, what does not end by itself counts.
func (m *Machine) pruneWaits(removal Removal) {
	if removal.Blocked || !m.pruneBlocked {
		m.pruning, m.pruneBlocked = removal.Waiting, removal.Blocked
	}
}

// isSurplus reports whether a stored revision is the oldest of too many. The one that must not be tried again is kept.
func (m *Machine) isSurplus(r *Revision) bool {
	if !m.mayPrune() || m.pruning != "" {
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

// Deleted ends Delete.
func (m *Machine) Deleted(r *Revision) { m.in.History.Remove(r.Number) }

func (m *Machine) keepWatches() Action {
	if m.watchesKept || !m.mayPrune() || m.pruning != "" {
		return Action{}
	}
	m.watchesKept = true
	return Action{Kind: KeepWatches}
}

// removeLeftovers looks for objects that only lost revisions had, or that rukpak applied. Only when the active revision is complete,
// it is known what has to stay.
func (m *Machine) removeLeftovers() Action {
	if m.leftoversTried || len(m.in.History.Lost) == 0 && !m.isInherited() || m.in.Deployment.Spec.Paused || m.active == nil || m.desired != m.active ||
		!m.isComplete() || !m.isActiveRecorded() || m.pruning != "" {
		return Action{}
	}
	m.leftoversTried = true
	return Action{Kind: RemoveLeftovers}
}

// isInherited reports whether objects of rukpak have to be looked for.
func (m *Machine) isInherited() bool {
	return !m.in.History.LeftoversRemoved && m.in.Inherited
}

// SetLeftovers ends RemoveLeftovers.
func (m *Machine) SetLeftovers(removal Removal) {
	if removal.Done {
		m.in.History.Lost, m.in.History.LeftoversRemoved = nil, true
		return
	}
	m.pruneWaits(removal)
}
