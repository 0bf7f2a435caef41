package revision

import (
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/drift"
)

// Input is the input of a Machine.
type Input struct {
	// Deployment is the BundleDeployment with the status that was written last. The Machine does not change it.
	Deployment *corev1alpha2.BundleDeployment
	// History is the known state of the revisions. The Machine changes it.
	History *History
	// Desired is the content that the spec requests. The Machine ignores it if UnknownClass is set.
	Desired Desired
	// UnknownClass says why no new content is fetched, as ClassProblem returns it; empty if the provisioner class can be used.
	UnknownClass string
	// ApprovalRequired is true if the spec or the class requires that the plan of a new revision is approved.
	ApprovalRequired bool
	// DriftPolicy is the drift policy of the spec, or that of the class if the spec has none.
	DriftPolicy corev1alpha2.DriftPolicy
	// Inherited is true if rukpak may have applied objects of the deployment that are in no revision.
	Inherited bool
	// RefusalBackoff returns the time until the next attempt after a number of consecutive refusals.
	RefusalBackoff func(refusals int) time.Duration
	// IsOneRound is true if the process ends after one sync. Then periods for which a process observes a revision begin with its rollout.
	IsOneRound bool
}

// Content is the known state of the desired content while no revision of it is stored.
type Content struct {
	// Resolved is the digest reference of the content; empty if it was not fetched.
	Resolved string
	// Invalid says why the content cannot be installed, and how to fix it, in sentences. It is empty if no problem is known.
	Invalid string
	// NotAllowed says why the class does not allow the content, and how to fix it, in sentences. It is empty if no problem is known. If
	// Resolved is set, the content was read.
	NotAllowed string
	// Err says why the content could not be fetched or stored; nil if no attempt failed. The manager tries again.
	Err error
}

// Requirement is a condition that must hold before a rollout can start.
type Requirement int

// The requirements, in the order in which they are checked.
const (
	// NoRequirement means that every requirement holds.
	NoRequirement Requirement = iota
	// Class means that the class must allow the revision.
	Class
	// CRDSafety means that changes of CustomResourceDefinitions must be safe or waived.
	CRDSafety
	// Approval means that the plan must be approved.
	Approval
	// Permissions means that the manager must have permissions to write all objects.
	Permissions
	// InstallNamespace means that the install namespace must be available to this deployment.
	InstallNamespace
	// Capacity means that status.revisions must have space for another revision with objects.
	Capacity
)

// Check is the result of checking the requirements.
type Check struct {
	// Unmet is the first requirement that does not hold or could not be checked; NoRequirement if all hold.
	Unmet Requirement
	// Problem says why Unmet does not hold; zero if all requirements hold.
	Problem Problem
	// Waiting is a clause that says what is being checked in the background; empty if nothing is. Problem is then zero, and another sync follows
	// when the check is done.
	Waiting string
	// AccountUID is the UID of the ServiceAccount that applies the objects; empty for the manager.
	AccountUID string
	// Approval is the approval of the plan; zero if none is required, or if Unmet is Approval. IsUnguarded is true if the plan is approved, and
	// the approval does not count, because an admission policy is not in force.
	Approval    PlanApproval
	IsUnguarded bool
}

// PlanApproval is the approval of a plan: its digest, and the user name of the person who approved it.
type PlanApproval struct{ Plan, By string }

// Problem says why an action failed. The zero value means that it did not fail.
type Problem struct {
	// Err has the cause and the fix.
	Err error
	// Refused is true if retries cannot succeed until an admin or another client changes something. If it is false, the fault is transient.
	Refused bool
	// Lacks says what is missing, such as kinds or permissions, if a change in the cluster can provide it and nothing else causes the
	// problem; empty otherwise.
	Lacks corev1alpha2.FailedFor
}

func (p Problem) isRefusal() bool { return p.Err != nil && p.Refused }

// Report is the progress of a revision's objects.
type Report struct {
	// Total is the number of objects. Ready is the number of objects that are as declared and pass their probe.
	Total, Ready int
	// Unready lists the names of the first objects that are not ready, and why they are not.
	Unready []string
	// Command is a command that shows more about the first unready object; empty if that object does not exist.
	Command string
	// Complete is true if every object is as declared.
	Complete bool
	// Waiting says what the next phase waits for; empty if no phase waits.
	Waiting string
	// MissingKinds are the kinds that the cluster does not serve and the revision does not define, in order.
	MissingKinds []corev1alpha2.MissingKind
	// Written is true if an object was written, or may have been. Exists is true if at least one object of the BundleDeployment exists.
	Written, Exists bool
	// Unread is true if an object's kind cannot be listed or watched, or is not listed in time, so that the state of the object is not known.
	Unread bool
}

// Drift holds the changes that other clients made to the objects.
type Drift struct {
	// Standing holds the changes that this sync found. Its readers skip the repaired ones.
	Standing []corev1alpha2.DriftRecord
	// Unwritten holds the changes since the status was last written, those of the oldest sync first.
	Unwritten []corev1alpha2.DriftRecord
	// Left is true if this sync found drift that it did not revert: something declared was changed or deleted. An addition does not count.
	Left bool
	// UnmatchedIgnores are the entries and pointers in spec.drift.ignore that select nothing.
	UnmatchedIgnores []drift.Unmatched
}

// ActionKind is the kind of an Action.
type ActionKind int

// Kinds of actions, in the order of a sync.
const (
	// Done means that no action is left. Call Machine.Report to fill in the status.
	Done ActionKind = iota
	// CheckFailure means: check whether what Action.Revision lacked when it failed is available now, and call SetProvided. If it lacked
	// permissions, Action.Revision is loaded.
	CheckFailure
	// Load means: load the objects of Action.Revision, and set Loaded and Objects. If they are damaged, call History.Lose.
	Load
	// Store means: store the objects of Action.Revision again, under the next number, and call SetDesired. If storing fails, call
	// SetContent; if the objects are damaged, call History.Lose.
	Store
	// Fetch means: fetch the desired content, and call SetDesired, or SetContent if it cannot be fetched or installed.
	Fetch
	// Poll means: check whether the source has new content. If it has, call SetDesired.
	Poll
	// Restore means: the stored copy of Action.Revision is lost. Store the revision again from its source, and clear Unstored. If that
	// fails, set Unstored to the cause.
	Restore
	// CheckRequirements means: check the requirements for Action.Revision, and pass the result to SetCheck.
	CheckRequirements
	// RecordStart means: write the status that ReportStart fills in, and call StartRecorded, or StartFailed if the write fails.
	RecordStart
	// Apply means: apply the objects of Action.Revision, and call SetApplied.
	Apply
	// ApplyRemaining means: Action.Revision is the active revision. Apply those of its objects that are not in the desired revision, and
	// call SetRemaining.
	ApplyRemaining
	// Abort means: end the sync without writing a status and return Machine.Problem, so that the queue retries.
	Abort
	// Observe means: Action.Revision is the active revision. Read its objects without writing, and call SetObserved.
	Observe
	// Prune means: delete those objects of Action.Revision that are in none of KeptRevisions, and call SetPruned. If the objects of
	// Action.Revision are damaged, call History.Lose.
	Prune
	// Delete means: delete the stored copy of Action.Revision, and call Deleted.
	Delete
	// KeepWatches means: stop watching all objects except those of KeptRevisions.
	KeepWatches
	// RemoveLeftovers means: delete the objects with the deployment's labels that are in none of KeptRevisions, and call SetLeftovers.
	RemoveLeftovers
	// CollectGarbage means: delete stored content that belongs to no revision, and set History.GarbageCollected.
	CollectGarbage
)

// Action is an action that the controller performs.
type Action struct {
	Kind     ActionKind
	Revision *Revision
	// Apply holds the options for Apply and ApplyRemaining.
	Apply ApplyOptions
}

// ApplyOptions are options for applying objects.
type ApplyOptions struct {
	// Gated is true if each phase waits until the previous one is ready. It is false for a revision that was applied completely before.
	Gated bool
	// Trusted is true if the revision is the active one and no rollout or rollback was in progress. In that case, differences are drift.
	Trusted bool
	// Enforce is true if drift is reverted whatever the policy says. It is set if the objects are new or are being restored.
	Enforce bool
}
