package revision

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Transition is a rule by which a revision changes from one state to another.
type Transition struct {
	// From are the states before the transition, and To is the state after it.
	From []State
	To   State
	// When describes the guard of the transition, and Effect its other effects.
	When, Effect string
	// Action is the action that must succeed before the transition takes effect; Done if there is none.
	Action ActionKind

	guard  func(*Machine, *Revision) bool
	effect func(*Machine, *Revision)
}

var (
	unstarted = []State{Pending, WaitingForClass, WaitingForCRDSafety, WaitingForApproval, WaitingForPermissions, WaitingForNamespace, WaitingForCapacity, Failed, Archived}
	rolling   = []State{RollingOut, Held}
)

// transitions are all rules. If several guards hold, the first rule applies.
var transitions = []Transition{
	{
		From: []State{Pending, RollingOut, Held}, To: Failed,
		When: "the spec asks for other content", Effect: "its objects are pruned",
		guard:  func(m *Machine, r *Revision) bool { return m.selected && r != m.desired },
		effect: func(_ *Machine, r *Revision) { r.Stored = corev1alpha2.RevisionFailed },
	},
	{
		From: []State{Failed}, To: Pending,
		When: "the spec asks for it again, and none of its objects was written", Effect: "none",
		guard:  func(m *Machine, r *Revision) bool { return r == m.desired && !r.isTouched() },
		effect: func(_ *Machine, r *Revision) { r.Stored = corev1alpha2.RevisionRollingOut },
	},
	{
		From: rolling, To: Failed,
		When: "its approval was withdrawn before all objects were applied", Effect: "the objects of the active revision are applied again; the others stay",
		guard:  (*Machine).isWithdrawn,
		effect: func(_ *Machine, r *Revision) { r.Stored, r.Approval = corev1alpha2.RevisionFailed, PlanApproval{} },
	},
	waitFor(Class, "the class does not allow it"),
	waitFor(CRDSafety, "it changes a CustomResourceDefinition in an unsafe way, or this is being checked"),
	waitFor(Approval, "its plan is not approved"),
	waitFor(Permissions, "the manager lacks permissions"),
	waitFor(InstallNamespace, "the manager must not use the install namespace"),
	waitFor(Capacity, "objects of 8 earlier revisions are not removed yet"),
	{
		From: unstarted, To: RollingOut,
		When: "it is desired, not paused, and every requirement holds", Effect: "the start is recorded; the deadline starts",
		Action: RecordStart,
		guard: func(m *Machine, r *Revision) bool {
			return m.isDue(r) && !r.isStarted() && m.checked && m.check.Unmet == NoRequirement
		},
		effect: (*Machine).start,
	},
	{
		From: []State{RollingOut}, To: RollingOut,
		When: "spec.paused is no longer set", Effect: "the start is recorded again; the deadline starts again",
		Action: RecordStart,
		guard:  func(m *Machine, r *Revision) bool { return m.isDue(r) && r.isStarted() && m.wasPaused() },
		effect: (*Machine).start,
	},
	{
		From: []State{RollingOut}, To: RollingOut,
		When: "it was held in another attempt", Effect: "the start is recorded again; the deadline starts again",
		Action: RecordStart,
		guard:  func(m *Machine, r *Revision) bool { return m.isDue(r) && r.isStarted() && r.FailedAttempt != "" },
		effect: (*Machine).start,
	},
	{
		From: rolling, To: Active,
		When: "all objects are applied and healthy", Effect: "it replaces the active revision",
		guard: func(m *Machine, r *Revision) bool { return m.isDue(r) && m.isClassified && m.isComplete() },
		effect: func(m *Machine, r *Revision) {
			m.active, r.Stored = r, corev1alpha2.RevisionActive
			m.forgetFailures(r)
		},
	},
	{
		From: []State{Active}, To: Archived,
		When: "another revision is active", Effect: "objects that only it has are pruned",
		guard:  func(m *Machine, r *Revision) bool { return m.selected && r != m.active },
		effect: func(_ *Machine, r *Revision) { r.Stored = corev1alpha2.RevisionArchived },
	},
	{
		From: rolling, To: Failed,
		When: "its deadline has passed, spec.onFailure is Rollback, and there is an active revision", Effect: "the failure is recorded for this attempt; then the active revision is restored",
		guard:  func(m *Machine, r *Revision) bool { return r == m.desired && m.deadlineResult == rollBack },
		effect: (*Machine).rollBack,
	},
	{
		From: []State{RollingOut}, To: Held,
		When: "its deadline has passed, and it is not rolled back", Effect: "the failure is recorded for this attempt; the manager keeps applying the objects",
		guard:  func(m *Machine, r *Revision) bool { return r == m.desired && m.deadlineResult == hold },
		effect: (*Machine).hold,
	},
	{
		From: []State{Failed, Archived}, To: Deleted,
		When: "its objects are pruned, it is not the failed revision that the spec requests, and at least 3 newer revisions are neither active nor desired", Effect: "the manager deletes its Secrets",
		Action: Delete,
		guard:  (*Machine).isSurplus,
		effect: func(m *Machine, r *Revision) { m.in.History.Remove(r.Number) },
	},
}

// waitFor returns the rule for an unmet requirement. The rule also clears an earlier failure of a revision that is now desired again.
func waitFor(requirement Requirement, when string) Transition {
	return Transition{
		From: []State{Pending, Failed, Archived}, To: waitingStates[requirement],
		When: when, Effect: "nothing is written; the requirement is checked again",
		guard: func(m *Machine, r *Revision) bool {
			return m.isDue(r) && m.checked && m.check.Unmet == requirement
		},
		effect: func(m *Machine, r *Revision) {
			m.waiting = requirement
			m.forgetFailures(r)
		},
	}
}

// isDue reports whether a revision is the desired one and not active yet, and the deployment is not paused.
func (m *Machine) isDue(r *Revision) bool {
	return m.IsRollingOut() && r == m.desired && !m.in.Deployment.Spec.Paused
}

// start is the effect of the transitions that start or restart a revision. Each phase waits for the previous one again, because objects of
// an earlier start were pruned or will be.
func (m *Machine) start(r *Revision) {
	earlier := *r
	m.beforeStart = &earlier
	r.clean, r.checked = !r.HasObjects() || r.clean, false
	now := metav1.NewTime(m.now.Truncate(time.Second))
	r.Started, r.Stored = &now, corev1alpha2.RevisionRollingOut
	m.forgetFailures(r)
	r.Applied, r.Pruned, r.FirstSeen = false, false, time.Time{}
	if m.checked {
		r.Approval, r.AccountUID = m.check.Approval, m.check.AccountUID
	}
	m.waiting, m.held, m.isStart = NoRequirement, nil, true
}

// StartRecorded sets the result of RecordStart: written is the BundleDeployment after the write.
func (m *Machine) StartRecorded(written *corev1alpha2.BundleDeployment) {
	m.in.Deployment, m.beforeStart = written, nil
}

// StartFailed sets the result of RecordStart if the write failed or its result is unknown. The next sync starts the revision again. Objects
// of an earlier start may still exist.
func (m *Machine) StartFailed() {
	*m.desired, m.beforeStart = *m.beforeStart, nil
	if m.desired.isStarted() {
		m.desired.Stored = corev1alpha2.RevisionFailed
	}
}

// hold is the effect of missing the deadline when the revision is not rolled back.
func (m *Machine) hold(r *Revision) {
	m.recordFailure(r)
	m.held = r
}

// rollBack is the effect of missing the deadline when the revision is rolled back. It drops the results for the failed revision. The next
// sync, which begins after the failure was written to status, restores the active revision.
func (m *Machine) rollBack(r *Revision) {
	m.recordFailure(r)
	r.Stored, r.FailedGeneration = corev1alpha2.RevisionFailed, m.in.Deployment.Generation
	m.failed, m.desired, m.held = r, m.active, nil
	m.refusal, m.observed = nil, nil
	m.requeueAfter(time.Millisecond)
}

// apply applies the rule to a revision.
func (t Transition) apply(m *Machine, r *Revision) { t.effect(m, r) }

// find returns the first rule with this action whose guard holds, and the revision to which the rule applies; nil if there is none.
func (m *Machine) find(action ActionKind) (Transition, *Revision) {
	for _, r := range m.in.History.Stored {
		state := m.State(r)
		for _, each := range transitions {
			if each.Action == action && slices.Contains(each.From, state) && each.guard(m, r) {
				return each, r
			}
		}
	}
	return Transition{}, nil
}

// maxTransitions is the maximum number of transitions that advance applies. It prevents an endless loop and is far above the number of
// transitions in one sync.
const maxTransitions = 1000

// advance applies all rules whose guards hold and that need no action.
func (m *Machine) advance() {
	for range maxTransitions {
		rule, r := m.find(Done)
		if r == nil {
			return
		}
		rule.apply(m, r)
	}
}
