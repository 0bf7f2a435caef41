package bundledeployment

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/openshift/platform-operators/pkg/apply"
)

// prune takes away what only revisions had that are neither active nor wanted: of the one before, once the newer one is
// active and status says so, and of one that was given up, at once. Something of a failed one may be what keeps the active
// one from being put back, so that no fault of that holds it up. Of one that was never begun there is nothing: to ask for it could take
// the very rights that kept it from being begun.
func prune(ctx context.Context, s *state) (bool, error) {
	if s.deployment.Spec.Paused || s.wanted == nil {
		return false, nil
	}
	archived := s.archived()
	if s.active != nil && s.active.Number != s.before.Status.ActiveRevision {
		if slices.ContainsFunc(archived, func(each *revision) bool { return each.left() }) {
			s.pruningWaits("that begins when it is written down which revision is active", false)
		}
		return false, nil
	}
	if s.fault != nil && s.failed == nil || s.failed != nil && recorded(s.before.Status.Revisions, s.failed.Number) != failedState {
		return false, nil
	}
	keep := s.kept()
	for _, each := range archived {
		if !each.left() {
			continue
		}
		if err := s.pruneOne(ctx, each, keep); err != nil {
			return true, err
		}
	}
	if s.pruning == "" {
		if err := s.thinOut(ctx, archived); err != nil {
			return true, err
		}
		s.engine.KeepWatches(apply.Owner{Name: s.deployment.Name}, keep...)
	}
	return false, nil
}

// left says that something of a revision that is given up may still be there.
func (r *revision) left() bool { return r.touched() && !r.pruned }

// kept are the sets of which nothing is taken away.
func (s *state) kept() []*apply.Set {
	var keep []*apply.Set
	for _, each := range []*revision{s.active, s.wanted} {
		if each != nil {
			keep = append(keep, each.set)
		}
	}
	return keep
}

// thinOut drops the oldest of too many archived revisions, and never the one that must not be tried again.
func (s *state) thinOut(ctx context.Context, archived []*revision) error {
	surplus := len(archived) - maxArchived
	for _, each := range archived {
		if surplus <= 0 {
			break
		}
		if each == s.failed {
			continue
		}
		if err := s.drop(ctx, each); err != nil {
			return err
		}
		surplus--
	}
	return nil
}

func (s *state) pruneOne(ctx context.Context, old *revision, keep []*apply.Set) error {
	usable, err := s.ready(ctx, old)
	if err != nil || !usable {
		return err
	}
	done, err := s.takeAway(ctx, old.set, keep, name(old))
	if done {
		old.pruned, old.set = true, nil
	}
	return err
}

// pruningWaits notes what pruning waits for. Of several what waits for somebody counts.
func (s *state) pruningWaits(why string, blocked bool) {
	if blocked || !s.pruningBlocked {
		s.pruning, s.pruningBlocked = why, blocked
	}
}

// takeAway removes what of a set is in none of those to keep. What holds it up is told like progress, until it waits for somebody.
func (s *state) takeAway(ctx context.Context, set *apply.Set, keep []*apply.Set, whose string) (bool, error) {
	removal, err := s.engine.Remove(ctx, set, apply.RemoveOptions{Applied: s.appliedSets()}, keep...)
	if refusal := (*apply.Refusal)(nil); errors.As(err, &refusal) {
		s.pruningWaits(refusal.Error(), true)
		s.retry(s.backoff.Last)
		return false, nil
	}
	if apierrors.IsConflict(err) {
		return false, err
	}
	if err != nil { // it is told like a refusal: it must not keep the rest of the status from being written
		s.record.unpruned.met(s.clock.Now())
		s.pruningWaits(err.Error(), s.record.unpruned.lasts(s.clock.Now()))
		s.retry(s.pause(s.record.unpruned.tries))
		return false, nil
	}
	s.record.unpruned = trouble{}
	if len(removal.Deleted)+len(removal.Kept) > 0 {
		s.notify(pruneNotice(whose, removal))
	}
	if !removal.Done {
		s.pruningWaits(removal.Waiting, removal.Held || removal.Stuck)
		s.retry(lookAgain)
	}
	return removal.Done, nil
}

// lookAgain is when deletions that are under way are looked at again; a watch mostly tells earlier.
const lookAgain = 2 * time.Second

// archived are the revisions that are neither active nor wanted, oldest first.
func (s *state) archived() []*revision {
	var archived []*revision
	for _, each := range s.record.revisions {
		if each != s.active && each != s.wanted {
			archived = append(archived, each)
		}
	}
	return archived
}

// sweep looks, after a stored revision was lost, for objects that only that one had, of the kinds that a registry+v1 bundle may
// hold: nothing else names them any more; and for
// objects that rukpak applied. It waits until the active revision is complete, because only then it is known what has to stay.
func sweep(ctx context.Context, s *state) (bool, error) {
	inherited := isInherited(s.before) && !s.record.swept
	if len(s.record.lost) == 0 && !inherited || s.deployment.Spec.Paused || s.active == nil || s.wanted != s.active || !s.complete() ||
		s.active.Number != s.before.Status.ActiveRevision || s.pruning != "" {
		return false, nil
	}
	owner := apply.Owner{Name: s.deployment.Name, Package: s.packageOf(s.active.Bundle.Package)}
	leftovers, err := s.engine.Leftovers(ctx, owner, s.deployment.Spec.InstallNamespace)
	if err != nil {
		s.pruningWaits(err.Error(), false)
		s.retry(lookAgain)
		return false, nil
	}
	whose := "a revision that was lost"
	if inherited {
		whose = "rukpak"
	}
	done, err := s.takeAway(ctx, leftovers, s.kept(), whose)
	if done {
		if len(s.record.lost) > 0 {
			s.notify(s.lostNotice())
		}
		s.record.lost, s.record.swept = nil, true
	}
	if done && inherited {
		s.retry(lookAgain) // to take rukpak's finalizers off
	}
	return err != nil, err
}
