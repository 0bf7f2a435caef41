package bundledeployment

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
)

// reread looks, beside what is stored, whether the source has become something else: a tag when its poll is due, and the
// rendering once after a manager has taken over that renders otherwise. What is stored stays in use until something else has
// been rendered and differs; a source that is gone is no fault of what runs.
func reread(ctx context.Context, s *state) (bool, error) {
	known := s.newest()
	if known == nil || s.deployment.Spec.Paused {
		return false, nil
	}
	wanted, due := s.poll(known)
	if !due {
		wanted, due = s.rerender(known)
	}
	if !due {
		s.fetches.cancel(s.deployment.Name)
		return false, nil
	}
	got := s.fetches.ask(s.deployment.Name, wanted)
	s.retry(got.retry)
	switch {
	case got.err != nil:
		s.tellOnce(notice{corev1alpha2.EventSourceUnreachable, fmt.Sprintf("Looking again at %s: %v; revision %d is kept", s.sought.source, got.err, known.Number), true})
		return false, nil
	case got.result == nil:
		return false, nil
	}
	return false, s.takeIn(ctx, known, wanted, got.result)
}

// takeIn decides upon what was read again.
func (s *state) takeIn(ctx context.Context, known *revision, wanted wish, got *fetched) error {
	if got.invalid != nil {
		s.rereadDone(wanted)
		s.tellOnce(notice{corev1alpha2.EventBundleLoadFailed, fmt.Sprintf("%s is %s now, which cannot be installed: %v; revision %d is kept", s.sought.source, got.resolved, got.invalid, known.Number), true})
		return nil
	}
	if !got.unchanged {
		next := s.revisionOf(got)
		digest, err := store.Digest(next.Objects)
		if err != nil { // too large: it is when it is stored, too, which tells so
			digest = ""
		}
		if next.Resolved != known.Resolved || digest != known.Digest {
			kept, lasting, err := s.keepNew(ctx, wanted, next)
			if lasting != nil {
				s.tellOnce(notice{corev1alpha2.EventRevisionNotStored, fmt.Sprintf("%s is %s now, which cannot be stored: %v; revision %d is kept", s.sought.source, got.resolved, lasting, known.Number), true})
			}
			if kept == nil {
				return err
			}
			s.wanted, s.failed = kept, nil
		} else if err := s.revisions.MarkRenderer(ctx, ownerOf(s.deployment), &known.Header, rendererOf(s.sought.format)); err != nil {
			s.tellOnce(notice{corev1alpha2.EventRevisionNotStored, fmt.Sprintf("Noting that revision %d is up to date: %v", known.Number, err), true})
			s.retry(s.backoff.Last)
			return nil
		}
	}
	s.rereadDone(wanted)
	s.record.told = ""
	return nil
}

// rereadDone notes that a wish was looked into.
func (s *state) rereadDone(done wish) {
	s.fetches.cancel(s.deployment.Name)
	if done.known != "" { // however long it took: the next one is due in the next interval
		s.record.slot, _ = slotAt(s.deployment.UID, s.record.every, s.clock.Now())
		return
	}
	s.record.rendered = true
}

// poll gives the wish to resolve a tag again, when that is due. Polls are due at times that follow from the clock and the
// deployment's UID alone: a manager that restarts keeps to them without having written anything down, and a hundred
// deployments do not ask at the same moment.
func (s *state) poll(known *revision) (wish, bool) {
	spec := s.deployment.Spec.Source.Image
	if spec == nil || spec.PollIntervalMinutes == nil || strings.Contains(spec.Ref, "@") {
		s.record.every = 0
		return wish{}, false
	}
	every := time.Duration(*spec.PollIntervalMinutes) * time.Minute
	slot, next := slotAt(s.deployment.UID, every, s.clock.Now())
	if s.record.every != every { // seen for the first time: what is stored was just resolved, or is good until the next
		s.record.every, s.record.slot = every, slot
	}
	s.retry(next)
	if slot == s.record.slot {
		return wish{}, false
	}
	wanted := s.wishFor(imageSource(spec))
	wanted.known = known.Resolved
	return wanted, true
}

// slotAt numbers the intervals of a deployment's own clock, and says how long it is until the next one begins.
func slotAt(uid types.UID, every time.Duration, now time.Time) (slot int64, next time.Duration) {
	every = max(every, time.Minute)
	hash := fnv.New64a()
	hash.Write([]byte(uid))
	since := time.Duration(now.UnixNano()) + time.Duration(hash.Sum64()%uint64(every))
	return int64(since / every), every - since%every
}

// rerender gives the wish to render what is active anew, by its digest, when this manager renders otherwise than the one
// that stored it. It is asked for once a start, of what is settled, and by nobody who repairs.
func (s *state) rerender(known *revision) (wish, bool) {
	if s.record.rendered || known != s.active || !s.settled() {
		return wish{}, false
	}
	current := known.Renderer == rendererOf(s.sought.format)
	if current && known.Certificates != "" {
		now, err := s.remembered()
		if err != nil {
			s.retry(certificatesRetry)
			return wish{}, false
		}
		current = now == "" || string(now) == known.Certificates
	}
	if current {
		s.record.rendered = true // asked once a start
	}
	if current || s.sought.image.Ref == "" {
		return wish{}, false
	}
	return s.wishFor(s.sought.image.At(known.Resolved)), true
}

// tellOnce sends an Event that was not the last of its kind.
func (s *state) tellOnce(each notice) {
	if s.record.told != each.message {
		s.record.told = each.message
		s.notify(each)
	}
}
