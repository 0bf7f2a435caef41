package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// removalMemory is what is kept of a removal between syncs.
type removalMemory struct {
	// looks counts syncs of a removal that does not end by itself, refusals those that were refused.
	looks, refusals int
	failures        failures
	// heldTime is when the API server last confirmed that the finalizer is on the deleted BundleDeployment.
	heldTime time.Time
	// sets are the objects of the revisions that are removed, and union is made of them: a removal takes many syncs.
	sets  []*apply.Set
	union *apply.Set
}

// remove deletes what a deleted BundleDeployment applied, in reverse order, and releases it when nothing is left. It needs only the
// stored revisions. Where those are lost, it finds the objects by their labels, but only of kinds that a registry+v1 bundle may hold;
// an Event tells the admin how to find the others. The garbage collector deletes stored content of no revision.
func remove(ctx context.Context, s *reconciliation) (bool, error) {
	if s.deployment.DeletionTimestamp == nil {
		return false, nil
	}
	if !isHeld(s.before) {
		s.gone = true
		return true, nil
	}
	s.c.fetches.cancel(s.deployment.Name)
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
	for len(history.Stored) > 0 { // the same name may be used again before the garbage collector has come to them
		oldest := history.Stored[0]
		if err := s.deleteStored(ctx, oldest); err != nil {
			return true, err
		}
		history.Remove(oldest.Number)
	}
	return true, s.release(ctx, removal)
}

// heldPeriod is how long an answer of the API server counts that the finalizer is still on a BundleDeployment. A cache that is older
// than that has a stuck watch.
const heldPeriod = 30 * time.Second

// isReleased asks the API server whether the finalizer was removed meanwhile, which is how an admin releases an operator without
// removing its objects: a manager that was stuck must not remove them because its cache is old.
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
	if live.UID != s.deployment.UID || !isHeld(live) {
		return true, nil
	}
	s.memory.removal.heldTime = s.c.clock.Now()
	return false, nil
}

// removeAll removes the objects of every revision that may have some, as one set, so that the order holds across revisions. Of what
// was never started nothing is looked for: that takes no permissions.
func (s *reconciliation) removeAll(ctx context.Context) (apply.Removal, error) {
	removal, err := s.removeRevisions(ctx)
	if err != nil || !removal.Done {
		return removal, err
	}
	// Stored revisions can be lost, and rukpak had none; the labels of objects tell whose they are. They do not if a PlatformOperator
	// claims the name: its objects have the same labels.
	if claimed, err := s.c.isClaimed(s.before); claimed || err != nil {
		return removal, err
	}
	owner := apply.Owner{Name: s.deployment.Name, Package: s.packageOf("")}
	if bundle := s.before.Status.Bundle; bundle != nil {
		owner.Package = s.packageOf(bundle.Package)
	}
	leftovers, err := s.c.remover.Leftovers(ctx, owner, s.deployment.Spec.InstallNamespace)
	if err != nil {
		return removal, err
	}
	rest, err := s.c.remover.Remove(ctx, leftovers, apply.RemoveOptions{CRDs: s.policies.crds})
	rest.Kept = append(removal.Kept, rest.Kept...)
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
	all, err := s.memory.removal.unionOf(s.deployment.Spec.InstallNamespace, sets)
	if err != nil {
		return apply.Removal{}, err
	}
	return s.c.remover.Remove(ctx, all, apply.RemoveOptions{CRDs: s.policies.crds, Applied: s.memory.setsOf(s.machine.AppliedRevisions())})
}

// unionOf returns the union of sets. It is made again only if they are others than at the last call: the union of a large bundle's
// revisions takes seconds. The install namespace never changes.
func (m *removalMemory) unionOf(installNamespace string, sets []*apply.Set) (*apply.Set, error) {
	if m.union != nil && slices.Equal(m.sets, sets) {
		return m.union, nil
	}
	union, err := apply.Union(installNamespace, sets...)
	if err != nil {
		return nil, err
	}
	m.sets, m.union = sets, union
	return union, nil
}

// maxLookInterval is the longest pause between looks at a removal that does not end by itself, which no watch reports the end of.
const maxLookInterval = 30 * time.Second

// reportRemoval reports how far a removal is, or what is in its way.
func (s *reconciliation) reportRemoval(removal apply.Removal, err error) {
	memory := &s.memory.removal
	waiting, blocked := removal.Waiting, false
	var refusal *apply.Refusal
	switch {
	case errors.As(err, &refusal):
		waiting, blocked = refusal.Error(), true
		memory.refusals++
		s.retry(s.c.backoff.After(memory.refusals))
	case err != nil:
		waiting, s.fault = err.Error(), err
		if memory.failures.add(s.c.clock.Now()); memory.failures.count <= toleratedAttempts {
			return
		}
		blocked = memory.failures.isLasting(s.c.clock.Now())
	case removal.Held || removal.Stuck:
		blocked = true
		memory.looks++
		s.retry(min(time.Duration(memory.looks)*deletionInterval, maxLookInterval))
	default:
		memory.looks, memory.refusals = 0, 0
		s.retry(deletionInterval)
	}
	if s.fault == nil {
		memory.failures = failures{}
	}
	s.machine.ReportDeletion(&s.deployment.Status, revision.Deletion{
		Waiting: waiting, Blocked: blocked, Held: removal.Held, Checking: removal.Checking,
	}, s.c.clock.Now())
}

// release removes the finalizers, after which the BundleDeployment goes.
func (s *reconciliation) release(ctx context.Context, removal apply.Removal) error {
	updated := s.before.DeepCopy()
	updated.Finalizers = slices.DeleteFunc(updated.Finalizers, isOurFinalizer)
	if _, err := s.c.client.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil && !apierrors.IsNotFound(err) {
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
	s.send(revision.Event{Reason: corev1alpha2.EventRemoved, Message: message})
	if len(s.memory.history.Lost) > 0 {
		s.send(s.lostEvent())
	}
	s.c.forget(s.deployment.Name)
	return nil
}
