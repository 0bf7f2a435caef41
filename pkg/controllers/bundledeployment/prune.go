package bundledeployment

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
)

// prune removes the objects that only an earlier revision contains.
func (s *reconciliation) prune(ctx context.Context, action revision.Action) error {
	old := action.Revision
	removal, err := s.removeObjects(ctx, s.memory.sets[old.Number], old, old.String())
	if err != nil {
		return err
	}
	s.machine.SetPruned(old, removal)
	if removal.Done {
		s.memory.sets.Unload(old)
	}
	return nil
}

// keepWatches ends the watches for kinds that no kept revision contains.
func (s *reconciliation) keepWatches(context.Context, revision.Action) error {
	s.c.watcher.KeepWatches(apply.Owner{Name: s.deployment.Name}, s.memory.sets.Of(s.machine.KeptRevisions())...)
	return nil
}

// removeLeftovers removes the objects of lost revisions and of rukpak that no kept revision contains. No stored revision lists these
// objects, so it finds only those of the kinds that a registry+v1 bundle may contain.
func (s *reconciliation) removeLeftovers(ctx context.Context, _ revision.Action) error {
	owner := apply.Owner{Name: s.deployment.Name, Package: revisions.PackageOf(s.deployment, s.machine.Active().Bundle.Package)}
	leftovers, err := s.c.remover.Leftovers(ctx, owner, s.deployment.Spec.InstallNamespace)
	if err != nil {
		s.machine.SetLeftovers(revision.Removal{Waiting: err.Error()})
		s.retry(revision.DeletionInterval)
		return nil
	}
	inherited := revision.IsInherited(s.before) && !s.memory.history.LeftoversRemoved
	of := "a revision that was lost"
	if inherited {
		of = "rukpak"
	}
	removal, err := s.removeObjects(ctx, leftovers, s.machine.Active(), of)
	if err != nil {
		return err
	}
	if removal.Done && len(s.memory.history.Lost) > 0 {
		s.memory.addEvent(revision.LeftoversEvent(s.before.Name, &s.memory.history))
	}
	if removal.Done && inherited {
		s.retry(revision.DeletionInterval) // to remove rukpak's finalizers
	}
	s.machine.SetLeftovers(removal)
	return nil
}

// removeObjects removes the objects in a set that no kept revision contains, as the ServiceAccount of a revision. It returns an error only for
// a conflict. Any other error
// becomes the reason why the Removal waits, because it must not prevent the write of the status.
func (s *reconciliation) removeObjects(ctx context.Context, set *apply.Set, by *revision.Revision, of string) (revision.Removal, error) {
	removal, err := s.removeUnlessChanged(ctx, set, by)
	if refusal := (*apply.Refusal)(nil); errors.As(err, &refusal) {
		s.retry(s.c.backoff.Last)
		return revision.Removal{Waiting: refusal.Error(), Blocked: true}, nil
	}
	if apierrors.IsConflict(err) {
		return revision.Removal{}, err
	}
	if err != nil {
		failures := &s.memory.pruneFailures
		failures.Add(s.c.clock.Now())
		s.retry(s.c.pauses.After(failures.Count))
		return revision.Removal{Waiting: err.Error(), Blocked: failures.IsLasting(s.c.clock.Now())}, nil
	}
	s.memory.pruneFailures = revision.Failures{}
	if len(removal.Deleted)+len(removal.Kept) > 0 {
		s.memory.addEvent(revision.PruneEvent(of, removal.Deleted, removal.Kept))
	}
	if removal.Done {
		return revision.Removal{Done: true}, nil
	}
	s.retry(revision.DeletionInterval)
	return revision.Removal{Waiting: removal.Waiting, Blocked: removal.Held || removal.Stuck}, nil
}

// removeUnlessChanged removes the objects in a set that no kept revision contains, unless the BundleDeployment on the API server has another
// spec than in the cache. With that spec, it may be paused, or keep other objects.
func (s *reconciliation) removeUnlessChanged(ctx context.Context, set *apply.Set, by *revision.Revision) (apply.Removal, error) {
	account := by.ServiceAccount
	if set.Len() > 0 {
		if err := s.confirmCurrent(ctx); err != nil {
			return apply.Removal{}, err
		}
		var err error
		if account, err = s.removingAccount(ctx, by); err != nil {
			return apply.Removal{}, err
		}
	}
	as, err := s.identityOf(account)
	if err != nil {
		return apply.Removal{}, err
	}
	options := apply.RemoveOptions{As: as, Applied: s.memory.sets.Of(s.machine.AppliedRevisions())}
	return s.c.remover.Remove(ctx, set, options, s.memory.sets.Of(s.machine.KeptRevisions())...)
}
