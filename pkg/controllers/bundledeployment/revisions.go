package bundledeployment

import (
	"context"

	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// loadHistory lists the stored revisions, once for each BundleDeployment and process.
func loadHistory(ctx context.Context, s *reconciliation) (bool, error) {
	if s.memory.loaded {
		return false, nil
	}
	headers, err := s.c.revisions.List(ctx, revisions.OwnerOf(s.deployment))
	if err != nil {
		return true, err
	}
	history := revision.NewHistory(headers, s.before.Status)
	history.KeepResolved(s.before)
	s.memory.history, s.memory.loaded = history, true
	s.addEvents(history.LostEvents(s.before.Status))
	return false, nil
}

func (s *reconciliation) revisions() revisions.Revisions {
	return revisions.Revisions{Store: s.c.revisions, History: &s.memory.history, Sets: s.memory.sets, Deployment: s.before}
}

// loadRevision loads the objects of a revision. If the revision is damaged, it is removed from the history, and Loaded remains false.
func (s *reconciliation) loadRevision(ctx context.Context, wanted *revision.Revision) error {
	events, err := s.revisions().Load(ctx, wanted)
	s.addEvents(events)
	return err
}

// loadVerified loads the objects of a revision, and verifies its Secrets. The watch reports only later changes: another client may have
// changed a Secret while no manager ran. A Secret is not read again if the watch has shown that its metadata is unchanged.
func (s *reconciliation) loadVerified(ctx context.Context, wanted *revision.Revision) error {
	err := s.loadRevision(ctx, wanted)
	if err == nil && wanted.Loaded {
		s.verify(ctx, wanted)
	}
	return err
}

// storeNew stores the result of a request under the next revision number. If it cannot be stored, stored is nil, and storeNew schedules
// another attempt with backoff. If attempts continue to fail, lasting is the reason. Only a conflict is returned as err.
func (s *reconciliation) storeNew(ctx context.Context, request unpack.Request, next *store.Revision) (stored *revision.Revision, lasting, err error) {
	saved, err := s.memory.storeAttempt.Save(ctx, revisions.Saver{Revisions: s.revisions(), Clock: s.c.clock, Backoff: s.c.pauses.After, Grants: s.c.grants()}, request, next)
	s.retry(saved.Retry)
	return saved.Revision, saved.Err, err
}

// setDesired stores the result of a request, and makes it the desired revision. If it cannot be stored, the machine receives the reason
// instead, and another attempt is scheduled.
func (s *reconciliation) setDesired(ctx context.Context, request unpack.Request, next *store.Revision) error {
	stored, lasting, err := s.storeNew(ctx, request, next)
	switch {
	case err != nil:
		return err
	case stored == nil:
		s.machine.SetContent(revision.Content{Err: lasting})
		return nil
	}
	s.c.fetches.Cancel(s.deployment.Name)
	s.machine.SetDesired(stored)
	return nil
}
