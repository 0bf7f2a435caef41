package bundledeployment

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
	"github.com/openshift/platform-operators/pkg/store"
)

// poll checks whether the source of a stored revision has other content: a tag when its poll is due, and the rendering once after
// a start of a manager that renders otherwise. The stored revision stays in use until other content was rendered; a source that
// cannot be read does not affect it.
func (s *reconciliation) poll(ctx context.Context, _ revision.Action) error {
	known := s.machine.Newest()
	request, due := s.duePoll(known)
	if !due {
		request, due = s.dueRendering(known)
	}
	if !due {
		s.c.fetches.cancel(s.deployment.Name)
		return nil
	}
	got := s.c.fetches.ask(s.deployment.Name, request)
	s.retry(got.retry)
	switch {
	case got.err != nil:
		s.sendPollEvent(corev1alpha2.EventSourceUnreachable, fmt.Sprintf("Looking again at %s: %v; revision %d is kept", s.source.desired.Source, got.err, known.Number))
		return nil
	case got.result == nil:
		return nil
	}
	return s.takePoll(ctx, known, request, got.result)
}

// takePoll decides upon the result of a poll.
func (s *reconciliation) takePoll(ctx context.Context, known *revision.Revision, request fetchRequest, got *fetched) error {
	source := s.source.desired.Source
	if got.invalid != nil {
		s.endPoll(request)
		s.sendPollEvent(corev1alpha2.EventBundleLoadFailed, fmt.Sprintf("%s is %s now, which cannot be installed: %v; revision %d is kept", source, got.resolved, got.invalid, known.Number))
		return nil
	}
	if !got.unchanged {
		next := s.revisionOf(got)
		digest, err := store.Digest(next.Objects)
		if err != nil { // too large, which storing it reports, too
			digest = ""
		}
		if next.Resolved != known.Resolved || digest != known.Digest {
			stored, lasting, err := s.storeNew(ctx, request, next)
			if lasting != nil {
				s.sendPollEvent(corev1alpha2.EventRevisionNotStored, fmt.Sprintf("%s is %s now, which cannot be stored: %v; revision %d is kept", source, got.resolved, lasting, known.Number))
			}
			if stored == nil {
				return err
			}
			s.machine.SetDesired(stored)
		} else if err := s.c.revisions.MarkRenderer(ctx, ownerOf(s.deployment), &known.Header, revision.Renderer(s.source.desired.Format)); err != nil {
			s.sendPollEvent(corev1alpha2.EventRevisionNotStored, fmt.Sprintf("Noting that revision %d is up to date: %v", known.Number, err))
			s.retry(s.c.backoff.Last)
			return nil
		}
	}
	s.endPoll(request)
	s.memory.pollEvent = ""
	return nil
}

// endPoll records that a request of a poll was answered.
func (s *reconciliation) endPoll(request fetchRequest) {
	s.c.fetches.cancel(s.deployment.Name)
	if request.known != "" { // however long it took: the next one is due in the next interval
		s.memory.pollSlot, _ = slotAt(s.deployment.UID, s.memory.pollInterval, s.c.clock.Now())
		return
	}
	s.memory.rerendered = true
}

// duePoll returns the request to resolve a tag again, if that is due. The times follow from the clock and the deployment's UID alone:
// a manager that restarts keeps to them although nothing is recorded, and many deployments do not poll at the same moment.
func (s *reconciliation) duePoll(known *revision.Revision) (fetchRequest, bool) {
	spec := s.deployment.Spec.Source.Image
	if spec == nil || spec.PollIntervalMinutes == nil || strings.Contains(spec.Ref, "@") {
		s.memory.pollInterval = 0
		return fetchRequest{}, false
	}
	interval := time.Duration(*spec.PollIntervalMinutes) * time.Minute
	slot, next := slotAt(s.deployment.UID, interval, s.c.clock.Now())
	if s.memory.pollInterval != interval { // for the first time: what is stored was just resolved, or is good until the next poll
		s.memory.pollInterval, s.memory.pollSlot = interval, slot
	}
	s.retry(next)
	if slot == s.memory.pollSlot {
		return fetchRequest{}, false
	}
	request := s.requestFrom(imageSource(spec))
	request.known = known.Resolved
	return request, true
}

// slotAt numbers the intervals of a deployment's own clock, and returns the time until the next one begins.
func slotAt(uid types.UID, interval time.Duration, now time.Time) (slot int64, next time.Duration) {
	interval = max(interval, time.Minute)
	hash := fnv.New64a()
	hash.Write([]byte(uid))
	since := time.Duration(now.UnixNano()) + time.Duration(hash.Sum64()%uint64(interval))
	return int64(since / interval), interval - since%interval
}

// dueRendering returns the request to render the active revision again, by its digest, if this manager renders otherwise than the one
// that stored it. It is made once in a process, while nothing is under way.
func (s *reconciliation) dueRendering(known *revision.Revision) (fetchRequest, bool) {
	if s.memory.rerendered || known != s.machine.Active() || !s.machine.IsSettled() {
		return fetchRequest{}, false
	}
	current := known.Renderer == revision.Renderer(s.source.desired.Format)
	if current && known.Certificates != "" {
		now, err := s.c.recentCertificates()
		if err != nil {
			s.retry(certificatesRetry)
			return fetchRequest{}, false
		}
		current = now == "" || string(now) == known.Certificates
	}
	if current {
		s.memory.rerendered = true
	}
	if current || s.source.image.Ref == "" {
		return fetchRequest{}, false
	}
	return s.requestFrom(s.source.image.At(known.Resolved)), true
}

// sendPollEvent sends a warning that was not the last one of a poll.
func (s *reconciliation) sendPollEvent(reason, message string) {
	if s.memory.pollEvent != message {
		s.memory.pollEvent = message
		s.memory.addEvent(revision.Event{Reason: reason, Message: message, Warning: true})
	}
}
