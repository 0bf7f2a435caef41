package bundledeployment

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
)

// removalMemory is the cache of a removal between syncs.
type removalMemory struct {
	// attempts are the attempts so far that did not complete the removal.
	attempts revision.RemovalAttempts
	// heldTime is the time when the API server last confirmed that the deleted BundleDeployment still has the finalizer.
	heldTime time.Time
	// union caches the union of the removed revisions' objects, because a removal takes many syncs.
	union revisions.Union
}

// remove deletes the objects of a deleted BundleDeployment, in reverse order, and removes its finalizers when no object is left. If the
// BundleDeployment is not being deleted, it does nothing and returns false.
//
// remove needs only the stored revisions. If those are lost, it finds the objects by their labels, but only objects of the kinds that a
// registry+v1 bundle may contain. An Event describes how the admin can find the others. The garbage collector deletes the parts of stored
// content that belong to no revision.
func remove(ctx context.Context, s *reconciliation) (bool, error) {
	if s.deployment.DeletionTimestamp == nil {
		return false, nil
	}
	if !revision.IsHeld(s.before) {
		s.gone = true
		return true, nil
	}
	s.c.cancelFetches(s.deployment.Name, s.memory)
	if released, err := s.isReleased(ctx); released || err != nil {
		s.gone = released
		return true, err
	}
	removal, err := s.removeAll(ctx)
	if apierrors.IsConflict(err) {
		return true, err
	}
	if err != nil || !removal.Done {
		s.reportRemoval(removal, err)
		return true, nil
	}
	history := &s.memory.history
	for len(history.Stored) > 0 { // a new BundleDeployment may have this name before the garbage collector deletes them
		oldest := history.Stored[0]
		if err := s.revisions().Delete(ctx, oldest); err != nil {
			return true, err
		}
		history.Remove(oldest.Number)
	}
	return true, s.release(ctx, removal)
}

// heldPeriod is the time for which the manager relies on the API server's response that a BundleDeployment still has the finalizer. If a
// cache is out of date for longer, its watch is stuck.
const heldPeriod = 30 * time.Second

// isReleased reports whether the BundleDeployment no longer exists, or another client has removed its finalizer. Removing the finalizer
// releases an operator without removing its objects. isReleased reads the BundleDeployment from the API server, at most once every
// heldPeriod, because an outdated cache must not cause the removal of released objects.
func (s *reconciliation) isReleased(ctx context.Context) (bool, error) {
	if s.c.clock.Since(s.memory.removal.heldTime) < heldPeriod {
		return false, nil
	}
	live, err := s.c.client.Get(ctx, s.deployment.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading BundleDeployment %q before its removal: %w", s.deployment.Name, err)
	}
	if live.UID != s.deployment.UID || !revision.IsHeld(live) {
		return true, nil
	}
	s.memory.removal.heldTime = s.c.clock.Now()
	return false, nil
}

// removeAll removes the objects of every revision that may have some, as one set, so that one order applies to all revisions. It then
// removes leftovers. It does not load revisions that were never started, and needs no permissions for their objects.
func (s *reconciliation) removeAll(ctx context.Context) (apply.Removal, error) {
	removal, err := s.removeRevisions(ctx)
	if err != nil || !removal.Done {
		return removal, err
	}
	// Stored revisions can be lost, and rukpak stored none, so the rest is found by labels. This is not possible if a PlatformOperator
	// claims the name, because its objects have the same labels.
	if claimed, err := s.c.isClaimed(s.before); claimed || err != nil {
		return removal, err
	}
	owner := apply.Owner{Name: s.deployment.Name, Package: revisions.PackageOf(s.deployment, "")}
	if bundle := s.before.Status.Bundle; bundle != nil {
		owner.Package = revisions.PackageOf(s.deployment, bundle.Package)
	}
	leftovers, err := s.c.remover.Leftovers(ctx, owner, s.deployment.Spec.InstallNamespace)
	if err != nil {
		return removal, err
	}
	if leftovers.Len() == 0 && s.deployment.Spec.ServiceAccountName != "" { // its namespace is not the manager's, and it may lack every permission
		return removal, nil
	}
	as, err := s.removingIdentity(ctx)
	if err != nil {
		return removal, err
	}
	rest, err := s.c.remover.Remove(ctx, leftovers, apply.RemoveOptions{As: as, CRDs: s.policies.CRDs})
	for _, each := range rest.Kept { // the install namespace is part of both
		if !slices.Contains(removal.Kept, each) {
			removal.Kept = append(removal.Kept, each)
		}
	}
	rest.Kept = removal.Kept
	return rest, err
}

func (s *reconciliation) removeRevisions(ctx context.Context) (apply.Removal, error) {
	var sets []*apply.Set
	for _, each := range slices.Backward(slices.Clone(s.memory.history.Stored)) {
		if !each.HasObjects() {
			continue
		}
		if err := s.loadRevision(ctx, each); err != nil {
			return apply.Removal{}, err
		}
		if each.Loaded {
			sets = append(sets, s.memory.sets[each.Number])
		}
	}
	if len(sets) == 0 {
		return apply.Removal{Done: true}, nil
	}
	all, err := s.memory.removal.union.Of(s.deployment.Spec.InstallNamespace, sets)
	if err != nil {
		return apply.Removal{}, err
	}
	as, err := s.removingIdentity(ctx)
	if err != nil {
		return apply.Removal{}, err
	}
	return s.c.remover.Remove(ctx, all, apply.RemoveOptions{As: as, CRDs: s.policies.CRDs, Applied: s.memory.sets.Of(s.machine.AppliedRevisions())})
}

// reportRemoval reports in the status the progress of a removal, or its error, and schedules the next attempt.
func (s *reconciliation) reportRemoval(removal apply.Removal, err error) {
	now, problem := s.c.clock.Now(), problemOf(err)
	if !problem.Refused {
		s.fault = err
	}
	deletion, retry := s.memory.removal.attempts.Add(revision.RemovalOutcome{
		Waiting: removal.Waiting, Held: removal.Held, Stuck: removal.Stuck, Checking: removal.Checking, Problem: problem,
	}, now, s.c.refusalBackoff)
	s.retry(retry)
	if deletion != nil {
		s.machine.ReportDeletion(&s.deployment.Status, *deletion, now)
	}
}

// release removes the finalizers, so that the API server deletes the BundleDeployment. It then sends the Events about the removal and
// forgets the BundleDeployment.
func (s *reconciliation) release(ctx context.Context, removal apply.Removal) error {
	others := slices.DeleteFunc(slices.Clone(s.before.Finalizers), revision.IsFinalizer)
	if _, err := s.setFinalizers(ctx, others); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("releasing its finalizer: %w", err)
	}
	s.gone = true
	s.send(revision.RemovedEvent(removal.Kept))
	if len(s.memory.history.Lost) > 0 {
		s.send(revision.LeftoversEvent(s.before.Name, &s.memory.history))
	}
	s.c.forget(s.deployment.Name)
	return nil
}
