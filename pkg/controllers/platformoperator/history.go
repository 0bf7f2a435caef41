package platformoperator

import (
	"encoding/json"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// beginningOf reads back how the hop to a deployment's bundle began; nil when it is not written down, or was spoilt: status,
// where it goes, takes no trigger that it does not know, and keeps no fractions of seconds.
func beginningOf(deployment *corev1alpha2.BundleDeployment) *beginning {
	began := &beginning{}
	if err := json.Unmarshal([]byte(deployment.Annotations[platformv1alpha1.AnnotationHop]), began); err != nil || began.Started.IsZero() {
		return nil
	}
	switch began.Trigger {
	case platformv1alpha1.TriggerInstallation, platformv1alpha1.TriggerAutomatic, platformv1alpha1.TriggerApproved,
		platformv1alpha1.TriggerSelfCertified, platformv1alpha1.TriggerSpecChange, platformv1alpha1.TriggerRestored:
		began.Started = began.Started.Rfc3339Copy()
		return began
	}
	return nil
}

// reportHistory brings status.history up to date with what the deployment points at and what became of it. What is ready
// stays ready, whatever becomes of it later.
func (s *state) reportHistory() {
	if s.deployment == nil || s.record == nil {
		return
	}
	now := metav1.NewTime(s.clock.Now()).Rfc3339Copy()
	history := slices.Clone(s.operator.Status.History)
	if s.began != nil && len(history) > 0 && slices.ContainsFunc(history[1:], s.isCurrent) {
		return // the cache still has the BundleDeployment as it was before the hop that history tells of already
	}
	if len(history) == 0 || !s.isCurrent(history[0]) {
		if len(history) > 0 {
			leave(&history[0], notBefore(now, history[0].StartedTime))
		}
		history = slices.Insert(history, 0, s.newEntry())
	}
	current := &history[0]
	now = notBefore(now, current.StartedTime)
	if state := s.becameOf(*current); state != current.State {
		current.State = state
		current.CompletedTime = nil
		if state == platformv1alpha1.HistoryReady || state == platformv1alpha1.HistoryRolledBack {
			current.CompletedTime = &now
		}
		if state == platformv1alpha1.HistoryReady {
			current.ReadyTime = &now
		}
	}
	s.operator.Status.History = history[:min(len(history), platformv1alpha1.MaxHistory)]
}

// readyTold says whether history has it that what the deployment points at was ready, or will not tell of that any more.
func (s *state) readyTold() bool {
	history := s.operator.Status.History
	if s.record == nil || len(history) == 0 {
		return false
	}
	return s.isCurrent(history[0]) && history[0].State == platformv1alpha1.HistoryReady || slices.ContainsFunc(history[1:], s.isCurrent)
}

// isCurrent says whether an entry is of the hop to what the deployment points at.
func (s *state) isCurrent(entry platformv1alpha1.HistoryEntry) bool {
	return entry.Bundle == s.record.Bundle && (s.began == nil || entry.StartedTime.Equal(&s.began.Started))
}

func (s *state) newEntry() platformv1alpha1.HistoryEntry {
	entry := platformv1alpha1.HistoryEntry{
		Version: s.record.Version, Bundle: s.record.Bundle, State: platformv1alpha1.HistoryInstalling,
		StartedTime: s.deployment.CreationTimestamp, Trigger: platformv1alpha1.TriggerInstallation,
	}
	if s.began != nil {
		entry.StartedTime, entry.Trigger = s.began.Started, s.began.Trigger
	}
	return entry
}

// startOfAHop is now, in whole seconds, and a second that no entry of history has: two hops of one bundle are told apart by it.
func (s *state) startOfAHop() metav1.Time {
	start := metav1.NewTime(s.clock.Now()).Rfc3339Copy()
	for slices.ContainsFunc(s.operator.Status.History, func(entry platformv1alpha1.HistoryEntry) bool { return entry.StartedTime.Equal(&start) }) {
		start = metav1.NewTime(start.Add(time.Second))
	}
	return start
}

func notBefore(now, start metav1.Time) metav1.Time {
	if now.Before(&start) {
		return start
	}
	return now
}

// leave ends an entry because another hop has begun.
func leave(entry *platformv1alpha1.HistoryEntry, now metav1.Time) {
	if entry.CompletedTime == nil {
		entry.CompletedTime = &now
	}
	if entry.State == platformv1alpha1.HistoryInstalling {
		entry.State = platformv1alpha1.HistorySuperseded
	}
}

// becameOf is what became of the hop that is under way, or was the last.
func (s *state) becameOf(entry platformv1alpha1.HistoryEntry) platformv1alpha1.HistoryState {
	switch {
	case entry.State == platformv1alpha1.HistoryReady, hopDone(s.deployment, false):
		return platformv1alpha1.HistoryReady
	case s.deployment.Status.ObservedGeneration < s.deployment.Generation, s.deployment.Spec.Paused:
		return entry.State
	case rolledBack(s.deployment):
		return platformv1alpha1.HistoryRolledBack
	}
	progressing := meta.FindStatusCondition(s.deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if progressing != nil && progressing.Reason == corev1alpha2.ReasonDeadlineExceeded {
		return platformv1alpha1.HistoryFailed
	}
	if reason, _ := deploymentFault(s.deployment); faults[reason] {
		return platformv1alpha1.HistoryFailed
	}
	return platformv1alpha1.HistoryInstalling
}
