package bundledeployment

import (
	"context"
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle/formats"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/revisions"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/pkg/unpack"
)

// poll checks whether the source of a stored revision has new content. When the poll is due, it resolves a tag again. Once after the start
// of a manager with a different renderer, it renders the content again. The stored revision remains in use until new content has been
// rendered; a source that cannot be read does not affect it.
func (s *reconciliation) poll(ctx context.Context, _ revision.Action) error {
	known := s.machine.Newest()
	request, due := s.duePoll(known)
	if !due {
		request, due = s.dueRendering(known)
	}
	if !due {
		s.c.fetches.Cancel(s.deployment.Name)
		return nil
	}
	if !s.mayPoll(ctx, known, request) {
		return nil
	}
	got := s.c.fetches.Request(s.deployment.Name, request)
	s.retry(got.Retry)
	switch {
	case got.Err != nil:
		s.sendPollEvent(corev1alpha2.EventSourceUnreachable, fmt.Sprintf("Looking again at %s: %v; revision %d is kept", s.source.desired.Source, got.Err, known.Number))
		return nil
	case got.Result == nil:
		return nil
	}
	return s.takePoll(ctx, known, request, got.Result)
}

// mayPoll reports whether the class allows that a source is read again. Otherwise it ends the poll, so that the next poll checks it again. It does not
// return an error: a namespace that cannot be read does not affect the stored revision.
func (s *reconciliation) mayPoll(ctx context.Context, known *revision.Revision, request unpack.Request) bool {
	problem, err := s.checkClass(ctx, s.classRequest())
	switch {
	case err != nil:
		s.retry(revision.RequirementInterval)
		s.sendPollEvent(corev1alpha2.EventSourceUnreachable, fmt.Sprintf("Looking again at %s: %v; revision %d is kept", s.source.desired.Source, err, known.Number))
	case problem != nil:
		s.endPoll(request)
		s.sendPollEvent(corev1alpha2.EventNotAllowed, fmt.Sprintf("%s is not read again: %v; revision %d is kept", s.source.desired.Source, problem, known.Number))
	}
	return err == nil && problem == nil
}

// takePoll stores the result of a poll as a new desired revision if it differs from the known one. Otherwise it records that this manager's
// renderer produces the same result. If the content cannot be installed or stored, it reports that in an Event and keeps the known
// revision.
func (s *reconciliation) takePoll(ctx context.Context, known *revision.Revision, request unpack.Request, got *unpack.Rendering) error {
	name := s.source.desired.Source
	if problem := s.sizeProblem(got); problem != nil {
		s.endPoll(request)
		s.sendPollEvent(corev1alpha2.EventNotAllowed, fmt.Sprintf("%s is %s now: %v; revision %d is kept", name, got.Resolved, problem, known.Number))
		return nil
	}
	if got.Invalid != nil {
		s.endPoll(request)
		s.sendPollEvent(corev1alpha2.EventBundleLoadFailed, fmt.Sprintf("%s is %s now, which cannot be installed: %v; revision %d is kept", name, got.Resolved, got.Invalid, known.Number))
		return nil
	}
	if !got.Unchanged {
		next := s.revisionOf(got)
		digest, err := store.Digest(next.Objects)
		if err != nil { // the content is too large, which storeNew reports
			digest = ""
		}
		if next.Resolved != known.Resolved || digest != known.Digest {
			stored, lasting, err := s.storeNew(ctx, request, next)
			if lasting != nil {
				s.sendPollEvent(corev1alpha2.EventRevisionNotStored, fmt.Sprintf("%s is %s now, which cannot be stored: %v; revision %d is kept", name, got.Resolved, lasting, known.Number))
			}
			if stored == nil {
				return err
			}
			s.machine.SetDesired(stored)
		} else if err := s.c.revisions.MarkRenderer(ctx, revisions.OwnerOf(s.deployment), &known.Header, formats.Renderer(s.source.desired.Format)); err != nil {
			s.sendPollEvent(corev1alpha2.EventRevisionNotStored, fmt.Sprintf("Noting that revision %d is up to date: %v", known.Number, err))
			s.retry(s.c.backoff.Last)
			return nil
		}
	}
	s.endPoll(request)
	s.memory.pollEvent = ""
	return nil
}

// endPoll ends a request that has a result. If the request resolved a tag again, endPoll records the time of the poll. Otherwise it records
// that the rendering was compared.
func (s *reconciliation) endPoll(request unpack.Request) {
	s.c.fetches.Cancel(s.deployment.Name)
	if request.Known != "" {
		s.memory.polls.Polled(s.deployment.UID, s.c.clock.Now())
		return
	}
	s.memory.rerendered = true
}

// duePoll returns the request to resolve the source again; false if no poll is due. It schedules the next sync for the time of the next
// poll.
func (s *reconciliation) duePoll(known *revision.Revision) (unpack.Request, bool) {
	opened := s.source.opened
	if opened.PollInterval == 0 {
		s.memory.polls.Stop()
		return unpack.Request{}, false
	}
	due, next := s.memory.polls.Due(s.deployment.UID, opened.PollInterval, s.c.clock.Now())
	s.retry(next)
	if !due {
		return unpack.Request{}, false
	}
	request := s.withSizes(s.requestFrom(opened.Source))
	request.Known = known.Resolved
	return request, true
}

// dueRendering returns the request to render the active revision again, from its resolved source. It returns true if the revision's
// renderer or certificate provider differs from this manager's, but only until the result is compared, and only while no rollout is in
// progress and the revision is stored. A lost revision is an exception: if this manager cannot render it to the same objects, it is
// rendered to become a new revision.
func (s *reconciliation) dueRendering(known *revision.Revision) (unpack.Request, bool) {
	isDifferent := isRestoreProblem(known, revision.OtherObjects) // a lost revision that this manager renders to different objects
	if s.memory.rerendered && !isDifferent || known != s.machine.Active() || known.Unstored != nil && !isDifferent || !s.machine.IsSettled() {
		return unpack.Request{}, false
	}
	current := known.Renderer == formats.Renderer(s.source.desired.Format)
	if current && known.Certificates != "" {
		now, err := s.c.certificates.Recent()
		if err != nil {
			s.retry(certificatesRetry)
			return unpack.Request{}, false
		}
		current = now == "" || string(now) == known.Certificates
	}
	if current {
		s.memory.rerendered = true
	}
	if current || s.source.opened.Source == nil {
		return unpack.Request{}, false
	}
	return s.withSizes(s.requestFrom(s.source.opened.Source.At(known.Resolved))), true
}

// sendPollEvent adds a warning Event, unless the last Event about a poll has the same message.
func (s *reconciliation) sendPollEvent(reason, message string) {
	if s.memory.pollEvent != message {
		s.memory.pollEvent = message
		s.memory.addEvent(revision.Event{Reason: reason, Message: message, Warning: true})
	}
}
