package bundledeployment

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
)

const (
	// defaultDeadline is how long a revision may take when the spec does not say.
	defaultDeadline = corev1alpha2.DefaultProgressDeadlineSeconds * time.Second
	// secondLook is how long a manager that comes late looks at a revision before it gives it up: what was healthy all the
	// time has to be seen first.
	secondLook = 10 * time.Second
)

// begin writes down when a revision starts to roll out, before anything of it is written, so that no restart extends its
// deadline, and that nothing of it is healthy yet: whatever becomes of this sync, status does not go on telling of objects that
// were changed meanwhile. One that failed or was given up before starts anew, with a new deadline; so does the deadline of one
// that was paused. One that the manager lacks rights for, or whose install namespace may not be used, does not start:
// nothing of it is written, so that there is never half of it because of something that could be known before, and there is nothing to hold against it: one that failed
// before is told of as failed meanwhile (stateOf), so that its earlier start is not taken for this one.
func begin(ctx context.Context, s *state) (bool, error) {
	if !s.rollingOut() {
		return false, nil
	}
	if s.deployment.Spec.Paused || s.wanted.begun() && !s.resumed() {
		return false, nil
	}
	if !s.wanted.begun() {
		if s.unbegun = s.permitted(ctx, s.wanted); s.unbegun == nil {
			s.unbegun = s.mayUseNamespace(ctx)
		}
		if s.unbegun == nil {
			s.unbegun = s.tooManyPresent()
		}
		if s.unbegun != nil {
			s.wanted.failedGeneration, s.wanted.failureMessage = 0, "" // it is wanted again
			return false, nil
		}
	}
	earlier, state := s.wanted.started, s.wanted.state
	failedGeneration, failureMessage := s.wanted.failedGeneration, s.wanted.failureMessage
	s.wanted.fresh, s.wanted.unwritten = !s.wanted.left() || s.wanted.fresh, false
	now := metav1.NewTime(s.clock.Now().Truncate(time.Second))
	s.wanted.started, s.wanted.state = &now, corev1alpha2.RevisionRollingOut
	s.wanted.failedGeneration, s.wanted.failureMessage = 0, ""
	// What was applied before is pruned, or about to be, so that its phases wait again, and it has to be pruned again.
	s.wanted.applied, s.wanted.pruned, s.wanted.seen = false, false, time.Time{}
	s.record.warnings = nil
	s.deployment.Status.Warnings = s.withNamespaceWarning(nil)
	s.deployment.Status.Plan = nil
	s.reportRevisions()
	s.reportHealthy()
	s.reportProgressing()
	stored, err := s.client.UpdateStatus(ctx, s.deployment, metav1.UpdateOptions{FieldManager: fieldManager})
	if err != nil {
		// It is begun again. What was written of it when it was tried before may still be there.
		if s.wanted.started, s.wanted.state = earlier, state; s.wanted.begun() {
			s.wanted.state = failedState
		}
		s.wanted.failedGeneration, s.wanted.failureMessage = failedGeneration, failureMessage
		return true, fmt.Errorf("writing down its start: %w", err)
	}
	s.before, s.deployment = stored, stored.DeepCopy()
	s.record.wrote(stored, s.clock.Now())
	s.notify(s.startNotice())
	return false, nil
}

// tooManyPresent is a refusal while status has no room for another revision whose objects may be there.
func (s *state) tooManyPresent() error {
	present := 0
	for _, each := range s.record.lost {
		if each.Presence == corev1alpha2.Present {
			present++
		}
	}
	for _, each := range s.record.revisions {
		if each != s.wanted && (each == s.active || each.presence() == corev1alpha2.Present) {
			present++
		}
	}
	if present < maxRevisions {
		return nil
	}
	s.retry(permissionsPause)
	return &apply.Refusal{
		Object: apply.Key{GroupKind: schema.GroupKind{Kind: "BundleDeployment"}, Name: s.deployment.Name},
		Err:    fmt.Errorf("the objects of %d earlier revisions are not removed yet", present),
		Remedy: "see what holds them: list the objects with label " + corev1alpha2.LabelOwnerName + "=" + s.deployment.Name + " that have a deletionTimestamp, and look at their finalizers",
	}
}

// begun says that a revision was begun and is rolling out.
func (r *revision) begun() bool {
	return r.started != nil && r.state == corev1alpha2.RevisionRollingOut
}

// touched says that something of a revision may have been written, now or when it was tried before: its start is written down
// before that, and never forgotten. One without a start is of a status that cannot tell if it was active once.
func (r *revision) touched() bool {
	return r.started != nil || r.state == corev1alpha2.RevisionActive || r.state == corev1alpha2.RevisionArchived
}

// resumed says that spec.paused was set until now.
func (s *state) resumed() bool {
	progressing := meta.FindStatusCondition(s.before.Status.Conditions, corev1alpha2.ConditionProgressing)
	return progressing != nil && progressing.Reason == corev1alpha2.ReasonPaused
}

func (s *state) startNotice() notice {
	if s.active == nil {
		return notice{corev1alpha2.EventRollOutStarted, fmt.Sprintf("Rolling out %s", lower(name(s.wanted))), false}
	}
	return notice{corev1alpha2.EventRollOutStarted, fmt.Sprintf("Rolling out %s; revision %d stays until it is healthy", lower(name(s.wanted)), s.active.Number), false}
}

// deadline is how long a revision of this spec may take.
func (s *state) deadline() time.Duration {
	if seconds := s.deployment.Spec.ProgressDeadlineSeconds; seconds != nil {
		return time.Duration(*seconds) * time.Second
	}
	return defaultDeadline
}

// verdict is what becomes of a revision that is not complete.
type verdict int

const (
	inTime verdict = iota
	hold
	rollBack
)

// judgement is what a verdict is made from.
type judgement struct {
	// started is when the roll-out began, seen when this process first looked at it.
	started, seen, now time.Time
	deadline           time.Duration
	onFailure          corev1alpha2.OnFailure
	// hasActive: there is something to go back to.
	hasActive bool
}

// decide says what becomes of a revision that is not complete, and when to ask again; 0 when time alone changes nothing.
func (j judgement) decide() (verdict, time.Duration) {
	due := j.started.Add(j.deadline)
	if wait := due.Sub(j.now); wait > 0 {
		return inTime, wait
	}
	if j.onFailure != corev1alpha2.OnFailureRollback || !j.hasActive {
		return hold, 0
	}
	if wait := j.seen.Add(secondLook).Sub(j.now); wait > 0 {
		return hold, wait
	}
	return rollBack, 0
}

// judgeDeadline holds a revision that is not complete against its deadline.
func (s *state) judgeDeadline() {
	target := s.wanted
	if !s.rollingOut() || !target.begun() || s.deployment.Spec.Paused {
		return
	}
	if target.seen.IsZero() {
		target.seen = s.clock.Now()
	}
	said, again := judgement{
		started: target.started.Time, seen: target.seen, now: s.clock.Now(),
		deadline: s.deadline(), onFailure: s.deployment.Spec.OnFailure, hasActive: s.active != nil,
	}.decide()
	s.retry(again)
	s.overdue = said != inTime
	if said != rollBack {
		return
	}
	target.state, target.failedGeneration = corev1alpha2.RevisionFailed, s.deployment.Generation
	target.failureMessage = cut(s.failure(), maxFailureMessage)
	s.failed, s.wanted, s.overdue = target, s.active, false
	s.refusal, s.live = nil, nil // they are of the one that was given up
	s.retry(time.Millisecond)    // the failure is written down first, then the revision before is put back
}
