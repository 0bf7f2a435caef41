package revision

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Deletion is the progress of removing a deleted BundleDeployment's objects.
type Deletion struct {
	// Waiting is a clause that says what the removal waits for.
	Waiting string
	// Blocked is true if the removal cannot continue on its own. Held is true if custom resources are the cause.
	Blocked, Held bool
	// Checking is true while namespaces are being checked, which takes seconds.
	Checking bool
}

// ReportDeletion fills in the status of a BundleDeployment that is being deleted.
func (m *Machine) ReportDeletion(status *corev1alpha2.BundleDeploymentStatus, deletion Deletion, now time.Time) {
	m.now = now
	m.reportObserved(status)
	m.set(status, removalBlocked(deletion))
	if before := m.lastProgressing(); !deletion.Checking || before == nil || before.Status != isTrue || before.Reason != corev1alpha2.ReasonRemoving {
		m.set(status, progressingDeletion(deletion)) // otherwise keep the message during the check
	}
	const message = "The BundleDeployment is being removed, and the manager no longer checks its objects."
	m.set(status,
		condition{corev1alpha2.ConditionHealthy, isUnknown, corev1alpha2.ReasonRemoving, message},
		condition{corev1alpha2.ConditionDrifted, isUnknown, corev1alpha2.ReasonRemoving, message})
}

func removalBlocked(deletion Deletion) condition {
	if deletion.Blocked {
		return condition{corev1alpha2.ConditionRemovalBlocked, isTrue, corev1alpha2.ReasonBlocked, deletion.Waiting + "."}
	}
	return condition{corev1alpha2.ConditionRemovalBlocked, isFalse, corev1alpha2.ReasonRemoving, "The removal needs no action."}
}

// progressingDeletion returns the Progressing condition during a deletion. It is False if the deletion is blocked, except by custom
// resources: then it stays True, and the RemovalBlocked condition reports the cause (ENG-D13).
func progressingDeletion(deletion Deletion) condition {
	if deletion.Blocked && !deletion.Held {
		return condition{corev1alpha2.ConditionProgressing, isFalse, corev1alpha2.ReasonBlocked, "The objects are not removed: " + deletion.Waiting + "."}
	}
	what := "Removing the objects: "
	if deletion.Held {
		what = "The removal waits: "
	}
	return condition{corev1alpha2.ConditionProgressing, isTrue, corev1alpha2.ReasonRemoving, what + deletion.Waiting + "."}
}

// ReportNameTaken fills in the status of a BundleDeployment whose name is that of a PlatformOperator that does not own it.
func (m *Machine) ReportNameTaken(status *corev1alpha2.BundleDeploymentStatus, now time.Time) {
	m.now = now
	m.reportObserved(status)
	name := m.in.Deployment.Name
	why := fmt.Sprintf("PlatformOperator %q has this name and does not own this BundleDeployment: "+
		"the manager fetches, applies, repairs and prunes nothing for it. "+
		"To install the PlatformOperator, delete this BundleDeployment (\"kubectl delete bundledeployment %s\"). "+
		"To keep this BundleDeployment, delete the PlatformOperator.", name, name)
	installed := condition{corev1alpha2.ConditionInstalled, isFalse, corev1alpha2.ReasonInstallFailed, why}
	if m.wasInstalled() {
		installed = condition{corev1alpha2.ConditionInstalled, isTrue, corev1alpha2.ReasonReconcileFailed, why}
	}
	const notEvaluated = "Not evaluated: a PlatformOperator has this name. See the Progressing condition."
	m.set(status, installed,
		condition{corev1alpha2.ConditionProgressing, isFalse, corev1alpha2.ReasonBlocked, why},
		condition{corev1alpha2.ConditionHealthy, isUnknown, corev1alpha2.ReasonBlocked, notEvaluated},
		condition{corev1alpha2.ConditionDrifted, isUnknown, corev1alpha2.ReasonReconcileFailed, notEvaluated})
	const notFetched = "Nothing is fetched; the Progressing condition says why."
	unpacked := condition{corev1alpha2.ConditionUnpacked, isUnknown, corev1alpha2.ReasonUnpackPending, notFetched}
	valid := condition{corev1alpha2.ConditionHasValidBundle, isUnknown, corev1alpha2.ReasonUnpackPending, notFetched}
	for _, each := range []condition{unpacked, valid} {
		if meta.FindStatusCondition(m.in.Deployment.Status.Conditions, each.kind) == nil {
			m.set(status, each)
		}
	}
}
