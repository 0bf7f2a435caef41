package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
)

const (
	// permissionsPause is how often rights that are missing are asked for at least: nothing tells when they are granted.
	permissionsPause = 15 * time.Second
	// maxMissing is what the API's schema allows in status.plan.permissionsMissing.
	maxMissing = 20
)

// rollOut applies the revision that is wanted, and keeps what the active one has beside it. While there is nothing new to
// apply the active one is kept as it is.
func rollOut(ctx context.Context, s *state) (bool, error) {
	target := s.wanted
	if target == nil {
		target = s.active
	}
	if target == nil {
		return false, nil
	}
	settled := target == s.active && s.settled()
	options := s.options(!s.appliedBefore(target), settled)
	if target != s.active || s.begunBefore() || s.failed != nil && !s.restored() {
		// What others changed is no drift of what was never there, or is being put back.
		options.Drift.Policy = corev1alpha2.DriftEnforce
	}
	err := s.unbegun
	if waits := s.active != nil && target != s.active && !target.begun(); waits || err != nil {
		s.report = apply.Report{Total: target.set.Len()}
	} else {
		err = s.apply(ctx, target, options)
	}
	// Once the newest revision is complete, what only the active one has is about to go: nothing of it may hold that up.
	if s.active != nil && target != s.active && (err != nil || !s.complete()) {
		rest, restErr := s.engine.Apply(ctx, s.active.set.Without(target.set, s.report.Phases), s.options(false, false))
		s.take(rest)
		// What the active revision is refused is not the newest one's fault, and goes away or is told when that takes over.
		if refusal := (*apply.Refusal)(nil); err == nil && !errors.As(restErr, &refusal) {
			err = restErr
		}
	}
	if s.report.Complete {
		target.applied = true
	}
	if err := s.judge(err); err != nil {
		return true, err
	}
	if s.active != nil && target != s.active && (s.refusal != nil || !target.begun()) {
		live := s.engine.Look(ctx, s.active.set)
		s.live = &live
		s.retry(live.RetryAfter)
	}
	if target != s.active && s.complete() && !s.deployment.Spec.Paused {
		s.activate(target)
	}
	s.judgeDeadline()
	return false, nil
}

// apply applies a revision that was begun. Its rights are asked about again when the API server denies something of it.
func (s *state) apply(ctx context.Context, target *revision, options apply.Options) error {
	var err error
	s.report, err = s.engine.Apply(ctx, target.set, options)
	target.tried(s.report)
	s.take(s.report)
	if apierrors.IsForbidden(err) {
		s.engine.Doubt()
		// Where nothing is missing something else forbids it, such as a policy or a quota.
		if denied := s.permitted(ctx, target); len(s.missing) > 0 {
			return denied
		}
	}
	return err
}

// permitted is a refusal when the manager lacks rights for a revision.
func (s *state) permitted(ctx context.Context, target *revision) error {
	var err error
	if s.missing, err = s.missingFor(ctx, target.set); err != nil {
		return err
	}
	if len(s.missing) > 0 {
		s.retry(permissionsPause)
	}
	return apply.NotPermitted(s.deployment.Name, s.missing)
}

func (s *state) options(gated, trusted bool) apply.Options {
	return apply.Options{
		Gated: gated, Trusted: trusted, ReadOnly: s.deployment.Spec.Paused,
		Adoption: s.deployment.Spec.Adoption, Applied: s.appliedSets(), Drift: s.policies.drift,
		Namespace: s.knownNamespace(),
	}
}

// appliedSets are the sets, as far as they are there, of revisions that were applied completely: what they list is ours.
func (s *state) appliedSets() []*apply.Set {
	var sets []*apply.Set
	for _, each := range s.record.revisions {
		if each.set != nil && (s.appliedBefore(each) || each.state == corev1alpha2.RevisionArchived) {
			sets = append(sets, each.set)
		}
	}
	return sets
}

// take notes what one call of the engine tells beside the state of the objects.
func (s *state) take(report apply.Report) {
	s.retry(report.RetryAfter)
	if report.NamespaceSeen {
		s.preexisting = &report.Preexisting
	}
	if report.NamespaceUID != "" {
		s.deployment.Status.InstallNamespaceUID = string(report.NamespaceUID)
	}
	s.record.warnings = s.newWarnings(report.Warnings)
	s.noteDrift(report)
}

// appliedBefore says that everything of a revision was applied once, so that no phase of it waits for another any more. The
// active one was; of a first revision that never became healthy the Installed condition remembers it.
func (s *state) appliedBefore(target *revision) bool {
	return target == s.active || target.applied ||
		s.active == nil && len(s.record.revisions) == 1 && len(s.record.lost) == 0 && meta.IsStatusConditionTrue(s.before.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// activate makes a revision that is complete and healthy the active one.
func (s *state) activate(target *revision) {
	s.active = target
}

// settled says that nothing was under way before this sync: what differs from the active revision is drift.
func (s *state) settled() bool {
	// A spec that changed meanwhile makes no difference to what was applied, unless another revision began to roll out then.
	if s.before.Status.ObservedGeneration != s.before.Generation && s.begunBefore() {
		return false
	}
	progressing := meta.FindStatusCondition(s.before.Status.Conditions, corev1alpha2.ConditionProgressing)
	return progressing != nil && (progressing.Reason == corev1alpha2.ReasonAsExpected || s.failed != nil && s.restored())
}

// begunBefore says that status tells of a revision that is rolling out, and of which something may have been written.
func (s *state) begunBefore() bool {
	return slices.ContainsFunc(s.before.Status.Revisions, func(each corev1alpha2.Revision) bool {
		return each.State == corev1alpha2.RevisionRollingOut && each.StartedTime != nil
	})
}

// restored says that a roll-back was finished before.
func (s *state) restored() bool {
	progressing := meta.FindStatusCondition(s.before.Status.Conditions, corev1alpha2.ConditionProgressing)
	return progressing != nil && progressing.Reason == corev1alpha2.ReasonDeadlineExceeded && progressing.ObservedGeneration == s.before.Generation &&
		s.failed != nil && recorded(s.before.Status.Revisions, s.failed.Number) == corev1alpha2.RevisionFailed
}

// recorded is the state that status has of a revision; empty when it has none.
func recorded(revisions []corev1alpha2.Revision, number int64) corev1alpha2.RevisionState {
	for _, each := range revisions {
		if each.Number == number {
			return each.State
		}
	}
	return ""
}

// complete says that everything of the newest revision is applied and healthy.
func (s *state) complete() bool {
	return s.report.Complete && len(s.report.Unready) == 0 && s.refusal == nil && s.fault == nil
}

// patience is how many syncs in a row may meet a fault of the moment before status tells of it: a conflict or a server
// that restarts is over by then, and a status that follows each of them would only flap.
const patience = 3

// judge sorts an error of applying: a refusal is told and tried again with back-off; a fault of the moment is returned at
// once, so that the queue tries again, until it has lasted.
func (s *state) judge(err error) error {
	if err == nil {
		s.record.faults, s.record.refusals = 0, 0
		return nil
	}
	if errors.As(err, &s.refusal) {
		s.record.faults = 0
		s.record.refusals++
		s.retry(s.backoff.After(s.record.refusals))
		return nil
	}
	if s.record.faults++; s.record.faults < patience {
		return err
	}
	s.fault = fmt.Errorf("rolling out BundleDeployment %q: %w", s.deployment.Name, err)
	return nil
}
