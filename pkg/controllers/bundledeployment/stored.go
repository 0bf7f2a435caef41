package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
)

// markChanged records that a Secret of a stored revision was created, deleted or changed, for the next sync.
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

// checkStored reads the revisions of which a Secret was created, deleted or changed. For one that cannot be used any more, the manager
// continues with the objects in memory; restore stores the active one and the newest one again. An admin may also restore its Secrets. A
// revision that is not in memory is read when it is needed, unless it failed: its record is what prevents another attempt.
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

// verify reads the Secrets of a revision that may have changed. If they cannot be read now, a later sync verifies the revision, and this one
// continues: the objects in memory are what it applies.
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

// setStored records that a revision is stored again.
func (s *reconciliation) setStored(again *revision.Revision) {
	again.Unstored = nil
	s.c.fetches.Cancel(restoreJob(s.deployment.Name, again.Number))
	message := fmt.Sprintf("Revision %d is stored again, with the same objects", again.Number)
	s.memory.addEvent(revision.Event{Reason: corev1alpha2.EventRevisionRestored, Message: message})
}

// restoreJob returns the name of the fetch job that renders a revision again, next to the job of the BundleDeployment for the content of
// the spec.
func restoreJob(deployment string, number int64) string {
	return fmt.Sprintf("%s/%d", deployment, number)
}

// deploymentOf returns the BundleDeployment of a fetch job.
func deploymentOf(job string) string {
	deployment, _, _ := strings.Cut(job, "/")
	return deployment
}

// cancelFetches ends all fetch jobs of a BundleDeployment with this memory.
func (c *controller) cancelFetches(name string, known *memory) {
	c.fetches.Cancel(name)
	for _, each := range known.history.Stored {
		c.fetches.Cancel(restoreJob(name, each.Number))
	}
}

// restore stores a revision again under its number, from its resolved source. It accepts only the objects with the recorded digest. If
// there are none, it sets Unstored to the cause, which the Progressing condition reports. Another result, for example of another manager's
// renderer, would be another revision, which nothing requests.
func (s *reconciliation) restore(ctx context.Context, action revision.Action) error {
	known := action.Revision
	desired := s.source.desired
	switch {
	case s.source.opened.Source == nil:
		return nil
	case known.Config != desired.Config || known.Format() != desired.Format:
		known.Unstored = errOtherConfig
		return nil
	}
	job := restoreJob(s.deployment.Name, known.Number)
	got := s.c.fetches.Request(job, s.requestFrom(s.source.opened.Source.At(known.Resolved)))
	s.retry(got.Retry)
	switch {
	case got.Err != nil:
		known.Unstored = got.Err
		return nil
	case got.Result == nil:
		return nil
	case got.Result.Invalid != nil:
		known.Unstored = got.Result.Invalid // the result stays, so that nothing is rendered again
		return nil
	}
	digest, err := store.Digest(got.Result.Objects)
	if err != nil || got.Result.Resolved != known.Resolved || digest != known.Digest {
		known.Unstored = errOtherObjects
		return nil
	}
	again := &store.Revision{Header: known.Header, Objects: got.Result.Objects}
	if err := s.c.revisions.Save(ctx, revisions.OwnerOf(s.deployment), again); err != nil {
		known.Unstored = fmt.Errorf("storing it again: %w", err)
		s.retry(s.c.backoff.Last)
		return nil
	}
	known.Header = again.Header
	s.setStored(known)
	return nil
}

var (
	errOtherConfig  = errors.New("it cannot be rendered again, because the spec has another configuration")
	errOtherObjects = errors.New("this manager renders other objects from its source")
)
