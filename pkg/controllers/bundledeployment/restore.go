package bundledeployment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// setStored records that a revision is stored again, and adds the Event about it.
func (s *reconciliation) setStored(again *revision.Revision) {
	again.Unstored = nil
	s.c.fetches.Cancel(restoreJob(s.deployment.Name, again.Number))
	message := fmt.Sprintf("Revision %d is stored again, with the same objects", again.Number)
	s.memory.addEvent(revision.Event{Reason: corev1alpha2.EventRevisionRestored, Message: message})
}

// restoreJob returns the name of the fetch job that renders a revision again. It differs from the name of the job for the content of the
// spec, which is the name of the BundleDeployment.
func restoreJob(deployment string, number int64) string {
	return fmt.Sprintf("%s/%d", deployment, number)
}

// deploymentOf returns the name of the BundleDeployment that a fetch job belongs to.
func deploymentOf(job string) string {
	deployment, _, _ := strings.Cut(job, "/")
	return deployment
}

// cancelFetches ends all fetch jobs of a BundleDeployment with this memory.
func (c *controller) cancelFetches(name string, known *memory) {
	c.fetches.Cancel(name)
	for number := range known.restoreAt {
		c.fetches.Cancel(restoreJob(name, number))
	}
}

// cancelRestores ends the fetch jobs of revisions that this sync did not restore, and drops their results.
func (s *reconciliation) cancelRestores() {
	for number := range s.memory.restoreAt {
		if !s.restoring.Has(number) {
			s.c.fetches.Cancel(restoreJob(s.deployment.Name, number))
			delete(s.memory.restoreAt, number)
		}
	}
}

// restore stores a revision again under its number, from its resolved source. It accepts only the objects with the recorded digest. If
// there are none, it sets Unstored to the cause, which the Progressing condition reports. Different objects, for example from another
// manager's renderer, would be a different revision, which nothing requests.
func (s *reconciliation) restore(ctx context.Context, action revision.Action) error {
	known := action.Revision
	desired := s.source.desired
	switch {
	case s.source.opened.Source == nil:
		return nil
	case known.Config != desired.Config || known.Format() != desired.Format:
		known.Unstored = &revision.RestoreError{Cause: revision.OtherConfig, Err: errOtherConfig}
		return nil
	}
	if s.restoring.Insert(known.Number); !s.isRestoreDue(known) {
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
	}
	if problem := restoreProblem(known, got.Result); problem != nil {
		s.c.fetches.Cancel(job) // the objects are not kept in memory
		s.postponeRestore(known, problem)
		return nil
	}
	if isRecorded, err := s.isRecorded(ctx, known); err != nil || !isRecorded {
		s.retry(s.c.backoff.First)
		return err
	}
	again := &store.Revision{Header: known.Header, Objects: got.Result.Objects}
	if err := s.c.revisions.Save(ctx, revisions.OwnerOf(s.deployment), again); err != nil {
		s.postponeRestore(known, &revision.RestoreError{Cause: revision.NotSaved, Err: fmt.Errorf("storing it again: %w", err)})
		return nil
	}
	known.Header = again.Header
	s.setStored(known)
	return nil
}

// isRecorded reports whether the status on the API server lists a revision. After a backup was restored, the cache may have a later status,
// and a revision that is stored without an entry in the status counts as applied. If the entry was never written, this sync writes it at its
// end, and the next attempt finds it.
func (s *reconciliation) isRecorded(ctx context.Context, known *revision.Revision) (bool, error) {
	live, err := s.c.client.Get(ctx, s.deployment.Name, metav1.GetOptions{})
	if err != nil {
		return false, fmt.Errorf("reading BundleDeployment %q before revision %d is stored again: %w", s.deployment.Name, known.Number, err)
	}
	isListed := slices.ContainsFunc(live.Status.Revisions, func(entry corev1alpha2.Revision) bool {
		return entry.Number == known.Number && entry.Digest == known.Digest
	})
	return live.UID == s.deployment.UID && isListed, nil
}

// restoreProblem returns why a rendering cannot be stored as a revision; nil if it has the objects of the revision.
func restoreProblem(known *revision.Revision, rendered *unpack.Rendering) *revision.RestoreError {
	switch {
	case errors.Is(rendered.Invalid, bundle.ErrNoCertificates):
		return &revision.RestoreError{Cause: revision.NoCertificates, Err: rendered.Invalid}
	case rendered.Invalid != nil:
		return &revision.RestoreError{Cause: revision.NotRendered, Err: rendered.Invalid}
	}
	digest, err := store.Digest(rendered.Objects)
	if err != nil || rendered.Resolved != known.Resolved || digest != known.Digest {
		return &revision.RestoreError{Cause: revision.OtherObjects, Err: errOtherObjects}
	}
	return nil
}

// isRestoreDue reports whether a revision may be rendered and stored again now. Otherwise it schedules the next sync.
func (s *reconciliation) isRestoreDue(known *revision.Revision) bool {
	if s.memory.restoreAt == nil {
		s.memory.restoreAt = map[int64]time.Time{}
	}
	at := s.memory.restoreAt[known.Number]
	s.memory.restoreAt[known.Number] = at
	if wait := at.Sub(s.c.clock.Now()); wait > 0 {
		s.retry(wait)
		return false
	}
	if !isRestoreProblem(known, revision.NoCertificates) {
		return true
	}
	provider, err := s.c.certificates.Current()
	if err != nil || provider == "" {
		s.retry(certificatesRetry)
		return false
	}
	return true
}

// postponeRestore sets Unstored, and schedules the next attempt.
func (s *reconciliation) postponeRestore(known *revision.Revision, problem *revision.RestoreError) {
	wait := s.c.backoff.Last
	if problem.Cause == revision.NoCertificates {
		wait = certificatesRetry
	}
	known.Unstored = problem
	s.memory.restoreAt[known.Number] = s.c.clock.Now().Add(wait)
	s.retry(wait)
}

// isRestoreProblem reports whether a revision is not stored, and the given cause prevents that it is stored again.
func isRestoreProblem(known *revision.Revision, cause revision.RestoreCause) bool {
	problem := (*revision.RestoreError)(nil)
	return errors.As(known.Unstored, &problem) && problem.Cause == cause
}

var (
	errOtherConfig  = errors.New("it cannot be rendered again, because the spec has another configuration")
	errOtherObjects = errors.New("this manager renders other objects from its source")
)
