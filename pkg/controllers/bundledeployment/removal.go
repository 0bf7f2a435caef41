package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
)

// remove takes down what a deleted BundleDeployment applied, in reverse order, and lets it go when nothing of it is left.
// It needs only the stored revisions. Where those are lost, it finds the objects by their labels, but only of kinds that a
// registry+v1 bundle may hold; an Event tells the admin how to find the others. The garbage collector deletes stored content that
// belongs to no revision.
func remove(ctx context.Context, s *state) (bool, error) {
	if s.deployment.DeletionTimestamp == nil {
		return false, nil
	}
	if !isHeld(s.before) {
		s.gone = true
		return true, nil
	}
	s.fetches.cancel(s.deployment.Name)
	if released, err := s.releasedMeanwhile(ctx); released || err != nil {
		s.gone = released
		return true, err
	}
	removal, err := s.takeDown(ctx)
	if apierrors.IsConflict(err) {
		return true, err
	}
	if err != nil || !removal.Done {
		s.reportRemoval(removal, err)
		return true, nil
	}
	for len(s.record.revisions) > 0 { // the same name may be used again before the garbage collector has come to them
		if err := s.drop(ctx, s.record.revisions[0]); err != nil {
			return true, err
		}
	}
	return true, s.release(ctx, removal)
}

// longestLook is the longest pause between looks at a removal that somebody holds up, which no watch tells the end of.
const longestLook = 30 * time.Second

// reportRemoval tells how far a removal is, or what is in its way. What is there is not looked after any more, and nobody knows
// whether it works.
func (s *state) reportRemoval(removal apply.Removal, err error) {
	waiting, blocked := removal.Waiting, false
	var refusal *apply.Refusal
	switch {
	case errors.As(err, &refusal):
		waiting, blocked = refusal.Error(), true
		s.record.refusals++
		s.retry(s.backoff.After(s.record.refusals))
	case err != nil: // whoever waits for the removal has to see what holds it up
		waiting, s.fault = err.Error(), err
		if s.record.unremoved.met(s.clock.Now()); s.record.unremoved.tries < patience {
			return // a moment is no news
		}
		blocked = s.record.unremoved.lasts(s.clock.Now())
	case removal.Held || removal.Stuck:
		blocked = true
		s.record.looks++
		s.retry(min(time.Duration(s.record.looks)*lookAgain, longestLook))
	default:
		s.record.looks, s.record.refusals = 0, 0
		s.retry(lookAgain)
	}
	if s.fault == nil {
		s.record.unremoved = trouble{}
	}
	s.observe()
	if blocked {
		s.set(corev1alpha2.ConditionRemovalBlocked, metav1.ConditionTrue, corev1alpha2.ReasonBlocked, waiting+".")
	} else {
		s.set(corev1alpha2.ConditionRemovalBlocked, metav1.ConditionFalse, corev1alpha2.ReasonRemoving, "The removal goes on by itself.")
	}
	// One that custom resources hold is told as Removing: that is how it was promised (ENG-D13), and why there is a condition beside this.
	switch before := meta.FindStatusCondition(s.before.Status.Conditions, corev1alpha2.ConditionProgressing); {
	case removal.Checking && before != nil && before.Status == metav1.ConditionTrue && before.Reason == corev1alpha2.ReasonRemoving:
		// A check takes seconds: the message stays.
	case blocked && !removal.Held:
		s.set(corev1alpha2.ConditionProgressing, metav1.ConditionFalse, corev1alpha2.ReasonBlocked, "What was applied is not taken down: "+waiting+".")
	default:
		s.set(corev1alpha2.ConditionProgressing, metav1.ConditionTrue, corev1alpha2.ReasonRemoving, "Taking down what was applied: "+waiting+".")
	}
	for _, each := range []string{corev1alpha2.ConditionHealthy, corev1alpha2.ConditionDrifted} {
		s.set(each, metav1.ConditionUnknown, corev1alpha2.ReasonRemoving, "It is being removed, and not looked after any more.")
	}
}

// heldFor is how long remove relies on an answer of the API server that the finalizer is still on a BundleDeployment. A cache that is
// older than that has a stuck watch.
const heldFor = 30 * time.Second

// releasedMeanwhile asks the API server whether somebody took the finalizer off, which is how an admin lets go of an
// operator without taking it down: a manager that was stuck must not do so after all because its cache is old.
func (s *state) releasedMeanwhile(ctx context.Context) (bool, error) {
	if s.clock.Since(s.record.stillHeld) < heldFor {
		return false, nil
	}
	live, err := s.client.Get(ctx, s.deployment.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading BundleDeployment %q before its removal: %w", s.deployment.Name, err)
	}
	if live.UID != s.deployment.UID || !isHeld(live) {
		return true, nil
	}
	s.record.stillHeld = s.clock.Now()
	return false, nil
}

// takeDown removes the objects of every revision whose objects may still be there, as one set, so that the order holds
// across revisions. What was never begun takes no rights to be removed: nothing of it is asked for.
func (s *state) takeDown(ctx context.Context) (apply.Removal, error) {
	var sets []*apply.Set
	for _, each := range slices.Backward(slices.Clone(s.record.revisions)) {
		if !each.left() {
			continue
		}
		usable, err := s.ready(ctx, each)
		if err != nil {
			return apply.Removal{}, err
		}
		if usable {
			sets = append(sets, each.set)
		}
	}
	removal := apply.Removal{Done: true}
	if len(sets) > 0 {
		all, err := s.record.unionOf(s.deployment.Spec.InstallNamespace, sets)
		if err != nil {
			return apply.Removal{}, err
		}
		if removal, err = s.engine.Remove(ctx, all, apply.RemoveOptions{CRDs: s.policies.crds, Applied: s.appliedSets()}); err != nil || !removal.Done {
			return removal, err
		}
	}
	// Stored revisions can be lost, and rukpak had none; what was applied tells by itself whose it is. Of a name that a
	// PlatformOperator claims it does not: that one's objects have the same marks.
	if claimed, err := s.claimed(s.before); claimed || err != nil {
		return removal, err
	}
	owner := apply.Owner{Name: s.deployment.Name, Package: s.packageOf("")}
	if bundle := s.before.Status.Bundle; bundle != nil {
		owner.Package = s.packageOf(bundle.Package)
	}
	leftovers, err := s.engine.Leftovers(ctx, owner, s.deployment.Spec.InstallNamespace)
	if err != nil {
		return removal, err
	}
	rest, err := s.engine.Remove(ctx, leftovers, apply.RemoveOptions{CRDs: s.policies.crds})
	rest.Kept = append(removal.Kept, rest.Kept...)
	return rest, err
}

// unionOf returns the union of the sets that a removal takes down. It is made again only when they are others than at the last call: the
// union of a large bundle's revisions takes seconds. The install namespace never changes.
func (m *memory) unionOf(installNamespace string, sets []*apply.Set) (*apply.Set, error) {
	if m.removalUnion != nil && slices.Equal(m.removalSets, sets) {
		return m.removalUnion, nil
	}
	union, err := apply.Union(installNamespace, sets...)
	if err != nil {
		return nil, err
	}
	m.removalSets, m.removalUnion = sets, union
	return union, nil
}

func (s *state) release(ctx context.Context, removal apply.Removal) error {
	updated := s.before.DeepCopy()
	updated.Finalizers = slices.DeleteFunc(updated.Finalizers, holdsBack)
	if _, err := s.client.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("releasing its finalizer: %w", err)
	}
	s.gone = true
	message := "Removed what was applied"
	for i, kept := range removal.Kept {
		separator := ", "
		if i == 0 {
			separator = "; kept "
		}
		message += separator + kept
	}
	s.tell(notice{corev1alpha2.EventRemoved, message, false})
	if len(s.record.lost) > 0 {
		s.tell(s.lostNotice())
	}
	s.forget(s.deployment.Name)
	return nil
}
