package bundledeployment

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/health"
	"github.com/openshift/platform-operators/pkg/revision"
)

const (
	// maxWarnings is the maximum length of status.warnings, maxMissing of status.plan.permissionsMissing.
	maxWarnings, maxMissing = 20, 20
	// unhealthyPeriod is how long an active revision is unhealthy before an Event is sent: after a repair, a controller often has not
	// looked yet.
	unhealthyPeriod = 10 * time.Second
)

// report fills in the status from what was found and done.
func (s *reconciliation) report() {
	s.reportPlan()
	s.machine.SetDrift(revision.Drift{Standing: s.standing, Unwritten: s.memory.drift, Left: s.driftLeft})
	s.machine.Report(&s.deployment.Status)
	s.sendUnhealthy()
}

// newWarnings adds warnings of the API server to those that are not in status yet.
func (s *reconciliation) newWarnings(warned []string) []string {
	unwritten := s.memory.warnings
	for _, each := range warned {
		text := revision.Message(each)
		if slices.Contains(s.deployment.Status.Warnings, text) || slices.Contains(unwritten, text) || len(s.deployment.Status.Warnings)+len(unwritten) >= maxWarnings {
			continue
		}
		unwritten = append(unwritten, text)
		s.memory.addEvent(revision.Event{Reason: corev1alpha2.EventAPIWarning, Message: text, Warning: true})
	}
	return unwritten
}

// reportPlan reports the plan of the newest revision, and the API server's warnings.
func (s *reconciliation) reportPlan() {
	status := &s.deployment.Status
	if len(s.memory.warnings) > 0 {
		status.Warnings = append(slices.Clone(s.before.Status.Warnings), s.memory.warnings...)
	}
	status.Warnings = s.withNamespaceWarning(status.Warnings)
	newest := s.machine.Newest()
	if newest == nil {
		return
	}
	missing := s.missing[:min(len(s.missing), maxMissing)]
	if before := s.before.Status.Plan; s.deployment.Spec.Paused && before != nil && before.Digest == newest.Plan {
		missing = before.PermissionsMissing // nobody asks meanwhile
	}
	planned := &corev1alpha2.Plan{Digest: newest.Plan, Warnings: status.Warnings, PermissionsMissing: missing}
	if !equality.Semantic.DeepEqual(status.Plan, planned) {
		status.Plan = planned
	}
}

// sendUnhealthy sends one Event of an active revision that stays unhealthy. While a revision rolls out, everything is unhealthy at first.
func (s *reconciliation) sendUnhealthy() {
	healthy := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionHealthy)
	if healthy == nil || healthy.Status != metav1.ConditionFalse || s.machine.Active() == nil || s.machine.IsRollingOut() {
		s.memory.isUnhealthySent = false
		return
	}
	if s.memory.isUnhealthySent {
		return
	}
	if wait := unhealthyPeriod - s.c.clock.Since(healthy.LastTransitionTime.Time); wait > 0 {
		s.retry(wait)
		return
	}
	s.memory.isUnhealthySent = true
	s.memory.addEvent(revision.Event{Reason: corev1alpha2.EventUnhealthy, Message: healthy.Message, Warning: true})
}

// writeStatus writes the status if it changed, and then sends the Events of what did.
func (s *reconciliation) writeStatus(ctx context.Context) error {
	if s.gone {
		return nil
	}
	changed := !equality.Semantic.DeepEqual(s.before.Status, s.deployment.Status)
	if wait := s.memory.writeTime.Add(health.StatusPause).Sub(s.c.clock.Now()); changed && wait > 0 && len(s.memory.events) == 0 && s.isProgressOnly() {
		s.retry(wait)
		return nil
	}
	if changed {
		stored, err := s.c.client.UpdateStatus(ctx, s.deployment, metav1.UpdateOptions{FieldManager: fieldManager})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("writing the status of BundleDeployment %q: %w", s.deployment.Name, err)
		}
		s.memory.wrote(stored, s.c.clock.Now())
	}
	s.memory.drift, s.memory.warnings, s.memory.standing = nil, nil, s.standing
	s.count()
	pending := append(s.memory.events, s.machine.Events(s.deployment.Status)...)
	s.memory.events = nil
	for _, each := range pending {
		s.send(each)
	}
	return nil
}

// isProgressOnly reports whether the status differs from the written one in counts and messages only.
func (s *reconciliation) isProgressOnly() bool {
	reduced := func(status corev1alpha2.BundleDeploymentStatus) corev1alpha2.BundleDeploymentStatus {
		status = *status.DeepCopy()
		status.Objects, status.Unready = nil, nil
		for i := range status.Conditions {
			status.Conditions[i].Message = ""
		}
		return status
	}
	return equality.Semantic.DeepEqual(reduced(s.before.Status), reduced(s.deployment.Status))
}

func (s *reconciliation) send(event revision.Event) {
	kind := corev1.EventTypeNormal
	if event.Warning {
		kind = corev1.EventTypeWarning
	}
	s.c.events.Event(s.before, kind, event.Reason, revision.Message(event.Message))
}
