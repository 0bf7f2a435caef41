package bundledeployment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/truncate"
)

const (
	// maxMessage bounds condition messages and Events, in bytes.
	maxMessage = 1024
	// maxRevisions is what the API's schema allows in status.revisions.
	maxRevisions = 8
)

// report fills in the status from what was found and done.
func report(_ context.Context, s *state) (bool, error) {
	s.observe()
	s.reportRevisions()
	s.reportContent()
	s.reportPlan()
	s.reportUnpacked()
	s.reportInstalled()
	s.reportHealthy()
	s.reportProgressing()
	s.reportDrift()
	s.tellUnhealthy()
	return false, nil
}

func (s *state) observe() { s.deployment.Status.ObservedGeneration = s.deployment.Generation }

// reportRevisions tells of every stored revision, and of lost ones until what they left is gone.
func (s *state) reportRevisions() {
	status := &s.deployment.Status
	status.ActiveRevision = 0
	if s.active != nil {
		status.ActiveRevision = s.active.Number
	}
	entries := slices.Clone(s.record.lost)
	for _, each := range s.record.revisions {
		each.state = s.stateOf(each)
		entries = append(entries, each.entry(each.state))
	}
	slices.SortFunc(entries, func(a, b corev1alpha2.Revision) int { return int(a.Number - b.Number) })
	status.Revisions = fewer(entries, status.ActiveRevision)
}

// fewer drops the oldest of too many revisions. It keeps the active one, and as long as it can those whose objects may be there: the
// upgrade gate reads from status which revisions count.
func fewer(revisions []corev1alpha2.Revision, active int64) []corev1alpha2.Revision {
	for len(revisions) > maxRevisions {
		at := slices.IndexFunc(revisions, func(each corev1alpha2.Revision) bool {
			return each.Number != active && each.Presence != corev1alpha2.Present
		})
		if at < 0 {
			at = slices.IndexFunc(revisions, func(each corev1alpha2.Revision) bool { return each.Number != active })
		}
		revisions = slices.Delete(revisions, at, at+1)
	}
	return revisions
}

// stateOf is what became of a revision: one that was given up for another before it was complete counts as failed, and so does one
// that was tried before and waits to be begun again.
func (s *state) stateOf(each *revision) corev1alpha2.RevisionState {
	switch {
	case each == s.active:
		return corev1alpha2.RevisionActive
	case each == s.wanted && (each.begun() || !each.touched()):
		return corev1alpha2.RevisionRollingOut
	case each.state == corev1alpha2.RevisionRollingOut || each.state == failedState || !each.touched():
		return failedState
	}
	return corev1alpha2.RevisionArchived
}

// reportContent tells of the content of the spec's source, and of the objects that it consists of.
func (s *state) reportContent() {
	status := &s.deployment.Status
	if newest := s.newest(); newest != nil {
		metadata := newest.Bundle
		status.Bundle = &metadata
		source := s.deployment.Spec.Source.Image.DeepCopy()
		if source == nil {
			source = &corev1alpha2.ImageSource{}
		}
		source.Ref, source.PollIntervalMinutes = newest.Resolved, nil
		status.ResolvedSource = &corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: source}
		if digest, err := image.Digest(newest.Resolved); err == nil {
			status.ContentDigest = digest
		}
	}
	status.ActiveBundle = nil
	if s.active != nil && s.active != s.newest() {
		metadata := s.active.Bundle
		status.ActiveBundle = &metadata
	}
	status.Objects, status.Unready = nil, nil
	if s.wanted != nil || s.active != nil {
		told := s.report
		if s.live != nil { // as Healthy does
			told = *s.live
		}
		status.Objects = &corev1alpha2.ObjectCounts{Total: int32(told.Total), Ready: int32(told.Ready)}
		status.Unready = told.Unready
	}
}

func (s *state) set(conditionType string, status metav1.ConditionStatus, reason, message string) {
	meta.SetStatusCondition(&s.deployment.Status.Conditions, metav1.Condition{
		Type:               conditionType,
		Status:             status,
		Reason:             reason,
		Message:            bounded(message),
		ObservedGeneration: s.deployment.Generation,
		LastTransitionTime: metav1.NewTime(s.clock.Now()),
	})
}

func sentence(action, obstacle string) string {
	if obstacle == "" {
		return action + "."
	}
	return action + ": " + obstacle + "."
}

func bounded(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	for strings.HasSuffix(text, "..") {
		text = strings.TrimSuffix(text, ".")
	}
	return truncate.OneLine(text, maxMessage)
}

// writeStatus writes the status if it changed, and then the Events of what did.
func (s *state) writeStatus(ctx context.Context) error {
	if s.gone {
		return nil
	}
	changed := !equality.Semantic.DeepEqual(s.before.Status, s.deployment.Status)
	if wait := s.record.wroteAt.Add(health.StatusPause).Sub(s.clock.Now()); changed && wait > 0 && len(s.record.notices) == 0 && s.onlyMoved() {
		s.retry(wait)
		return nil
	}
	if changed {
		stored, err := s.client.UpdateStatus(ctx, s.deployment, metav1.UpdateOptions{FieldManager: fieldManager})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("writing the status of BundleDeployment %q: %w", s.deployment.Name, err)
		}
		s.record.wrote(stored, s.clock.Now())
	}
	s.record.drift, s.record.warnings, s.record.standing = nil, nil, s.standing
	s.count()
	pending := append(s.record.notices, s.transitions()...)
	s.record.notices = nil
	for _, each := range pending {
		s.tell(each)
	}
	return nil
}

// onlyMoved says that the status differs from what is written in counts and messages alone.
func (s *state) onlyMoved() bool {
	still := func(status corev1alpha2.BundleDeploymentStatus) corev1alpha2.BundleDeploymentStatus {
		status = *status.DeepCopy()
		status.Objects, status.Unready = nil, nil
		for i := range status.Conditions {
			status.Conditions[i].Message = ""
		}
		return status
	}
	return equality.Semantic.DeepEqual(still(s.before.Status), still(s.deployment.Status))
}
