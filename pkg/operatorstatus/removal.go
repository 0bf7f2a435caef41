package operatorstatus

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// maxHolders is the maximum number of finalizers that a message names.
const maxHolders = 3

// Removal returns the status of a PlatformOperator that is being deleted. If the input contains a BundleDeployment, it must be the one of
// the PlatformOperator. If the PlatformOperator has the manager's finalizer, the status reports the progress of the removal of its
// BundleDeployment, which must exist. Otherwise the status reports which finalizers of other components hold the object.
func Removal(in Input) platformv1alpha1.PlatformOperatorStatus {
	r := newReport(in)
	deployment := in.Current.Deployment
	if !slices.Contains(in.Operator.Finalizers, platformv1alpha1.Finalizer) {
		if holders := heldBy(in.Operator.Finalizers); holders != "" {
			r.setCondition(platformv1alpha1.ConditionProgressing, releasedCondition(in.Operator.Name, holders))
			if deployment == nil { // otherwise somebody else removed the manager's finalizer
				r.setRemoved()
			}
		}
		return r.operator.Status
	}
	if isTakenDown(deployment) {
		r.setRemoved()
	}
	r.setCondition(platformv1alpha1.ConditionProgressing, removalCondition(deployment))
	r.setCondition(platformv1alpha1.ConditionHealthy, removalHealth(r))
	r.setCondition(platformv1alpha1.ConditionDrifted, removalDrift(r))
	return r.operator.Status
}

// setRemoved reports in the status that no object of the operator is left, so that none can block cluster upgrades.
func (r *report) setRemoved() {
	status := &r.operator.Status
	status.Installed, status.Target = nil, nil
	if r.in.Current.Deployment == nil {
		status.ActiveBundleDeployment = nil
	}
	r.setCondition(platformv1alpha1.ConditionInstalled, removedCondition())
	r.setCondition(platformv1alpha1.ConditionUpgradeable, upgradeableCondition(r.counted(), r.in.ClusterVersion))
	r.setCondition(platformv1alpha1.ConditionHealthy, healthyCondition(r))
	r.setCondition(platformv1alpha1.ConditionDrifted, driftedCondition(r))
}

func removedCondition() metav1.Condition {
	return isFalse(platformv1alpha1.ReasonRemoved, "The operator is removed; the Progressing condition says which finalizers hold what is left.")
}

// PackageHeld returns sentences for a PlatformOperator whose package another PlatformOperator, the holder, already has. They say what it
// waits for, and what an admin can do. deployment is the holder's BundleDeployment; nil if it has none.
func PackageHeld(holder *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment) string {
	if holder.DeletionTimestamp == nil {
		has := fmt.Sprintf("already installs package %q", holder.Spec.Package.Name)
		if holder.Status.Installed == nil {
			has = fmt.Sprintf("already requests package %q, which is not installed; its Installed condition says why", holder.Spec.Package.Name)
		}
		return fmt.Sprintf("PlatformOperator %q, which is older, %s. A package can be installed only once: delete one of the two PlatformOperators.",
			holder.Name, has)
	}
	message := fmt.Sprintf("PlatformOperator %q has package %q and is being removed; this one is installed when that one is gone.", holder.Name, holder.Spec.Package.Name)
	if held := heldBy(holder.Finalizers); held != "" {
		return fmt.Sprintf("%s PlatformOperator %q %s.", message, holder.Name, held)
	}
	if deployment != nil && isTakenDown(deployment) {
		return fmt.Sprintf("%s BundleDeployment %q %s.", message, deployment.Name, heldBy(deployment.Finalizers))
	}
	return fmt.Sprintf("%s Its Progressing condition says what the removal waits for: kubectl describe platformoperator %s", message, holder.Name)
}

func releasedCondition(name, holders string) metav1.Condition {
	return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("The manager has released PlatformOperator %q, which %s.", name, holders))
}

// removalCondition returns the Progressing condition during a removal, with the message of the BundleDeployment if it has one. It is False
// while the removal needs an action by an admin.
func removalCondition(deployment *corev1alpha2.BundleDeployment) metav1.Condition {
	const started = "The operator is being removed"
	if isTakenDown(deployment) {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("The objects have been removed or released; BundleDeployment %q %s.", deployment.Name, heldBy(deployment.Finalizers)))
	}
	if blocked := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionRemovalBlocked); blocked != nil && blocked.Status == metav1.ConditionTrue {
		return isFalse(platformv1alpha1.ReasonBlocked, "The removal waits: "+blocked.Message)
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if condition == nil || condition.Reason != corev1alpha2.ReasonRemoving {
		return isTrue(platformv1alpha1.ReasonRemoving, started+".")
	}
	return isTrue(platformv1alpha1.ReasonRemoving, upgradestep.ConditionText(condition, started)+".")
}

// removalHealth returns the Healthy condition during a removal. It becomes Unknown at once, even before the BundleDeployment reports that
// its health is no longer checked.
func removalHealth(r *report) metav1.Condition {
	if isTakenDown(r.in.Current.Deployment) {
		return healthyCondition(r)
	}
	return isUnknown(platformv1alpha1.ReasonUnknown, "The operator is being removed, and its health is not checked.")
}

// removalDrift returns the Drifted condition during a removal. It works like removalHealth.
func removalDrift(r *report) metav1.Condition {
	if isTakenDown(r.in.Current.Deployment) {
		return driftedCondition(r)
	}
	return isUnknown(platformv1alpha1.ReasonUnknown, "The operator is being removed, so its objects are no longer compared with their declaration.")
}

// isTakenDown reports whether everything has been removed except the BundleDeployment itself, which finalizers of other components hold.
func isTakenDown(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.DeletionTimestamp != nil && heldBy(deployment.Finalizers) != ""
}

// heldBy returns a clause with the finalizers of other components that hold an object after the manager has released it. It returns "" if
// the object still has a finalizer of the manager. It ignores the finalizers of Kubernetes' garbage collector, which removes them soon.
func heldBy(finalizers []string) string {
	var others []string
	for _, name := range finalizers {
		switch name {
		case platformv1alpha1.Finalizer, corev1alpha2.Finalizer, corev1alpha2.FinalizerCachedBundle, corev1alpha2.FinalizerUnpackCache:
			return ""
		case metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents:
			continue
		}
		others = append(others, fmt.Sprintf("%q", name))
	}
	if len(others) == 0 {
		return ""
	}
	more := ""
	if len(others) > maxHolders {
		others, more = others[:maxHolders], fmt.Sprintf(" and %d more", len(others)-maxHolders)
	}
	return "is held by its finalizers " + strings.Join(others, ", ") + more +
		"; the controllers that set them must remove them; if such a controller no longer exists, remove them by hand (metadata.finalizers)"
}
