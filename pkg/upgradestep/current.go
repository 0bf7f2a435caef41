package upgradestep

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Current describes the bundle that a PlatformOperator runs, with its BundleDeployment and its history.
type Current struct {
	// Deployment is the BundleDeployment of the PlatformOperator; nil if there is none.
	Deployment *corev1alpha2.BundleDeployment
	// Recorded is the bundle that was recorded last in the BundleDeployment. If the BundleDeployment was deleted, it is the bundle to
	// restore. It is nil if unknown.
	Recorded *platformv1alpha1.InstalledBundle
	// Start holds when and why the step to Recorded started; nil if unknown.
	Start *StepStart
	// Installed is status.installed. History is status.history, newest first.
	Installed *platformv1alpha1.InstalledBundle
	History   []platformv1alpha1.HistoryEntry
}

// CurrentOf returns the Current of a PlatformOperator, from its status and the annotations of its BundleDeployment; deployment is nil if
// none exists.
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
// The manager undoes the deletion before it decides anything else, regardless of what the catalogs contain. Otherwise a deletion would
// bypass approval, authors' steps and the hold during a cluster update.
func BundleToRestore(status platformv1alpha1.PlatformOperatorStatus) *platformv1alpha1.InstalledBundle {
	if status.Installed == nil || !wasReady(status.History) {
		return nil
	}
	return status.Installed.DeepCopy()
}

// wasReady reports whether any version has been ready. It also returns true for a full history, which may have lost the entry of the ready
// version, and for an empty one, which dates from before the manager wrote history.
func wasReady(history []platformv1alpha1.HistoryEntry) bool {
	return len(history) == 0 || len(history) >= platformv1alpha1.MaxHistory ||
		slices.ContainsFunc(history, isReady)
}

// isReady reports whether the version of an entry of history was ready.
func isReady(entry platformv1alpha1.HistoryEntry) bool { return entry.ReadyTime != nil }

// WasReady reports whether any version has been ready under the BundleDeployment, or under the deleted BundleDeployment that it replaces.
// Until then, the first installation is in progress, even if its version changes. A cluster update does not hold the first installation,
// because the installation of the cluster itself is reported like an update and may wait for the operator. If the Secrets of the active
// revision are lost, no revision is active, and history shows whether a version was ready.
func (c Current) WasReady() bool {
	if c.Deployment == nil {
		return false
	}
	return c.Deployment.Status.ActiveRevision > 0 || c.Start != nil && c.Start.Restores ||
		c.Installed != nil && slices.ContainsFunc(c.History, isReady)
}

// UpgradesFrom returns the version below which nothing may be chosen; empty if no version has been ready.
func (c Current) UpgradesFrom() string {
	if c.Installed != nil && (c.WasReady() || c.Deployment == nil && wasReady(c.History)) {
		return c.Installed.Version
	}
	return ""
}

// isRestoring reports whether the step to Recorded is a restoration that has not made a revision active yet.
func (c Current) isRestoring() bool {
	return c.Start != nil && c.Start.Trigger == platformv1alpha1.TriggerRestored && c.Deployment != nil && c.Deployment.Status.ActiveRevision == 0
}

// running returns the bundle that the BundleDeployment runs: Recorded, or Installed if both are the same bundle and Recorded has no digest,
// because a tag does not identify the image that runs. Recorded must not be nil.
func (c Current) running() platformv1alpha1.InstalledBundle {
	if c.Installed != nil && digestOf(c.Recorded.Image) == "" && SameBundle(*c.Installed, *c.Recorded) {
		return *c.Installed
	}
	return *c.Recorded
}

// isStatusBehind reports whether the step to Recorded is complete, but status does not yet show Recorded as installed and ready. In that
// case the next step must wait, because it overwrites the record before status contains it. The upgrade gate, authors' steps and the rule
// against downgrades read status.
func (c Current) isStatusBehind() bool {
	if c.Deployment == nil || c.Recorded == nil {
		return false
	}
	shown := c.Installed != nil && SameBundle(*c.Installed, *c.Recorded)
	return !shown && IsComplete(c.Deployment, c.Installed == nil) || !c.isReadyInHistory() && IsComplete(c.Deployment, false)
}

// isReadyInHistory reports whether history shows that Recorded was ready, or already has an entry for a later step.
func (c Current) isReadyInHistory() bool {
	if c.Recorded == nil || len(c.History) == 0 {
		return false
	}
	return c.isStepOf(c.History[0]) && c.History[0].State == platformv1alpha1.HistoryReady || slices.ContainsFunc(c.History[1:], c.isStepOf)
}

// isStepOf reports whether an entry of history is about the step to Recorded. If the start of that step is unknown, it compares only the
// names of the bundles.
func (c Current) isStepOf(entry platformv1alpha1.HistoryEntry) bool {
	return entry.Bundle == c.Recorded.Bundle && (c.Start == nil || entry.StartedTime.Equal(&c.Start.Started))
}
