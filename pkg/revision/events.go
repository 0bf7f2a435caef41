package revision

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Event is an Event about the BundleDeployment.
type Event struct {
	Reason, Message string
	// Warning is true for an Event of type Warning, and false for type Normal.
	Warning bool
}

// StartEvents returns the Events for the start of the desired revision, to send after the start was recorded. If the plan was approved, one
// of them names the user.
func (m *Machine) StartEvents() []Event {
	var events []Event
	if approval := m.desired.Approval; approval.Plan != "" {
		events = append(events, Event{Reason: corev1alpha2.EventPlanApproved, Message: fmt.Sprintf("%s of %s was approved by %s", planName(approval.Plan), m.desired, approval.By)})
	}
	message := fmt.Sprintf("Rolling out %s", m.desired)
	if m.active != nil {
		message = fmt.Sprintf("%s; revision %d stays until it is healthy", message, m.active.Number)
	}
	return append(events, Event{Reason: corev1alpha2.EventRollOutStarted, Message: message})
}

// Events returns the Events for the differences between the last written status and a new one. Send them only after the new status was
// written: if the write fails, the next sync may decide differently.
func (m *Machine) Events(after corev1alpha2.BundleDeploymentStatus) []Event {
	var events []Event
	if m.IsActivated(after) {
		events = append(events, m.activeEvent())
	}
	for _, each := range after.Conditions {
		before := meta.FindStatusCondition(m.in.Deployment.Status.Conditions, each.Type)
		if before != nil && before.Status == each.Status && before.Reason == each.Reason {
			continue
		}
		switch each.Reason {
		case corev1alpha2.EventUnpackFailed, corev1alpha2.EventBundleLoadFailed, corev1alpha2.EventInstallFailed,
			corev1alpha2.EventUpgradeFailed, corev1alpha2.EventReconcileFailed, corev1alpha2.EventProvisionerNotFound,
			corev1alpha2.EventNotAllowed:
			if each.Type == corev1alpha2.ConditionHasValidBundle && each.Status != isFalse || each.Type == corev1alpha2.ConditionDrifted {
				continue // the Unpacked condition has the same message, or the Installed condition has the cause
			}
			events = append(events, Event{each.Reason, each.Message, true})
		case corev1alpha2.EventAwaitingApproval, corev1alpha2.EventPoliciesNotInForce:
			if each.Type == corev1alpha2.ConditionApproved { // the Progressing condition has the same reason
				events = append(events, Event{each.Reason, each.Message, each.Reason == corev1alpha2.EventPoliciesNotInForce})
			}
		case corev1alpha2.ReasonDeadlineExceeded:
			event := Event{corev1alpha2.EventRolledBack, each.Message, true}
			if m.failed == nil {
				event = Event{corev1alpha2.EventDeadlineExceeded, m.missedDeadline(), true}
			}
			events = append(events, event)
		case corev1alpha2.ReasonRollingBack:
			if before == nil || !isMissed(before.Reason) {
				events = append(events, Event{corev1alpha2.EventDeadlineExceeded, m.failed.failure(), true})
			}
			events = append(events, Event{corev1alpha2.EventRollingBack, fmt.Sprintf("Rolling back to revision %d: %s", m.active.Number, m.failed.failure()), true})
		case corev1alpha2.EventHealthy:
			if !m.IsActivated(after) { // EventRevisionActive reports it
				events = append(events, Event{each.Reason, each.Message, false})
			}
		case corev1alpha2.EventInstallationSucceeded:
			events = append(events, Event{each.Reason, each.Message, false})
		}
	}
	return events
}

func (m *Machine) activeEvent() Event {
	event := Event{Reason: corev1alpha2.EventRevisionActive, Message: m.active.title() + " is complete and healthy"}
	if before := m.in.Deployment.Status.ActiveRevision; before != 0 {
		event.Message = fmt.Sprintf("%s replaces revision %d", m.active.title(), before)
	}
	return event
}

// IsActivated reports whether the active revision in a new status differs from the one in the last written status.
func (m *Machine) IsActivated(after corev1alpha2.BundleDeploymentStatus) bool {
	return m.active != nil && m.active.Number == after.ActiveRevision && m.active.Number != m.in.Deployment.Status.ActiveRevision
}

// HasMissedDeadline reports whether a new status, but not the last written one, reports a missed deadline.
func (m *Machine) HasMissedDeadline(after corev1alpha2.BundleDeploymentStatus) bool {
	return isMissed(progressingReason(after)) && !isMissed(progressingReason(m.in.Deployment.Status))
}

func isMissed(reason string) bool {
	return reason == corev1alpha2.ReasonDeadlineExceeded || reason == corev1alpha2.ReasonRollingBack
}

// progressingReason returns the reason of the Progressing condition; empty if there is no such condition.
func progressingReason(status corev1alpha2.BundleDeploymentStatus) string {
	if found := meta.FindStatusCondition(status.Conditions, corev1alpha2.ConditionProgressing); found != nil {
		return found.Reason
	}
	return ""
}
