package revision

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Revision is a stored revision and the state of its rollout.
type Revision struct {
	Header
	// Stored is the state that status.revisions will show after the next write. The state of a revision that was not started is RollingOut
	// or Failed.
	Stored corev1alpha2.RevisionState
	// Started, FailedGeneration, FailedAttempt, FailedFor, KindsMissing and FailureMessage are the fields of status.revisions with these names.
	Started          *metav1.Time
	FailedGeneration int64
	FailedAttempt    string
	FailedFor        corev1alpha2.FailedFor
	KindsMissing     []corev1alpha2.MissingKind
	FailureMessage   string
	// AccountUID is the UID that the ServiceAccount in Header had when the revision was started; empty before that, and for the manager.
	AccountUID string
	// Approval is the approval with which the revision was started; zero if it needed none.
	Approval PlanApproval
	// Unstored says why the stored copy of the revision is missing or incomplete; nil if it is complete. It is set only for revisions that
	// are loaded or have failed. The manager stores the active and the newest revision again.
	Unstored error
	// Deleting is true after the manager has begun to delete the stored revision. From then on, missing Secrets do not mean that the
	// revision is lost.
	Deleting bool
	// Loaded is true while the controller holds the objects in memory. Objects is the number of these objects.
	Loaded  bool
	Objects int
	// Applied is true after all objects were applied once. Pruned is true after all objects that are in no other revision were deleted.
	Applied, Pruned bool
	// MissingSince is when this process first found that the cluster does not serve a kind of the revision; zero if it serves all kinds.
	MissingSince time.Time
	// FirstSeen is when this process first worked on the revision; zero before that.
	FirstSeen time.Time

	// clean is true while no object of the revision is known to exist, or to have been written, since the revision was started. checked is
	// true if an attempt to apply the revision confirmed that.
	clean, checked bool
	// reloaded is true if the value of clean comes from status. That value may be outdated, because an earlier process may have ended
	// between a write and the next status.
	reloaded bool
}

// New returns a newly stored revision.
func New(header Header) *Revision {
	return &Revision{Header: header, Stored: corev1alpha2.RevisionRollingOut}
}

// String returns the name of the revision for the middle of a sentence, such as "revision 2 (version 1.4.0)".
func (r *Revision) String() string { return "r" + r.title()[1:] }

// title returns the name of the revision for the beginning of a sentence.
func (r *Revision) title() string {
	if r.Bundle.Version == "" {
		return fmt.Sprintf("Revision %d", r.Number)
	}
	return fmt.Sprintf("Revision %d (version %s)", r.Number, r.Bundle.Version)
}

// isStarted reports whether the revision was started and is still rolling out.
func (r *Revision) isStarted() bool {
	return r.Started != nil && r.Stored == corev1alpha2.RevisionRollingOut
}

// isTouched reports whether objects of the revision may ever have been written. Status records the start before the first write. In
// statuses from older managers, active and archived revisions have no recorded start.
func (r *Revision) isTouched() bool {
	return r.Started != nil || r.Stored == corev1alpha2.RevisionActive || r.Stored == corev1alpha2.RevisionArchived
}

// HasObjects reports whether objects of the revision may be in the cluster.
func (r *Revision) HasObjects() bool { return r.isTouched() && !r.Pruned }

// addAttempt records an attempt to apply the revision. After a restart, it treats existing objects as written.
func (r *Revision) addAttempt(report Report) {
	r.clean = r.clean && !report.Written && !report.Complete && (!r.reloaded || !report.Exists)
	r.checked = r.clean
}

// presence returns whether objects of the revision may be in the cluster, for status. A failed revision counts as present until it is
// pruned.
func (r *Revision) presence() corev1alpha2.Presence {
	if r.HasObjects() && (!r.checked || r.Stored != corev1alpha2.RevisionRollingOut) {
		return corev1alpha2.Present
	}
	return corev1alpha2.Absent
}

// entry returns the revision's entry in status.revisions.
func (r *Revision) entry() corev1alpha2.Revision {
	return corev1alpha2.Revision{
		Number: r.Number, Digest: r.Digest, Version: r.Bundle.Version, State: r.Stored,
		StartedTime: r.Started, FailedGeneration: r.FailedGeneration, FailedAttempt: r.FailedAttempt, FailedFor: r.FailedFor, KindsMissing: r.KindsMissing, FailureMessage: r.FailureMessage,
		ServiceAccountName: r.ServiceAccount, ServiceAccountUID: r.AccountUID,
		ApprovedBy: r.Approval.By, ApprovedPlan: r.Approval.Plan, ApprovalState: r.approvalState(),
		Presence: r.presence(), Bundle: r.Bundle.Name, MaxOpenShiftVersions: r.Bundle.MaxOpenShiftVersions,
	}
}

// approvalState returns whether the approval can be withdrawn; empty if the revision was started without one.
func (r *Revision) approvalState() corev1alpha2.ApprovalState {
	switch {
	case r.Approval.Plan == "":
		return ""
	case r.Applied:
		return corev1alpha2.ApprovalFinal
	}
	return corev1alpha2.ApprovalRevocable
}

// failure says why the revision missed its deadline. Older managers did not record failureMessage.
func (r *Revision) failure() string {
	if r.FailureMessage == "" {
		return r.title() + " missed its deadline"
	}
	return r.FailureMessage
}
