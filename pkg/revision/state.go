package revision

import corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"

// State is a state in the life of a revision. It is finer than the state in status.revisions.
type State string

// The states.
const (
	// Pending: the revision is stored, and nothing of it was written.
	Pending State = "Pending"
	// WaitingForApproval: its plan is not approved.
	WaitingForApproval State = "WaitingForApproval"
	// WaitingForPermissions: the manager may not write all of its objects.
	WaitingForPermissions State = "WaitingForPermissions"
	// WaitingForNamespace: its install namespace must not be used.
	WaitingForNamespace State = "WaitingForNamespace"
	// WaitingForCapacity: objects of too many earlier revisions are not removed yet.
	WaitingForCapacity State = "WaitingForCapacity"
	// RollingOut: its objects are being applied, or are not healthy yet.
	RollingOut State = "RollingOut"
	// Held: it missed its deadline, and goes on when what is in its way is gone.
	Held State = "Held"
	// Active: it was complete and healthy, and its objects are kept as they are declared.
	Active State = "Active"
	// Failed: it was given up before it was complete and healthy.
	Failed State = "Failed"
	// Archived: it was active, and another revision is.
	Archived State = "Archived"
	// Deleted: it is not stored any more.
	Deleted State = "Deleted"
)

// States returns all states, in the order of a revision's life.
func States() []State {
	return []State{
		Pending, WaitingForApproval, WaitingForPermissions, WaitingForNamespace, WaitingForCapacity,
		RollingOut, Held, Active, Failed, Archived, Deleted,
	}
}

// waitingStates has the state of a revision that waits for a requirement.
var waitingStates = map[Requirement]State{
	Approval: WaitingForApproval, Permissions: WaitingForPermissions, InstallNamespace: WaitingForNamespace, Capacity: WaitingForCapacity,
}

// State returns the state of a stored revision.
func (m *Machine) State(r *Revision) State {
	switch {
	case r == m.active || r.Stored == corev1alpha2.RevisionActive:
		return Active
	case r == m.desired && m.waiting != NoRequirement:
		return waitingStates[m.waiting]
	case r.isStarted() && r == m.held:
		return Held
	case r.isStarted():
		return RollingOut
	case r.Stored == corev1alpha2.RevisionArchived:
		return Archived
	case r.Stored == corev1alpha2.RevisionFailed:
		return Failed
	}
	return Pending
}
