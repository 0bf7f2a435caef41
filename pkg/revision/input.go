package revision

import (
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Input is what a Machine is built from.
type Input struct {
	// Deployment is the BundleDeployment with the status that was written last. It is not changed.
	Deployment *corev1alpha2.BundleDeployment
	// History is what is known of the revisions. The Machine changes it.
	History *History
	// Desired is the content that the spec asks for. It is not used if UnknownClass is set.
	Desired Desired
	// UnknownClass is why nothing new is fetched, as a clause; empty if the provisioner class is known.
	UnknownClass string
	// DriftPolicy is the spec's, or the class's where the spec has none.
	DriftPolicy corev1alpha2.DriftPolicy
	// Inherited is true if rukpak may have applied objects for the deployment that no revision has.
	Inherited bool
	// RefusalBackoff is the time until the next attempt after a number of consecutive refusals.
	RefusalBackoff func(refusals int) time.Duration
}

// Content is what is known of the desired content while no revision of it is stored.
type Content struct {
	// Resolved is the content by digest, if it was fetched.
	Resolved string
	// Invalid is why the content cannot be installed and what to do, in sentences; empty if that is not known.
	Invalid string
	// Err is why it could not be fetched or stored. That is tried again.
	Err error
}

// Requirement is what must hold before a revision starts.
type Requirement int

// The requirements, in the order in which they are checked.
const (
	// NoRequirement is unmet: the revision may start.
	NoRequirement Requirement = iota
	// Approval of the plan.
	Approval
	// Permissions of the manager to write all objects.
	Permissions
	// InstallNamespace may be used.
	InstallNamespace
	// Capacity of status.revisions for another revision with objects.
	Capacity
)

// Check is the result of the requirements check.
type Check struct {
	// Unmet is the first requirement that does not hold, or could not be checked.
	Unmet Requirement
	// Problem is why.
	Problem Problem
}

// Problem is why something could not be done; the zero value is no problem.
type Problem struct {
	// Err says what, and what to do.
	Err error
	// Refused is true if another attempt alone does not help. Otherwise it is a transient fault.
	Refused bool
}

func (p Problem) isRefusal() bool { return p.Err != nil && p.Refused }

// Report is how far the objects of a revision are.
type Report struct {
	// Total and Ready count the objects, and those that are as declared and pass their probe.
	Total, Ready int
	// Unready names the first objects that are not, and why.
	Unready []string
	// Command tells more of the first of them; empty if the object does not exist.
	Command string
	// Complete is true if every object is as declared.
	Complete bool
	// Waiting is what the next phase waits for; empty if nothing is.
	Waiting string
	// Written is true if an object was, or may have been, written; Seen if one exists.
	Written, Seen bool
}

// Drift is what others changed.
type Drift struct {
	// Standing are the changes that this sync left.
	Standing []corev1alpha2.DriftRecord
	// Unwritten are changes since the last status, oldest first.
	Unwritten []corev1alpha2.DriftRecord
	// Left is true if something that is declared is left as others changed it.
	Left bool
}

// ActionKind is what a controller has to do next.
type ActionKind int

// The actions, in the order of a sync.
const (
	// Done: nothing is left to do. Report fills in the status.
	Done ActionKind = iota
	// Load the objects of Action.Revision. Then set Loaded and Objects, or Lose it if it is damaged.
	Load
	// Store the objects of Action.Revision again, under the next number. Then call SetDesired, or SetContent if that failed, or
	// Lose it if it is damaged.
	Store
	// Fetch the desired content. Then call SetDesired, or SetContent.
	Fetch
	// Poll the source for other content. If there is, call SetDesired.
	Poll
	// CheckRequirements of Action.Revision. Then call SetCheck.
	CheckRequirements
	// RecordStart of Action.Revision: write the status that ReportStart fills in. Then call StartRecorded or StartFailed.
	RecordStart
	// Apply the objects of Action.Revision. Then call SetApplied.
	Apply
	// ApplyRemaining applies what Action.Revision, the active one, has and the desired one has not. Then call SetRemaining.
	ApplyRemaining
	// Abort the sync without a status, with Problem, for the queue to try again.
	Abort
	// Observe the objects of the active revision without writing. Then call SetObserved.
	Observe
	// Prune objects that Action.Revision has and KeptRevisions have not. Then call SetPruned, or Lose it if it is damaged.
	Prune
	// Delete the stored Action.Revision. Then call Deleted.
	Delete
	// KeepWatches of KeptRevisions only. Then call WatchesKept.
	KeepWatches
	// RemoveLeftovers: objects with the deployment's labels that KeptRevisions have not. Then call SetLeftovers.
	RemoveLeftovers
	// CollectGarbage: delete stored content of no revision. Then call GarbageCollected.
	CollectGarbage
)

// Action is the next thing to do.
type Action struct {
	Kind     ActionKind
	Revision *Revision
	// Apply are the options of Apply and ApplyRemaining.
	Apply ApplyOptions
}

// ApplyOptions are how objects are applied.
type ApplyOptions struct {
	// Gated is true if each phase waits for the one before.
	Gated bool
	// Trusted is true if the revision was applied completely before, so that what differs is drift.
	Trusted bool
	// Enforce drift whatever the policy is: the objects were never there, or are being restored.
	Enforce bool
}
