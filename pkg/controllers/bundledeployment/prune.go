package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/revision"
)

// deletionInterval is how often deletions that are under way are looked at again; a watch mostly tells earlier.
const deletionInterval = 2 * time.Second

// prune removes what only an earlier revision has.
func (s *reconciliation) prune(ctx context.Context, action revision.Action) error {
	old := action.Revision
	removal, err := s.removeObjects(ctx, s.memory.sets[old.Number], old.String())
	if err != nil {
		return err
	}
	s.machine.SetPruned(old, removal)
	if removal.Done {
		s.memory.unload(old)
	}
	return nil
}

// keepWatches ends the watches of kinds that no kept revision has.
func (s *reconciliation) keepWatches(context.Context, revision.Action) error {
	s.c.watcher.KeepWatches(apply.Owner{Name: s.deployment.Name}, s.memory.setsOf(s.machine.KeptRevisions())...)
	return nil
}

// removeLeftovers removes objects that only lost revisions had, of the kinds that a registry+v1 bundle may hold: nothing else names them
// any more. It does the same with objects of rukpak.
func (s *reconciliation) removeLeftovers(ctx context.Context, _ revision.Action) error {
	owner := apply.Owner{Name: s.deployment.Name, Package: s.packageOf(s.machine.Active().Bundle.Package)}
	leftovers, err := s.c.remover.Leftovers(ctx, owner, s.deployment.Spec.InstallNamespace)
	if err != nil {
		s.machine.SetLeftovers(revision.Removal{Waiting: err.Error()})
		s.retry(deletionInterval)
		return nil
	}
	inherited := isInherited(s.before) && !s.memory.history.LeftoversRemoved
	of := "a revision that was lost"
	if inherited {
		of = "rukpak"
	}
	removal, err := s.removeObjects(ctx, leftovers, of)
	if err != nil {
		return err
	}
	if removal.Done && len(s.memory.history.Lost) > 0 {
		s.memory.addEvent(s.lostEvent())
	}
	if removal.Done && inherited {
		s.retry(deletionInterval) // to remove rukpak's finalizers
	}
	s.machine.SetLeftovers(removal)
	return nil
}

// removeObjects removes what a set has and kept revisions have not. A fault is reported like what is waited for: it must not keep the
// rest of the status from being written.
func (s *reconciliation) removeObjects(ctx context.Context, set *apply.Set, of string) (revision.Removal, error) {
	options := apply.RemoveOptions{Applied: s.memory.setsOf(s.machine.AppliedRevisions())}
	removal, err := s.c.remover.Remove(ctx, set, options, s.memory.setsOf(s.machine.KeptRevisions())...)
	if refusal := (*apply.Refusal)(nil); errors.As(err, &refusal) {
		s.retry(s.c.backoff.Last)
		return revision.Removal{Waiting: refusal.Error(), Blocked: true}, nil
	}
	if apierrors.IsConflict(err) {
		return revision.Removal{}, err
	}
	if err != nil {
		failures := &s.memory.pruneFailures
		failures.add(s.c.clock.Now())
		s.retry(s.pause(failures.count))
		return revision.Removal{Waiting: err.Error(), Blocked: failures.isLasting(s.c.clock.Now())}, nil
	}
	s.memory.pruneFailures = failures{}
	if len(removal.Deleted)+len(removal.Kept) > 0 {
		s.memory.addEvent(pruneEvent(of, removal))
	}
	if removal.Done {
		return revision.Removal{Done: true}, nil
	}
	s.retry(deletionInterval)
	return revision.Removal{Waiting: removal.Waiting, Blocked: removal.Held || removal.Stuck}, nil
}

// pruneEvent reports which objects of an earlier revision were deleted, and which were left to their owners on purpose.
func pruneEvent(of string, removal apply.Removal) revision.Event {
	var parts []string
	if len(removal.Deleted) > 0 {
		parts = append(parts, fmt.Sprintf("Deleted what only %s had: %s", of, strings.Join(removal.Deleted, ", ")))
	}
	if len(removal.Kept) > 0 {
		parts = append(parts, fmt.Sprintf("Kept of what only %s had: %s", of, strings.Join(removal.Kept, ", ")))
	}
	return revision.Event{Reason: corev1alpha2.EventPruned, Message: strings.Join(parts, ". ")}
}

// lostEvent reports how far objects of lost revisions were looked for, and how to find the rest: their format is not known.
func (s *reconciliation) lostEvent() revision.Event {
	lost := s.memory.history.Lost
	numbers := make([]string, len(lost))
	for i, each := range lost {
		numbers[i] = strconv.FormatInt(each.Number, 10)
	}
	return revision.Event{Reason: corev1alpha2.EventRevisionLost, Warning: true, Message: fmt.Sprintf(
		"What only revision %s had, which cannot be used any more, was looked for among the kinds that a registry+v1 bundle may hold, and removed. "+
			"Of other kinds, and namespaces, something may be left: \"kubectl get KIND -A -l %s=%s\" shows it, for each kind that the bundle had",
		strings.Join(numbers, ", "), corev1alpha2.LabelOwnerName, s.before.Name)}
}
