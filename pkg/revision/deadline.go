package revision

import (
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	// defaultDeadline is the progress deadline if spec.progressDeadlineSeconds is not set.
	defaultDeadline = corev1alpha2.DefaultProgressDeadlineSeconds * time.Second
	// observationPeriod is the minimum time for which a process observes a revision before the process rolls it back. After a restart, the
	// process must first find out whether the objects are healthy.
	observationPeriod = 10 * time.Second
)

// deadlineResult is the result of comparing an incomplete revision with its deadline.
type deadlineResult int

const (
	undecided deadlineResult = iota
	inTime
	hold
	rollBack
)

// deadline is the input of decide.
type deadline struct {
	// started is the time at which the rollout started, and firstSeen the time at which this process first worked on the revision.
	started, firstSeen, now time.Time
	limit                   time.Duration
	onFailure               corev1alpha2.OnFailure
	// hasActive is true if there is a revision to roll back to.
	hasActive bool
}

// decide returns the result, and the time until it may change; 0 if it does not change over time.
func (d deadline) decide() (deadlineResult, time.Duration) {
	if wait := d.started.Add(d.limit).Sub(d.now); wait > 0 {
		return inTime, wait
	}
	if d.onFailure != corev1alpha2.OnFailureRollback || !d.hasActive {
		return hold, 0
	}
	if wait := d.firstSeen.Add(observationPeriod).Sub(d.now); wait > 0 {
		return hold, wait
	}
	return rollBack, 0
}

// checkDeadline is the step that compares an incomplete revision with its deadline.
func (m *Machine) checkDeadline() Action {
	target := m.desired
	if !m.IsRollingOut() || !target.isStarted() || m.in.Deployment.Spec.Paused || m.deadlineResult != undecided {
		return Action{}
	}
	if target.FirstSeen.IsZero() {
		target.FirstSeen = m.now
	}
	if m.in.IsOneRound { // the report is about the same objects as the status, and no later sync has another one
		target.FirstSeen = target.Started.Time
	}
	decided, wait := deadline{
		started: target.Started.Time, firstSeen: target.FirstSeen, now: m.now,
		limit: limitOf(m.in.Deployment.Spec), onFailure: m.in.Deployment.Spec.OnFailure, hasActive: m.active != nil,
	}.decide()
	m.deadlineResult = decided
	m.requeueAfter(wait)
	return Action{}
}
