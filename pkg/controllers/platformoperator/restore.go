package platformoperator

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// A BundleDeployment that somebody deleted behind its PlatformOperator's back is a change like any other: what was installed is
// put back, whatever the catalogs have now and whether or not they can be read, and only then does the operator move on, by the
// rules. Else a deletion would be a way past approval, past authors' steps and past the hold while the cluster is being updated.

// lost is the bundle that was installed when an operator's BundleDeployment went; nil when none had ever been ready, so that
// there is nothing yet which another version could lose.
func lost(status platformv1alpha1.PlatformOperatorStatus) *platformv1alpha1.InstalledBundle {
	if status.Installed == nil || !readyBefore(status.History) {
		return nil
	}
	return status.Installed.DeepCopy()
}

// readyBefore says whether any version has been ready. A history that is full may have forgotten which, and one from before
// history was kept does not tell.
func readyBefore(history []platformv1alpha1.HistoryEntry) bool {
	return len(history) == 0 || len(history) >= platformv1alpha1.MaxHistory ||
		slices.ContainsFunc(history, func(entry platformv1alpha1.HistoryEntry) bool { return entry.ReadyTime != nil })
}

// restore is the hop back to what was installed.
func (in situation) restore() hop {
	return hop{to: in.record, began: &beginning{
		Started: in.start, Trigger: platformv1alpha1.TriggerRestored, Wish: in.wish, Restores: true,
	}}
}

// restoring says whether what was installed is being put back.
func (in situation) restoring() bool {
	return in.began != nil && in.began.Trigger == platformv1alpha1.TriggerRestored && in.deployment != nil && in.deployment.Status.ActiveRevision == 0
}

// everReady says whether any version has been ready, under a BundleDeployment or under the one that it is in the place of; began
// is what is written down on it.
func everReady(deployment *corev1alpha2.BundleDeployment, began *beginning) bool {
	return deployment.Status.ActiveRevision > 0 || began != nil && began.Restores
}

// namespaceBefore is where an operator was whose BundleDeployment has gone; empty when status does not tell.
func namespaceBefore(status platformv1alpha1.PlatformOperatorStatus) string {
	for _, object := range status.RelatedObjects {
		if status.Installed != nil && object.Group == "" && object.Resource == "namespaces" {
			return object.Name
		}
	}
	return ""
}
