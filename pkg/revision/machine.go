package revision

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Machine decides one sync of one BundleDeployment. Call Next until it returns Done. It is not safe for concurrent use.
type Machine struct {
	in  Input
	now time.Time
	// next is the index of the current step.
	next int

	// active is the revision that was complete and healthy last; nil if there is none.
	active *Revision
	// desired is the revision of the desired content; nil while it is not stored. While failed is set, it is the active one.
	desired *Revision
	// failed is the revision of the desired content that missed its deadline and is not tried again for this spec.
	failed *Revision
	// selected is true after the search for the desired revision. Before that, no revision is superseded.
	selected bool

	content Content
	// notStored is true if the desired content is stored under an older number and could not be stored under a new one.
	notStored bool
	polled    bool

	check   Check
	checked bool
	// earlier is the desired revision before its start, which is restored if the start cannot be recorded.
	earlier *Revision
	// isStart is true if this sync starts the desired revision, or starts it again.
	isStart bool
	// waiting is the requirement that the desired revision waits for.
	waiting Requirement

	applied, remaining, judged bool
	problem                    Problem
	report                     Report
	// refusal and fault are what is in the way of the desired revision; fault is set if it lasts.
	refusal, fault error
	// observed are the objects of the active revision while a later one is refused, or not started; nil otherwise.
	observed *Report
	verdict  verdict
	// held is the revision that missed its deadline and goes on; nil if there is none.
	held *Revision

	// prunedNow are the revisions whose removal was tried in this sync.
	prunedNow map[int64]bool
	// pruning is what the removal of objects of earlier revisions waits for; pruneBlocked is true if that does not end by itself.
	pruning                                   string
	pruneBlocked                              bool
	watchesKept, leftoversTried, garbageTried bool

	drift Drift
	after time.Duration
}

// NewMachine returns the machine of one sync.
func NewMachine(in Input) *Machine {
	m := &Machine{in: in, prunedNow: map[int64]bool{}}
	if before := m.lastProgressing(); before != nil && before.Reason == corev1alpha2.ReasonDeadlineExceeded {
		if at := slices.IndexFunc(in.History.Stored, (*Revision).isStarted); at >= 0 {
			m.held = in.History.Stored[at]
		}
	}
	return m
}

// Next returns the next action. The time is the current one: deadlines are judged by it.
func (m *Machine) Next(now time.Time) Action {
	m.now = now
	for m.next < len(steps) {
		m.advance()
		if action := steps[m.next].next(m); action.Kind != Done {
			return action
		}
		m.next++
	}
	m.advance()
	return Action{Kind: Done}
}

// After returns the time until the next sync; zero if only a change of an object asks for one.
func (m *Machine) After() time.Duration { return m.after }

// lookAfter asks for a sync after a time; of several requests the first counts.
func (m *Machine) lookAfter(wait time.Duration) {
	if wait > 0 && (m.after == 0 || wait < m.after) {
		m.after = wait
	}
}

// Active returns the revision that was complete and healthy last; nil if there is none.
func (m *Machine) Active() *Revision { return m.active }

// Desired returns the revision that the deployment is to run: that of the spec's source, or the active one while the former has
// failed; nil while it is not stored.
func (m *Machine) Desired() *Revision { return m.desired }

// Newest returns the revision of the spec's source, whether or not it failed; nil while it is not stored.
func (m *Machine) Newest() *Revision {
	if m.failed != nil {
		return m.failed
	}
	return m.desired
}

// Failed returns the revision of the spec's source that missed its deadline and is not tried again for this spec; nil if none did.
func (m *Machine) Failed() *Revision { return m.failed }

// KeptRevisions returns the revisions whose objects are never pruned.
func (m *Machine) KeptRevisions() []*Revision {
	var kept []*Revision
	for _, each := range []*Revision{m.active, m.desired} {
		if each != nil {
			kept = append(kept, each)
		}
	}
	return kept
}

// AppliedRevisions returns the loaded revisions that were applied completely once: only they tell which objects the manager created.
func (m *Machine) AppliedRevisions() []*Revision {
	var applied []*Revision
	for _, each := range m.in.History.Stored {
		if each.Loaded && (m.wasApplied(each) || each.Stored == corev1alpha2.RevisionArchived) {
			applied = append(applied, each)
		}
	}
	return applied
}

// SetDesired makes a stored revision the desired one: it was fetched, stored again, or found by a poll.
func (m *Machine) SetDesired(stored *Revision) {
	if !slices.Contains(m.in.History.Stored, stored) {
		m.in.History.Stored = append(m.in.History.Stored, stored)
	}
	m.desired, m.failed, m.content, m.notStored = stored, nil, Content{}, false
}

// SetContent records what is known of the desired content while it is not stored. It ends Fetch, and Store.
func (m *Machine) SetContent(content Content) { m.content, m.notStored = content, true }

// Content returns what SetContent recorded.
func (m *Machine) Content() Content { return m.content }

// RequirementInterval is how often a requirement that does not hold is checked again: no watch tells when permissions are granted.
const RequirementInterval = 15 * time.Second

// SetCheck ends CheckRequirements. An approval is an event, and not polled.
func (m *Machine) SetCheck(check Check) {
	m.check, m.checked = check, true
	if check.Unmet == NoRequirement {
		m.check = m.checkCapacity()
	}
	m.problem = m.check.Problem
	if m.problem.isRefusal() && m.check.Unmet != Approval {
		m.lookAfter(RequirementInterval)
	}
}

// SetApplied ends Apply.
func (m *Machine) SetApplied(report Report, problem Problem) {
	target := m.target()
	target.addAttempt(report)
	m.report, m.problem = report, problem
}

// SetRemaining ends ApplyRemaining. A refusal of something that only the active revision has is not a problem of the desired one:
// it goes away, or is reported when the desired revision is active.
func (m *Machine) SetRemaining(problem Problem) {
	if m.problem.Err == nil && !problem.isRefusal() {
		m.problem = problem
	}
}

// Problem returns why the sync is aborted.
func (m *Machine) Problem() Problem { return m.problem }

// SetObserved ends Observe.
func (m *Machine) SetObserved(report Report) { m.observed = &report }

// SetDrift records what others changed, before Report.
func (m *Machine) SetDrift(drift Drift) { m.drift = drift }

// IsRollingOut reports whether a revision is on its way to become the active one.
func (m *Machine) IsRollingOut() bool { return m.desired != nil && m.desired != m.active }

// target is the revision whose objects are applied: the desired one, or the active one while there is no other.
func (m *Machine) target() *Revision {
	if m.desired != nil {
		return m.desired
	}
	return m.active
}

// wasApplied reports whether everything of a revision was applied once, so that no phase waits for another any more. The Installed
// condition records it of a first revision that never became healthy.
func (m *Machine) wasApplied(r *Revision) bool {
	return r == m.active || r.Stored == corev1alpha2.RevisionActive || r.Applied ||
		m.active == nil && len(m.in.History.Stored) == 1 && len(m.in.History.Lost) == 0 && m.wasInstalled()
}

// wasInstalled reports whether some revision was applied completely, by the status that was written last.
func (m *Machine) wasInstalled() bool {
	return meta.IsStatusConditionTrue(m.in.Deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// isComplete reports whether everything of the target is applied and healthy.
func (m *Machine) isComplete() bool {
	return m.report.Complete && len(m.report.Unready) == 0 && m.refusal == nil && m.fault == nil
}

// lastProgressing returns the Progressing condition that was written last; nil if there is none.
func (m *Machine) lastProgressing() *metav1.Condition {
	return meta.FindStatusCondition(m.in.Deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
}

// wasPaused reports whether spec.paused was set at the last sync.
func (m *Machine) wasPaused() bool {
	before := m.lastProgressing()
	return before != nil && before.Reason == corev1alpha2.ReasonPaused
}

// wasStarted reports whether a revision was rolling out at the last sync, of which something may have been written.
func (m *Machine) wasStarted() bool {
	return slices.ContainsFunc(m.in.Deployment.Status.Revisions, func(each corev1alpha2.Revision) bool {
		return each.State == corev1alpha2.RevisionRollingOut && each.StartedTime != nil
	})
}

// stateInStatus returns the state of a revision in the status that was written last; empty if it is not there.
func (m *Machine) stateInStatus(number int64) corev1alpha2.RevisionState {
	for _, each := range m.in.Deployment.Status.Revisions {
		if each.Number == number {
			return each.State
		}
	}
	return ""
}

// wasSettled reports whether nothing was under way before this sync, so that what differs from the active revision is drift. A
// change of the spec since then makes no difference, unless another revision started.
func (m *Machine) wasSettled() bool {
	if m.in.Deployment.Status.ObservedGeneration != m.in.Deployment.Generation && m.wasStarted() {
		return false
	}
	before := m.lastProgressing()
	return before != nil && (before.Reason == corev1alpha2.ReasonAsExpected || m.failed != nil && m.wasRolledBack())
}

// IsSettled reports whether the active revision is the desired one and nothing was under way before this sync.
func (m *Machine) IsSettled() bool { return m.active != nil && m.desired == m.active && m.wasSettled() }

// wasRolledBack reports whether the rollback of the failed revision was finished before.
func (m *Machine) wasRolledBack() bool {
	before := m.lastProgressing()
	return before != nil && before.Reason == corev1alpha2.ReasonDeadlineExceeded && before.ObservedGeneration == m.in.Deployment.Generation &&
		m.failed != nil && m.stateInStatus(m.failed.Number) == corev1alpha2.RevisionFailed
}
