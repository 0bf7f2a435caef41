package bundledeployment

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/sets"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// damage records that a Secret of a stored revision was deleted or changed, for the next sync.
func (c *controller) damage(name string, number int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.damaged[name] == nil {
		c.damaged[name] = sets.New[int64]()
	}
	c.damaged[name].Insert(number)
}

// takeDamaged returns the numbers that damage has recorded, sorted, and forgets them.
func (c *controller) takeDamaged(name string) []int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	numbers := sets.List(c.damaged[name])
	delete(c.damaged, name)
	return numbers
}

// checkStored reads the revisions of which a Secret was deleted or changed. For one that cannot be used any more, the manager continues with
// the objects in memory; poll stores the newest one again. A revision that is not in memory is read when it is needed.
func checkStored(ctx context.Context, s *reconciliation) (bool, error) {
	numbers := s.c.takeDamaged(s.deployment.Name)
	for i, number := range numbers {
		at := slices.IndexFunc(s.memory.history.Stored, func(each *revision.Revision) bool { return each.Number == number })
		if at < 0 {
			continue // this process has deleted it
		}
		damaged := s.memory.history.Stored[at]
		if !damaged.Loaded || damaged.Unstored != nil {
			continue
		}
		err := s.c.revisions.Verify(ctx, revisions.OwnerOf(s.deployment), damaged.Header)
		if store.IsUnusable(err) {
			damaged.Unstored = err
			s.memory.addEvent(s.memory.history.UnstoredEvent(damaged, err))
			continue
		}
		if err != nil {
			for _, left := range numbers[i:] {
				s.c.damage(s.deployment.Name, left)
			}
			return true, err
		}
	}
	return false, nil
}

// dueRestoring returns the request to render a revision again that is not stored any more, from its resolved source; false if it is stored.
func (s *reconciliation) dueRestoring(known *revision.Revision) (unpack.Request, bool) {
	if known.Unstored == nil || s.source.opened.Source == nil {
		return unpack.Request{}, false
	}
	return s.requestFrom(s.source.opened.Source.At(known.Resolved)), true
}

// restore stores a revision again under its number. The objects have its digest.
func (s *reconciliation) restore(ctx context.Context, known *revision.Revision, rendered *store.Revision) error {
	again := &store.Revision{Header: known.Header, Objects: rendered.Objects}
	if err := s.c.revisions.Save(ctx, revisions.OwnerOf(s.deployment), again); err != nil {
		known.Unstored = fmt.Errorf("storing it again: %w", err)
		s.retry(s.c.backoff.Last)
		return nil
	}
	known.Header, known.Unstored = again.Header, nil
	s.memory.addEvent(revision.Event{Reason: corev1alpha2.EventRevisionRestored, Message: fmt.Sprintf("Revision %d is stored again, with the same objects", known.Number)})
	return nil
}
