package revision

import corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"

// State is a state in the lifecycle of a revision. It is more detailed than the state in status.revisions.
type State string

// States of revisions.
const (
	// Pending means that the revision is stored and none of its objects was written.
	Pending State = "Pending"
	// WaitingForClass means that the ProvisionerClass does not allow the revision.
	WaitingForClass State = "WaitingForClass"
	// WaitingForCRDSafety means that the revision changes a CustomResourceDefinition in an unsafe way, or that this is being checked.
	WaitingForCRDSafety State = "WaitingForCRDSafety"
	// WaitingForApproval means that the plan of the revision is not approved.
	WaitingForApproval State = "WaitingForApproval"
	// WaitingForPermissions means that the manager lacks a permission to write at least one of the revision's objects.
	WaitingForPermissions State = "WaitingForPermissions"
	// WaitingForNamespace means that the revision cannot start because the install namespace was refused, for example because it already
	// existed and no user named it. See plan.InstallNamespace.
	WaitingForNamespace State = "WaitingForNamespace"
	// WaitingForCapacity means that objects of too many earlier revisions still exist.
	WaitingForCapacity State = "WaitingForCapacity"
	// RollingOut means that the objects of the revision are being applied or are not healthy yet.
	RollingOut State = "RollingOut"
	// Held means that the revision missed its deadline and was not rolled back. The manager keeps applying its objects.
	Held State = "Held"
	// Active means that the revision became complete and healthy. The manager keeps its objects as declared.
	Active State = "Active"
	// Failed means that the revision was rolled back or replaced before it became complete and healthy.
	Failed State = "Failed"
	// Archived means that the revision was active before.
	Archived State = "Archived"
	// Deleted means that the revision is no longer stored.
	Deleted State = "Deleted"
)

// waitingStates maps each requirement to the state of a revision that waits for it.
var waitingStates = map[Requirement]State{
	Class: WaitingForClass, CRDSafety: WaitingForCRDSafety, Approval: WaitingForApproval, Permissions: WaitingForPermissions, InstallNamespace: WaitingForNamespace, Capacity: WaitingForCapacity,
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
