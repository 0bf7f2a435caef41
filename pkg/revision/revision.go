package revision

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Revision is a stored revision and what is known of its rollout.
type Revision struct {
	Header
	// Stored is the revision's state as status.revisions has it, or will have it after the next write. A revision that was not
	// started has RollingOut or Failed.
	Stored corev1alpha2.RevisionState
	// Started, FailedGeneration and FailureMessage are the fields of status.revisions.
	Started          *metav1.Time
	FailedGeneration int64
	FailureMessage   string
	// Loaded is true while the controller holds the objects, and Objects is their number.
	Loaded  bool
	Objects int
	// Applied is true after all objects were applied once, and Pruned after the objects that no other revision has were deleted.
	Applied, Pruned bool
	// FirstSeen is the time at which this process worked on the revision first; zero before.
	FirstSeen time.Time

	// clean is true as long as no write of an object is known since the start, and nothing was there before it; checked is true
	// if an attempt since then has confirmed that.
	clean, checked bool
	// reloaded is true if clean comes from status: an earlier process may have ended between a write and its next status.
	reloaded bool
}

// New returns a revision that was stored just now.
func New(header Header) *Revision {
	return &Revision{Header: header, Stored: corev1alpha2.RevisionRollingOut}
}

// String returns the name of the revision in the middle of a sentence, such as "revision 2 (version 1.4.0)".
func (r *Revision) String() string { return "r" + r.title()[1:] }

// title is String at the beginning of a sentence.
func (r *Revision) title() string {
	if r.Bundle.Version == "" {
		return fmt.Sprintf("Revision %d", r.Number)
	}
	return fmt.Sprintf("Revision %d (version %s)", r.Number, r.Bundle.Version)
}

// isStarted reports whether the revision was started and is rolling out.
func (r *Revision) isStarted() bool {
	return r.Started != nil && r.Stored == corev1alpha2.RevisionRollingOut
}

// isTouched reports whether objects of the revision may ever have been written. The start is recorded before the first write and
// never forgotten; an active or archived revision without a start is from a status that did not record it.
func (r *Revision) isTouched() bool {
	return r.Started != nil || r.Stored == corev1alpha2.RevisionActive || r.Stored == corev1alpha2.RevisionArchived
}

// HasObjects reports whether objects of the revision may be in the cluster.
func (r *Revision) HasObjects() bool { return r.isTouched() && !r.Pruned }

// hasFailedFor reports whether the revision must not be tried again for a generation of the spec.
func (r *Revision) hasFailedFor(generation int64) bool {
	return r.Stored == corev1alpha2.RevisionFailed && r.FailedGeneration == generation
}

// addAttempt records an attempt to apply the revision. After a restart, objects that are there count as written.
func (r *Revision) addAttempt(report Report) {
	r.clean = r.clean && !report.Written && !report.Complete && (!r.reloaded || !report.Seen)
	r.checked = r.clean
}

// presence reports whether objects of the revision may be in the cluster, for status. A revision that was given up counts as
// present until it is pruned.
func (r *Revision) presence() corev1alpha2.Presence {
	if r.HasObjects() && (!r.checked || r.Stored != corev1alpha2.RevisionRollingOut) {
		return corev1alpha2.Present
	}
	return corev1alpha2.Absent
}

// entry returns the revision as status.revisions has it.
func (r *Revision) entry() corev1alpha2.Revision {
	return corev1alpha2.Revision{
		Number: r.Number, Digest: r.Digest, Version: r.Bundle.Version, State: r.Stored,
		StartedTime: r.Started, FailedGeneration: r.FailedGeneration, FailureMessage: r.FailureMessage,
		Presence: r.presence(), Bundle: r.Bundle.Name, MaxOpenShiftVersions: r.Bundle.MaxOpenShiftVersions,
	}
}

// failure returns why the revision missed its deadline. A manager without the field failureMessage did not record it.
func (r *Revision) failure() string {
	if r.FailureMessage == "" {
		return r.title() + " missed its deadline"
	}
	return r.FailureMessage
}
