package bundledeployment

import (
	"cmp"
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

func ownerOf(deployment *corev1alpha2.BundleDeployment) store.Owner {
	return store.Owner{Name: deployment.Name, UID: deployment.UID}
}

// loadRevisions reads which revisions are stored, once in a process.
func loadRevisions(ctx context.Context, s *reconciliation) (bool, error) {
	if s.memory.loaded {
		return false, nil
	}
	headers, err := s.c.revisions.List(ctx, ownerOf(s.deployment))
	if err != nil {
		return true, err
	}
	s.memory.history, s.memory.loaded = revision.NewHistory(headers, s.before.Status), true
	return false, nil
}

// loadRevision loads the objects of a revision. One that is damaged is dropped, and is not loaded then.
func (s *reconciliation) loadRevision(ctx context.Context, wanted *revision.Revision) error {
	if wanted.Loaded {
		return nil
	}
	stored, err := s.c.revisions.Load(ctx, ownerOf(s.deployment), wanted.Header)
	if store.IsUnusable(err) {
		return s.lose(ctx, wanted, err)
	}
	if err != nil {
		return err
	}
	if wanted.Plan == "" { // stored by a manager that did not record it
		wanted.Plan = plan.Digest(stored.Objects)
	}
	return s.keepObjects(wanted, stored)
}

// keepObjects keeps the objects of a revision in memory.
func (s *reconciliation) keepObjects(of *revision.Revision, stored *store.Revision) error {
	owner := apply.Owner{Name: s.deployment.Name, Package: s.packageOf(stored.Bundle.Package)}
	set, err := apply.NewSet(owner, s.deployment.Spec.InstallNamespace, plan.Phases(stored.Objects))
	if err != nil {
		return fmt.Errorf("preparing revision %d: %w", stored.Number, err)
	}
	s.memory.sets[of.Number] = set
	of.Loaded, of.Objects = true, set.Len()
	return nil
}

// packageOf returns the package that objects are applied for: the one that the content names, else the one that a PlatformOperator
// has it installed for. Content of plain+v0 need not name any.
func (s *reconciliation) packageOf(named string) string {
	return cmp.Or(named, s.deployment.Labels[platformv1alpha1.LabelPackage])
}

// lose drops a damaged revision, but not that its objects may be in the cluster.
func (s *reconciliation) lose(ctx context.Context, damaged *revision.Revision, cause error) error {
	if err := s.deleteStored(ctx, damaged); err != nil {
		return err
	}
	s.memory.history.Lose(damaged)
	s.memory.addEvent(revision.Event{
		Reason: corev1alpha2.EventRevisionLost, Message: fmt.Sprintf("Revision %d cannot be used any more: %v", damaged.Number, cause), Warning: true,
	})
	return nil
}

func (s *reconciliation) deleteStored(ctx context.Context, unwanted *revision.Revision) error {
	if err := s.c.revisions.Delete(ctx, ownerOf(s.deployment), unwanted.Header); err != nil {
		return err
	}
	delete(s.memory.sets, unwanted.Number)
	return nil
}

// deleteUnlisted deletes what is stored and belongs to no revision.
func (s *reconciliation) deleteUnlisted(ctx context.Context) error {
	var stored []store.Header
	for _, each := range s.memory.history.Stored {
		stored = append(stored, each.Header)
	}
	return s.c.revisions.Clear(ctx, ownerOf(s.deployment), stored)
}

// storeAttempt is an attempt to store a rendering that failed: it is too large, a quota is used up, or another owner's Secret has its
// name. That mostly lasts, and costs much to try.
type storeAttempt struct {
	request fetchRequest
	count   int
	next    time.Time
	err     error
}

const (
	// firstPause is the pause after the first failed write: mostly the next one succeeds. It doubles with every failure.
	firstPause = 250 * time.Millisecond
	// toleratedAttempts is the number of attempts to store a revision that may fail before status reports it.
	toleratedAttempts = 2
)

func (s *reconciliation) pause(failures int) time.Duration {
	return source.Backoff{First: firstPause, Last: s.c.backoff.Last}.After(failures)
}

// storeNew stores what a request led to under the next number. What cannot be stored is tried again with back-off; until then it
// returns no revision, and, after some attempts, why. Only a conflict is returned as err.
func (s *reconciliation) storeNew(ctx context.Context, request fetchRequest, next *store.Revision) (stored *revision.Revision, lasting, err error) {
	attempt := &s.memory.storeAttempt
	if attempt.request != request {
		*attempt = storeAttempt{request: request}
	}
	if !s.c.clock.Now().Before(attempt.next) {
		stored, err = s.saveNext(ctx, next)
		if err == nil || apierrors.IsConflict(err) {
			return stored, nil, err
		}
		attempt.count, attempt.err = attempt.count+1, err
		attempt.next = s.c.clock.Now().Add(s.pause(attempt.count))
	}
	s.retry(attempt.next.Sub(s.c.clock.Now()))
	if attempt.count <= toleratedAttempts {
		return nil, nil, nil
	}
	return nil, attempt.err, nil
}

func (s *reconciliation) saveNext(ctx context.Context, next *store.Revision) (*revision.Revision, error) {
	next.Number = s.memory.history.NextNumber(s.before.Status)
	if err := s.c.revisions.Save(ctx, ownerOf(s.deployment), next); err != nil {
		return nil, err
	}
	stored := revision.New(next.Header)
	s.memory.history.Stored = append(s.memory.history.Stored, stored)
	return stored, s.keepObjects(stored, next)
}
