package bundledeployment

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
)

// markChanged records, for the next sync, that a Secret of a stored revision was created, deleted or changed.
func (c *controller) markChanged(name string, number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changedRevisions[name] == nil {
		c.changedRevisions[name] = sets.New[int64]()
	}
	c.changedRevisions[name].Insert(number)
}

// takeChanged returns the numbers that markChanged has recorded, sorted, and forgets them.
func (c *controller) takeChanged(name string) []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	numbers := sets.List(c.changedRevisions[name])
	delete(c.changedRevisions, name)
	return numbers
}

// checkStored reads the revisions for which a Secret was created, deleted or changed. If one of them can no longer be used, the manager
// continues with the objects in memory; restore stores the active revision and the newest one again. An admin may restore the Secrets
// instead. A revision whose objects are not in memory is read later, when it is needed. An exception is a failed revision, because its
// Secrets are the record that prevents another attempt.
func checkStored(ctx context.Context, s *reconciliation) (bool, error) {
	for _, number := range s.c.takeChanged(s.deployment.Name) {
		at := slices.IndexFunc(s.memory.history.Stored, func(each *revision.Revision) bool { return each.Number == number })
		if at < 0 {
			continue // this process has deleted it
		}
		changed := s.memory.history.Stored[at]
		if changed.Deleting || !changed.Loaded && changed.FailedAttempt == "" {
			continue
		}
		s.verify(ctx, changed)
	}
	return false, nil
}

// verify reads the Secrets of a revision that may have changed. If they cannot be read now, a later sync verifies the revision, and this
// one continues, because it applies the objects in memory.
func (s *reconciliation) verify(ctx context.Context, changed *revision.Revision) {
	err := s.c.revisions.Verify(ctx, revisions.OwnerOf(s.deployment), changed.Header)
	switch {
	case store.IsUnusable(err) && changed.Unstored == nil:
		changed.Unstored = err
		s.memory.addEvent(s.memory.history.UnstoredEvent(changed, err))
	case err == nil && changed.Unstored != nil:
		s.setStored(changed)
	case err != nil && !store.IsUnusable(err):
		s.c.markChanged(s.deployment.Name, changed.Number)
		s.verifyErr = fmt.Errorf("checking the stored revisions of BundleDeployment %q: %w", s.deployment.Name, err)
		s.retry(s.c.backoff.Last)
	}
}
