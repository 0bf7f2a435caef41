package upgradestep

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Current is the bundle that a PlatformOperator runs.
type Current struct {
	// Deployment is the BundleDeployment of the PlatformOperator; nil if there is none.
	Deployment *corev1alpha2.BundleDeployment
	// Recorded is the bundle that the BundleDeployment was set to last, or, after it was deleted, the bundle to restore; nil if unknown.
	Recorded *platformv1alpha1.InstalledBundle
	// Start is how the step to Recorded started; nil if unknown.
	Start *StepStart
	// Installed is status.installed, and History status.history, newest first.
	Installed *platformv1alpha1.InstalledBundle
	History   []platformv1alpha1.HistoryEntry
}

// CurrentOf reads what a PlatformOperator runs from its status and the annotations of its BundleDeployment, which is nil if there is none.
func CurrentOf(status platformv1alpha1.PlatformOperatorStatus, deployment *corev1alpha2.BundleDeployment) Current {
	current := Current{Deployment: deployment, Installed: status.Installed, History: status.History}
	if deployment == nil {
		current.Recorded = BundleToRestore(status)
		return current
	}
	current.Recorded, current.Start = RecordedBundle(deployment), RecordedStart(deployment)
	if current.Recorded == nil {
		current.Recorded = recordFromStatus(status, deployment)
	}
	return current
}

// BundleToRestore returns the bundle that was installed when the BundleDeployment of a PlatformOperator was deleted. It returns nil if no
// version had been ready: then any version may be installed, because a lower one loses no data.
//
// The deletion is undone before anything else is decided, whatever the catalogs have. Otherwise a deletion would bypass approval, authors'
// steps and the hold during a cluster update.
func BundleToRestore(status platformv1alpha1.PlatformOperatorStatus) *platformv1alpha1.InstalledBundle {
	if status.Installed == nil || !wasReady(status.History) {
		return nil
	}
	return status.Installed.DeepCopy()
}

// wasReady reports whether any version has been ready. A full history may have dropped the entry that tells, and an empty one dates from
// before the manager kept history: both count as ready.
func wasReady(history []platformv1alpha1.HistoryEntry) bool {
	return len(history) == 0 || len(history) >= platformv1alpha1.MaxHistory ||
		slices.ContainsFunc(history, func(entry platformv1alpha1.HistoryEntry) bool { return entry.ReadyTime != nil })
}

// WasReady reports whether any version has been ready under the BundleDeployment, or under the deleted one that it replaces. Until then the
// first installation goes on, whichever version it ends with: the installation of the cluster, which counts as an update, may wait for it.
func (c Current) WasReady() bool {
	return c.Deployment != nil && (c.Deployment.Status.ActiveRevision > 0 || c.Start != nil && c.Start.Restores)
}

// UpgradesFrom returns the version below which nothing may be chosen; empty if no version has been ready.
func (c Current) UpgradesFrom() string {
	if c.Installed != nil && (c.WasReady() || c.Deployment == nil && wasReady(c.History)) {
		return c.Installed.Version
	}
	return ""
}

// isRestoring reports whether the step to Recorded restores it and has not made it active yet.
func (c Current) isRestoring() bool {
	return c.Start != nil && c.Start.Trigger == platformv1alpha1.TriggerRestored && c.Deployment != nil && c.Deployment.Status.ActiveRevision == 0
}

// running returns the bundle that the BundleDeployment runs, by digest where status has it: a tag does not tell which image runs.
func (c Current) running() platformv1alpha1.InstalledBundle {
	if c.Installed != nil && digestOf(c.Recorded.Image) == "" && SameBundle(*c.Installed, *c.Recorded) {
		return *c.Installed
	}
	return *c.Recorded
}

// isStatusBehind reports whether the step to Recorded is complete and status does not show it yet, as installed and as ready. The upgrade
// gate, authors' steps and the rule against downgrades read status, and the next step overwrites the record.
func (c Current) isStatusBehind() bool {
	if c.Deployment == nil || c.Recorded == nil {
		return false
	}
	shown := c.Installed != nil && SameBundle(*c.Installed, *c.Recorded)
	return !shown && IsComplete(c.Deployment, c.Installed == nil) || !c.isReadyInHistory() && IsComplete(c.Deployment, false)
}

// isReadyInHistory reports whether history shows that Recorded was ready, or has a later step already.
func (c Current) isReadyInHistory() bool {
	if c.Recorded == nil || len(c.History) == 0 {
		return false
	}
	return c.isStepOf(c.History[0]) && c.History[0].State == platformv1alpha1.HistoryReady || slices.ContainsFunc(c.History[1:], c.isStepOf)
}

// isStepOf reports whether an entry of history is about the step to Recorded.
func (c Current) isStepOf(entry platformv1alpha1.HistoryEntry) bool {
	return entry.Bundle == c.Recorded.Bundle && (c.Start == nil || entry.StartedTime.Equal(&c.Start.Started))
}
