package platformoperator

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// maxEvent bounds an Event's message in bytes, as the API does.
const maxEvent = 1024

// event sends an Event on the PlatformOperator.
func (s *state) event(kind, reason, format string, args ...any) {
	s.events.Event(s.before, kind, reason, bounded(fmt.Sprintf(format, args...), maxEvent))
}

// tell sends the Events of what status tells for the first time. It is called once that is written, so that nothing is told
// twice; a crash in between costs an Event, and never what status says.
func (s *state) tell() {
	if entry, before := newestEntry(s.operator), newestEntry(s.before); entry != nil && !sameOutcome(entry, before) {
		s.tellOutcome(entry)
	}
	condition := meta.FindStatusCondition(s.operator.Status.Conditions, platformv1alpha1.ConditionProgressing)
	before := meta.FindStatusCondition(s.before.Status.Conditions, platformv1alpha1.ConditionProgressing)
	if condition != nil && condition.Reason == platformv1alpha1.ReasonAwaitingApproval && (before == nil || before.Message != condition.Message) {
		s.event(corev1.EventTypeNormal, platformv1alpha1.EventApprovalNeeded, "PlatformOperator %q: %s", s.operator.Name, condition.Message)
	}
	s.tellOverride()
}

func newestEntry(operator *platformv1alpha1.PlatformOperator) *platformv1alpha1.HistoryEntry {
	if len(operator.Status.History) == 0 {
		return nil
	}
	return &operator.Status.History[0]
}

func sameOutcome(a, b *platformv1alpha1.HistoryEntry) bool {
	return b != nil && a.Bundle == b.Bundle && a.StartedTime.Equal(&b.StartedTime) && a.State == b.State
}

func (s *state) tellOutcome(entry *platformv1alpha1.HistoryEntry) {
	switch entry.State {
	case platformv1alpha1.HistoryReady:
		s.hops.ready(entry)
		reason, what := platformv1alpha1.EventUpgradeSucceeded, "moved to"
		if entry.Trigger == platformv1alpha1.TriggerInstallation || entry.Trigger == platformv1alpha1.TriggerRestored {
			reason, what = platformv1alpha1.EventInstallSucceeded, "installed at"
		}
		s.event(corev1.EventTypeNormal, reason, "PlatformOperator %q is %s version %s, which is complete and healthy, %s after it began",
			s.operator.Name, what, entry.Version, entry.ReadyTime.Sub(entry.StartedTime.Time))
	case platformv1alpha1.HistoryRolledBack:
		s.event(corev1.EventTypeWarning, platformv1alpha1.EventUpgradeFailed, "PlatformOperator %q: version %s missed its deadline and was rolled back to %s; it is not tried again before the spec or the catalog changes",
			s.operator.Name, entry.Version, versionOf(s.operator.Status.Installed))
	case platformv1alpha1.HistoryFailed:
		what := "missed its deadline and is held; the Progressing condition says why"
		if reason, message := deploymentFault(s.deployment); faults[reason] {
			what = "cannot be installed: " + message
		}
		s.event(corev1.EventTypeWarning, platformv1alpha1.EventUpgradeFailed, "PlatformOperator %q: version %s %s", s.operator.Name, entry.Version, what)
	}
}
