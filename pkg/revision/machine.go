package revision

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Machine decides what one sync of one BundleDeployment does. Call Next until it returns Done. After each action, perform the action and
// set its result on the Machine. A Machine is not safe for concurrent use.
type Machine struct {
	in  Input
	now time.Time
	// next is the index of the current step.
	next int

	// active is the last revision that became complete and healthy; nil if there is none.
	active *Revision
	// desired is the revision of the desired content; nil if no such revision is stored. If failed is set, desired is the active revision.
	desired *Revision
	// failed is the revision of the desired content that missed its deadline in this attempt. The manager does not retry it.
	failed *Revision
	// notRetried is set only if the active revision was lost. It is the revision of the desired content that was rolled back in this
	// attempt. The manager does not retry it, and applies nothing.
	notRetried *Revision
	// selected is true after the search for the desired revision. Only then can a different revision count as superseded.
	selected bool

	content Content
	// notStored is true if the desired content could not be fetched, or stored under a new number.
	notStored bool
	polled    bool
	// restored holds the numbers of the revisions that this sync tried to store again.
	restored map[int64]bool

	// failureChecked is true after CheckFailure. isProvided is true if what the failed revision lacked is available now.
	failureChecked, isProvided bool

	check   Check
	checked bool
	// beforeStart is a copy of the desired revision from before its start. The Machine restores it if the start cannot be recorded.
	beforeStart *Revision
	// isStart is true if this sync starts or restarts the desired revision.
	isStart bool
	// waiting is the requirement that the desired revision waits for.
	waiting Requirement

	applied, remaining, isClassified bool
	problem                          Problem
	report                           Report
	// remainingReport and remainingErr are the results of ApplyRemaining. A refusal is not in remainingErr.
	remainingReport Report
	remainingErr    error
	// refusal and fault say why the desired revision could not be applied. fault is a transient fault that has lasted too long.
	refusal, fault error
	// observed is the report on the active revision if a later revision is refused or has not started; else nil.
	observed       *Report
	deadlineResult deadlineResult
	// held is the revision that missed its deadline and was not rolled back; nil if there is none.
	held *Revision

	// prunedNow holds the numbers of the revisions that this sync tried to prune.
	prunedNow map[int64]bool
	// pruneWaiting says what pruning waits for. pruneBlocked is true if pruning cannot continue on its own.
	pruneWaiting                              string
	pruneBlocked                              bool
	watchesKept, leftoversTried, garbageTried bool

	drift Drift
	after time.Duration
}

// NewMachine returns a Machine for one sync.
func NewMachine(in Input) *Machine {
	m := &Machine{in: in, prunedNow: map[int64]bool{}, restored: map[int64]bool{}}
	if at := slices.IndexFunc(in.History.Stored, (*Revision).isStarted); at >= 0 {
		started := in.History.Stored[at]
		if before := m.lastProgressing(); started.FailedAttempt == "" && before != nil && before.Reason == corev1alpha2.ReasonDeadlineExceeded {
			started.FailedAttempt = m.attempt() // a manager that recorded no attempt held it
		}
		if started.FailedAttempt == m.attempt() {
			m.held = started
		}
	}
	return m
}

// Next returns the next action. now is the current time, with which deadlines are compared.
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

// After returns the time until the next sync; 0 if only a change to an object causes a sync.
func (m *Machine) After() time.Duration { return m.after }

// requeueAfter requests a sync after the given time; 0 requests none. If several syncs are requested, the earliest is used.
func (m *Machine) requeueAfter(wait time.Duration) {
	if wait > 0 && (m.after == 0 || wait < m.after) {
		m.after = wait
	}
}

// Active returns the last revision that became complete and healthy; nil if there is none.
func (m *Machine) Active() *Revision { return m.active }

// Desired returns the revision that the deployment should run: the revision of the spec's source, or, if that one failed, the active
// revision. It is nil if that revision is not stored.
func (m *Machine) Desired() *Revision { return m.desired }

// Newest returns the revision of the spec's source, even if it failed; nil if no such revision is stored.
func (m *Machine) Newest() *Revision {
	switch {
	case m.failed != nil:
		return m.failed
	case m.notRetried != nil:
		return m.notRetried
	}
	return m.desired
}

// KeptRevisions returns the active and the desired revision, if they exist. Their objects are not pruned.
func (m *Machine) KeptRevisions() []*Revision {
	var kept []*Revision
	for _, each := range []*Revision{m.active, m.desired} {
		if each != nil {
			kept = append(kept, each)
		}
	}
	return kept
}

// AppliedRevisions returns the loaded revisions that were applied completely. Only these revisions show which objects the manager created.
func (m *Machine) AppliedRevisions() []*Revision {
	var applied []*Revision
	for _, each := range m.in.History.Stored {
		if each.Loaded && (m.wasApplied(each) || each.Stored == corev1alpha2.RevisionArchived) {
			applied = append(applied, each)
		}
	}
	return applied
}

// SetDesired sets the desired revision after it was fetched, stored again, or found by a poll. If its objects are those of a revision that
// was rolled back in this attempt and then lost, it counts as failed, too.
func (m *Machine) SetDesired(stored *Revision) {
	if !slices.Contains(m.in.History.Stored, stored) {
		m.in.History.Stored = append(m.in.History.Stored, stored)
	}
	m.desired, m.failed, m.notRetried, m.content, m.notStored = stored, nil, nil, Content{}, false
	if m.takeLostFailure(stored); m.wasTried(stored) {
		m.setFailed(stored)
	}
}

// SetContent sets the state of the desired content after Fetch or Store failed.
func (m *Machine) SetContent(content Content) { m.content, m.notStored = content, true }

// RequirementInterval is the time between checks of an unmet requirement. It is needed because no watch reports new permissions, or the labels of
// a namespace.
const RequirementInterval = 15 * time.Second

// SetCheck sets the result of CheckRequirements. If every requirement holds, it also checks the capacity of status.revisions. It does not
// request a later check for a missing approval, because a watch reports the approval.
func (m *Machine) SetCheck(check Check) {
	m.check, m.checked = check, true
	if check.Unmet == NoRequirement {
		m.check = m.checkCapacity()
		m.check.Approval, m.check.AccountUID = check.Approval, check.AccountUID
	}
	m.problem = m.check.Problem
	if m.problem.isRefusal() && !m.isAwaitingApproval() {
		m.requeueAfter(RequirementInterval)
	}
}

// SetApplied sets the result of Apply.
func (m *Machine) SetApplied(report Report, problem Problem) {
	target := m.target()
	target.addAttempt(report)
	m.report, m.problem = report, problem
}

// SetRemaining sets the result of ApplyRemaining. It ignores a refusal, because a refusal concerns only the active revision: a later sync
// prunes the object or reports the refusal.
func (m *Machine) SetRemaining(report Report, problem Problem) {
	m.remainingReport = report
	if problem.isRefusal() {
		return
	}
	m.remainingErr = problem.Err
	if m.problem.Err == nil {
		m.problem = problem
	}
}

// Problem returns the problem with the last action, which is the reason for an Abort.
func (m *Machine) Problem() Problem { return m.problem }

// SetObserved sets the result of Observe.
func (m *Machine) SetObserved(report Report) { m.observed = &report }

// SetDrift sets the changes that other clients made. Call it before Report.
func (m *Machine) SetDrift(drift Drift) { m.drift = drift }

// IsRollingOut reports whether the desired revision is not active yet.
func (m *Machine) IsRollingOut() bool { return m.desired != nil && m.desired != m.active }

// target returns the revision whose objects are applied: the desired one, or the active one if there is no desired one. It is nil if there
// is neither.
func (m *Machine) target() *Revision {
	if m.desired != nil {
		return m.desired
	}
	return m.active
}

// wasApplied reports whether all objects of a revision were applied before. If so, its phases no longer wait for one another. For a first
// revision that never became healthy, this is known from the Installed condition.
func (m *Machine) wasApplied(r *Revision) bool {
	return r == m.active || r.Stored == corev1alpha2.RevisionActive || r.Applied ||
		m.active == nil && len(m.in.History.Stored) == 1 && len(m.in.History.Lost) == 0 && m.wasInstalled()
}

// wasInstalled reports whether the Installed condition is True in the last written status.
func (m *Machine) wasInstalled() bool {
	return meta.IsStatusConditionTrue(m.in.Deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// isComplete reports whether all objects of the target are applied and healthy.
func (m *Machine) isComplete() bool {
	return m.report.Complete && len(m.report.Unready) == 0 && m.refusal == nil && m.fault == nil
}

// lastProgressing returns the Progressing condition of the last written status; nil if there is none.
func (m *Machine) lastProgressing() *metav1.Condition {
	return meta.FindStatusCondition(m.in.Deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
}

// wasPaused reports whether spec.paused was set in the last sync.
func (m *Machine) wasPaused() bool {
	before := m.lastProgressing()
	return before != nil && before.Reason == corev1alpha2.ReasonPaused
}

// wasStarted reports whether the last written status lists a started revision that was rolling out.
func (m *Machine) wasStarted() bool {
	return slices.ContainsFunc(m.in.Deployment.Status.Revisions, func(each corev1alpha2.Revision) bool {
		return each.State == corev1alpha2.RevisionRollingOut && each.StartedTime != nil
	})
}

// stateInStatus returns the state of a revision in the last written status; empty if that status does not list the revision.
func (m *Machine) stateInStatus(number int64) corev1alpha2.RevisionState {
	for _, each := range m.in.Deployment.Status.Revisions {
		if each.Number == number {
			return each.State
		}
	}
	return ""
}

// wasSettled reports whether no rollout or rollback was in progress before this sync, so that differences from the active revision are
// drift. A change to the spec since then matters only if a different revision was started for it.
func (m *Machine) wasSettled() bool {
	if m.in.Deployment.Status.ObservedGeneration != m.in.Deployment.Generation && m.wasStarted() {
		return false
	}
	before := m.lastProgressing()
	if before == nil {
		return false
	}
	switch isQuiet := m.failed == nil && !m.wasStarted(); before.Reason {
	case corev1alpha2.ReasonAsExpected:
		return true
	case corev1alpha2.ReasonPaused:
		return isQuiet
	case corev1alpha2.ReasonBlocked: // for example, because new content cannot be unpacked
		return isQuiet && !m.wasOtherPresent()
	case corev1alpha2.ReasonRollingOut: // while new content is unpacked
		return isQuiet && !m.wasOtherPresent() && m.desired == nil
	}
	return m.failed != nil && m.wasRolledBack()
}

// wasOtherPresent reports whether, according to the last written status, the cluster may contain objects of a revision other than the
// active one, for example after an abandoned rollout.
func (m *Machine) wasOtherPresent() bool {
	status := m.in.Deployment.Status
	return slices.ContainsFunc(status.Revisions, func(each corev1alpha2.Revision) bool {
		return each.Number != status.ActiveRevision && each.Presence != corev1alpha2.Absent
	})
}

// IsSettled reports whether the active revision is the desired one and no rollout or rollback was in progress before this sync.
func (m *Machine) IsSettled() bool { return m.active != nil && m.desired == m.active && m.wasSettled() }

// wasRolledBack reports whether an earlier sync completed the rollback of the failed revision.
func (m *Machine) wasRolledBack() bool {
	before := m.lastProgressing()
	if m.failed == nil || before == nil || before.Reason != corev1alpha2.ReasonDeadlineExceeded || m.stateInStatus(m.failed.Number) != corev1alpha2.RevisionFailed {
		return false
	}
	// Before a change to the spec, a different revision may have missed its deadline.
	return before.ObservedGeneration == m.in.Deployment.Generation || !m.wasStarted() && !m.wasOtherPresent()
}
