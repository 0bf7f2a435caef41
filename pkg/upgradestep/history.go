package upgradestep

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// UpdatedHistory returns the history, newest first, with the current state of the step to Recorded in the entry for that step. It adds the
// entry if there is none, and ends the entry before it. The entry of a version that was ready stays Ready. If nothing is deployed or
// recorded, it returns History unchanged. It does not modify Current.
func (c Current) UpdatedHistory(at time.Time) []platformv1alpha1.HistoryEntry {
	if c.Deployment == nil || c.Recorded == nil {
		return c.History
	}
	if c.Start != nil && len(c.History) > 0 && slices.ContainsFunc(c.History[1:], c.isStepOf) {
		return c.History // the cache still has the BundleDeployment as it was before the newest step in history
	}
	now := metav1.NewTime(at).Rfc3339Copy()
	history := slices.Clone(c.History)
	if len(history) == 0 || !c.isStepOf(history[0]) {
		if len(history) > 0 {
			endEntry(&history[0], notBefore(now, history[0].StartedTime))
		}
		history = slices.Insert(history, 0, c.newEntry())
	}
	newest := &history[0]
	if state := c.stateOf(*newest); state != newest.State {
		setState(newest, state, notBefore(now, newest.StartedTime))
	}
	if approver := c.approver(); approver != "" {
		newest.ApprovedBy = approver
	}
	return history[:min(len(history), platformv1alpha1.MaxHistory)]
}

// approver returns the user name of the person who approved the plan of the recorded bundle; empty if the newest revision of the
// BundleDeployment was not approved, or is of another bundle.
func (c Current) approver() string {
	revisions := c.Deployment.Status.Revisions
	if len(revisions) == 0 || IsStale(c.Deployment) {
		return ""
	}
	newest := revisions[len(revisions)-1]
	if newest.Version != c.Recorded.Version {
		return ""
	}
	return newest.ApprovedBy
}

func setState(entry *platformv1alpha1.HistoryEntry, state platformv1alpha1.HistoryState, now metav1.Time) {
	entry.State = state
	entry.CompletedTime = nil
	if state == platformv1alpha1.HistoryReady || state == platformv1alpha1.HistoryRolledBack {
		entry.CompletedTime = &now
	}
	if state == platformv1alpha1.HistoryReady {
		entry.ReadyTime = &now
	}
}

func (c Current) newEntry() platformv1alpha1.HistoryEntry {
	entry := platformv1alpha1.HistoryEntry{
		Version: c.Recorded.Version, Bundle: c.Recorded.Bundle, State: platformv1alpha1.HistoryInstalling,
		StartedTime: c.Deployment.CreationTimestamp, Trigger: platformv1alpha1.TriggerInstallation,
	}
	if c.Start != nil {
		entry.StartedTime, entry.Trigger = c.Start.Started, c.Start.Trigger
	}
	return entry
}

func notBefore(now, start metav1.Time) metav1.Time {
	if now.Before(&start) {
		return start
	}
	return now
}

// endEntry ends an entry because a new step has started. An entry that is still Installing becomes Superseded.
func endEntry(entry *platformv1alpha1.HistoryEntry, now metav1.Time) {
	if entry.CompletedTime == nil {
		entry.CompletedTime = &now
	}
	if entry.State == platformv1alpha1.HistoryInstalling {
		entry.State = platformv1alpha1.HistorySuperseded
	}
}

// stateOf returns the current state of the newest entry, which must be the entry for the step to Recorded.
func (c Current) stateOf(entry platformv1alpha1.HistoryEntry) platformv1alpha1.HistoryState {
	deployment := c.Deployment
	switch {
	case entry.State == platformv1alpha1.HistoryReady, IsComplete(deployment, false):
		return platformv1alpha1.HistoryReady
	case IsStale(deployment), deployment.Spec.Paused:
		return entry.State
	case IsRolledBack(deployment), entry.State == platformv1alpha1.HistoryRolledBack && !runsNewest(deployment.Status):
		return platformv1alpha1.HistoryRolledBack
	case IsNotRetried(deployment):
		return platformv1alpha1.HistoryFailed
	}
	progressing := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if progressing != nil && progressing.Reason == corev1alpha2.ReasonDeadlineExceeded || InstallationOf(deployment).NeedsAction() {
		return platformv1alpha1.HistoryFailed
	}
	return platformv1alpha1.HistoryInstalling
}
