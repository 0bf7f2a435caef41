package revision

import (
	"fmt"
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// step is one step of a sync. next returns the next action of the step, or Done at its end.
type step struct {
	name string
	next func(*Machine) Action
}

// steps lists the steps in the order in which they run. A sync runs each step once.
var steps = []step{
	{"find the active revision", (*Machine).findActive},
	{"find the desired revision", (*Machine).findDesired},
	{"fetch the desired content", (*Machine).fetch},
	{"poll the source", (*Machine).poll},
	{"restore the stored copies", (*Machine).restore},
	{"check the requirements", (*Machine).checkRequirements},
	{"record the start", (*Machine).recordStart},
	{"apply", (*Machine).apply},
	{"apply what only the active revision has", (*Machine).applyRemaining},
	{"classify the problem", (*Machine).classifyProblem},
	{"observe the active revision", (*Machine).observe},
	{"check the deadline", (*Machine).checkDeadline},
	{"prune", (*Machine).prune},
	{"delete surplus revisions", (*Machine).deleteSurplus},
	{"keep watches", (*Machine).keepWatches},
	{"remove leftovers", (*Machine).removeLeftovers},
	{"collect garbage", (*Machine).collectGarbage},
}

func (m *Machine) findActive() Action {
	found := m.in.History.find(m.in.Deployment.Status.ActiveRevision)
	switch {
	case found == nil:
		m.restoreUnwritten()
		return Action{}
	case !found.Loaded:
		return Action{Kind: Load, Revision: found}
	}
	m.active = found
	m.restoreUnwritten()
	return Action{}
}

// restoreUnwritten reverts the activation of a revision if the status that records it was not written. The revision continues to roll out.
func (m *Machine) restoreUnwritten() {
	for _, each := range m.in.History.Stored {
		switch {
		case each == m.active:
			each.Stored = corev1alpha2.RevisionActive
		case each.Stored == corev1alpha2.RevisionActive && each.Started != nil:
			each.Stored = corev1alpha2.RevisionRollingOut
		}
	}
}

// findDesired finds a stored revision with the desired content. If the revision failed in this attempt, it is not retried if another
// revision is active, or was active when it failed. An older revision is stored again under a new number, so that the desired revision is
// always the newest.
func (m *Machine) findDesired() Action {
	found := m.in.History.latest(m.in.Desired)
	switch {
	case m.in.UnknownClass != "" || m.desired != nil || m.notStored || found == nil:
	case found == m.active:
		m.desired = found
	case m.wasTried(found) && !m.isProvided:
		if action, needed := m.checkFailure(found); needed {
			return action
		}
		m.setFailed(found)
	case found == m.in.History.Stored[len(m.in.History.Stored)-1]:
		if !found.Loaded {
			return Action{Kind: Load, Revision: found}
		}
		m.desired = found
	case !m.in.Deployment.Spec.Paused:
		return Action{Kind: Store, Revision: found}
	}
	m.selected = true
	return Action{}
}

func (m *Machine) fetch() Action {
	if m.in.UnknownClass != "" || m.Newest() != nil || m.notStored || m.in.Desired.Missing != "" || m.in.Deployment.Spec.Paused {
		return Action{}
	}
	return Action{Kind: Fetch}
}

func (m *Machine) poll() Action {
	if m.polled || m.Newest() == nil || m.in.Deployment.Spec.Paused {
		return Action{}
	}
	m.polled = true
	return Action{Kind: Poll}
}

func (m *Machine) checkRequirements() Action {
	if m.checked || m.desired == nil || !m.isDue(m.desired) || m.desired.isStarted() {
		return Action{}
	}
	return Action{Kind: CheckRequirements, Revision: m.desired}
}

// checkCapacity checks that status.revisions has space for another revision with objects. Lost revisions do not count, because their
// objects are removed only after a later revision is active.
func (m *Machine) checkCapacity() Check {
	present := 0
	for _, each := range m.in.History.Stored {
		if each != m.desired && (each == m.active || each.presence() == corev1alpha2.Present) {
			present++
		}
	}
	if present < maxRevisions {
		return Check{}
	}
	name := m.in.Deployment.Name
	return Check{Unmet: Capacity, Problem: Problem{Refused: true, Err: fmt.Errorf(
		"BundleDeployment %s: the objects of %d earlier revisions are not removed yet; see what holds them: list the objects with label %s=%s that have a deletionTimestamp, and look at their finalizers",
		name, present, corev1alpha2.LabelOwnerName, name)}}
}

func (m *Machine) recordStart() Action {
	if m.isStart {
		return Action{}
	}
	rule, r := m.find(RecordStart)
	if r == nil {
		return Action{}
	}
	rule.apply(m, r)
	return Action{Kind: RecordStart, Revision: r}
}

// apply applies the objects of the target. If an earlier step had a problem, or if the target has not started and a different revision is
// active, it only reports the number of objects.
func (m *Machine) apply() Action {
	target := m.target()
	if target == nil || m.applied {
		return Action{}
	}
	m.applied = true
	if m.problem.Err != nil || m.check.Waiting != "" || m.active != nil && target != m.active && !target.isStarted() {
		m.report = Report{Total: target.Objects, Waiting: m.check.Waiting}
		return Action{}
	}
	return Action{Kind: Apply, Revision: target, Apply: ApplyOptions{
		Gated:   !m.wasApplied(target),
		Trusted: target == m.active && m.wasSettled(),
		Enforce: target != m.active || m.wasStarted() || m.failed != nil && !m.wasRolledBack(),
	}}
}

// applyRemaining applies the objects that only the active revision has, so that they stay as declared during a rollout. It does nothing if
// the desired revision is complete. In that case these objects are pruned next, and problems with them must not delay the desired revision.
func (m *Machine) applyRemaining() Action {
	if m.remaining || m.active == nil || m.target() == m.active || m.problem.Err == nil && m.isComplete() {
		return Action{}
	}
	m.remaining = true
	return Action{Kind: ApplyRemaining, Revision: m.active}
}

// classifyProblem handles a problem that occurred while applying. It reports a refusal and requests a retry with backoff. For a transient
// fault, it aborts the sync, so that the queue retries; a fault that lasts is reported instead.
func (m *Machine) classifyProblem() Action {
	target, history := m.target(), m.in.History
	if m.isClassified || target == nil {
		return Action{}
	}
	target.Applied = target.Applied || m.report.Complete
	switch {
	case m.problem.Err == nil:
		history.Faults, history.Refusals = 0, 0
		if m.isKindMissing(target) {
			m.refusal = m.missingKinds()
		}
	case m.problem.Refused:
		m.refusal, history.Faults = m.problem.Err, 0
		if !m.isAwaitingApproval() { // a watch reports an approval
			history.Refusals++
			m.requeueAfter(m.in.RefusalBackoff(history.Refusals))
		}
	default:
		if history.Faults++; history.Faults <= ToleratedFailures {
			return Action{Kind: Abort}
		}
		m.fault = fmt.Errorf("rolling out BundleDeployment %q: %w", m.in.Deployment.Name, m.problem.Err)
	}
	m.isClassified = true
	return Action{}
}

func (m *Machine) observe() Action {
	target := m.target()
	if m.observed != nil || m.active == nil || target == m.active || m.refusal == nil && target.isStarted() {
		return Action{}
	}
	return Action{Kind: Observe, Revision: m.active}
}

// Fault returns a transient fault that lasts; nil if there is none. The controller returns it after the status was written.
func (m *Machine) Fault() error { return m.fault }

func (m *Machine) collectGarbage() Action {
	if m.garbageTried || m.in.History.GarbageCollected || m.desired == nil || m.in.Deployment.Spec.Paused {
		return Action{}
	}
	m.garbageTried = true
	return Action{Kind: CollectGarbage}
}

// archived returns the revisions that are neither active nor desired, oldest first.
func (m *Machine) archived() []*Revision {
	return slices.DeleteFunc(slices.Clone(m.in.History.Stored), func(each *Revision) bool { return each == m.active || each == m.desired })
}
