package revision

import (
	"time"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	// defaultDeadline is the deadline if the spec has none.
	defaultDeadline = corev1alpha2.DefaultProgressDeadlineSeconds * time.Second
	// observationPeriod is the time for which a process observes a revision before it rolls it back: after a restart, what was
	// healthy all the time has to be seen first.
	observationPeriod = 10 * time.Second
)

// verdict is what a deadline says of a revision that is not complete.
type verdict int

const (
	undecided verdict = iota
	inTime
	hold
	rollBack
)

// deadline is what a verdict is made from.
type deadline struct {
	// started is when the rollout started, firstSeen when this process first worked on it.
	started, firstSeen, now time.Time
	limit                   time.Duration
	onFailure               corev1alpha2.OnFailure
	// hasActive is true if there is a revision to go back to.
	hasActive bool
}

// decide returns the verdict, and the time until it may change; 0 if time alone does not change it.
func (d deadline) decide() (verdict, time.Duration) {
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

// limit returns how long a revision of this spec may take.
func (m *Machine) limit() time.Duration {
	if seconds := m.in.Deployment.Spec.ProgressDeadlineSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return defaultDeadline
}

// judgeDeadline is the step that compares a revision that is not complete with its deadline.
func (m *Machine) judgeDeadline() Action {
	target := m.desired
	if !m.IsRollingOut() || !target.isStarted() || m.in.Deployment.Spec.Paused || m.verdict != undecided {
		return Action{}
	}
	if target.FirstSeen.IsZero() {
		target.FirstSeen = m.now
	}
	decided, wait := deadline{
		started: target.Started.Time, firstSeen: target.FirstSeen, now: m.now,
		limit: m.limit(), onFailure: m.in.Deployment.Spec.OnFailure, hasActive: m.active != nil,
	}.decide()
	m.verdict = decided
	m.lookAfter(wait)
	return Action{}
}
