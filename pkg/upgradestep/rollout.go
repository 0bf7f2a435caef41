package upgradestep

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// RolloutState is how far the bundle of a BundleDeployment has been rolled out.
type RolloutState string

// States of a rollout. Those before Complete hold the next step; those after it do not, because nothing of the bundle runs.
const (
	// RolloutPending: the status of the BundleDeployment is about an earlier spec.
	RolloutPending RolloutState = "Pending"
	// RolloutUnpacking: the bundle is being pulled, unpacked or rendered.
	RolloutUnpacking RolloutState = "Unpacking"
	// RolloutApplying: not all objects are applied yet, or the API server refuses some of a first installation.
	RolloutApplying RolloutState = "Applying"
	// RolloutRefused: the API server refuses objects, and the version before still runs.
	RolloutRefused RolloutState = "Refused"
	// RolloutUnhealthy: everything is applied, and not healthy or not checked yet.
	RolloutUnhealthy RolloutState = "Unhealthy"
	// RolloutProgressing: everything is healthy, and the rollout has not ended.
	RolloutProgressing RolloutState = "Progressing"

	// RolloutComplete: everything is applied and healthy.
	RolloutComplete RolloutState = "Complete"

	// RolloutNone: there is no BundleDeployment.
	RolloutNone RolloutState = "None"
	// RolloutRolledBack: the version was given up, and the version before was restored.
	RolloutRolledBack RolloutState = "RolledBack"
	// RolloutUnusable: the image cannot be pulled, or its content cannot be rendered.
	RolloutUnusable RolloutState = "Unusable"
)

// Rollout is the progress of a rollout. Detail is the rest of a sentence, without a full stop, about what the rollout waits for; it is
// empty for states that hold nothing.
type Rollout struct {
	State  RolloutState
	Detail string
}

// HoldsNextStep reports whether the version that the BundleDeployment runs must not be left for another one yet.
func (r Rollout) HoldsNextStep() bool {
	switch r.State {
	case RolloutComplete, RolloutNone, RolloutRolledBack, RolloutUnusable:
		return false
	}
	return true
}

// RolloutOf returns how far the rollout of a BundleDeployment is. The BundleDeployment may be nil.
func RolloutOf(deployment *corev1alpha2.BundleDeployment) Rollout {
	if deployment == nil {
		return Rollout{State: RolloutNone}
	}
	if IsStale(deployment) {
		return Rollout{RolloutPending, "its installation has just begun"}
	}
	if IsRolledBack(deployment) {
		return Rollout{State: RolloutRolledBack}
	}
	conditions := deployment.Status.Conditions
	for _, condition := range []string{corev1alpha2.ConditionUnpacked, corev1alpha2.ConditionHasValidBundle} {
		if meta.IsStatusConditionFalse(conditions, condition) {
			return Rollout{State: RolloutUnusable}
		}
	}
	if !meta.IsStatusConditionTrue(conditions, corev1alpha2.ConditionHasValidBundle) {
		return Rollout{RolloutUnpacking, "its bundle is being unpacked"}
	}
	installed := meta.FindStatusCondition(conditions, corev1alpha2.ConditionInstalled)
	if installed == nil || installed.Status != metav1.ConditionTrue {
		return Rollout{RolloutApplying, ConditionText(installed, "its installation has not finished")}
	}
	if installed.Reason == corev1alpha2.ReasonUpgradeFailed {
		return Rollout{RolloutRefused, ConditionText(installed, "it is refused")}
	}
	if healthy := meta.FindStatusCondition(conditions, corev1alpha2.ConditionHealthy); healthy == nil || healthy.Status != metav1.ConditionTrue {
		return Rollout{RolloutUnhealthy, ConditionText(healthy, "its health is not known yet")}
	}
	if progressing := meta.FindStatusCondition(conditions, corev1alpha2.ConditionProgressing); progressing != nil && progressing.Status == metav1.ConditionTrue {
		return Rollout{RolloutProgressing, ConditionText(progressing, "it is still rolling out")}
	}
	return Rollout{State: RolloutComplete}
}

// IsStale reports whether the status of a BundleDeployment is about an earlier spec. The API server counts a deletion as another generation,
// though it changes no spec.
func IsStale(deployment *corev1alpha2.BundleDeployment) bool {
	generation := deployment.Generation
	if deployment.DeletionTimestamp != nil {
		generation--
	}
	return deployment.Status.ObservedGeneration < generation
}

// IsRolledBack reports whether the version that a BundleDeployment names was given up and the version before it restored.
func IsRolledBack(deployment *corev1alpha2.BundleDeployment) bool {
	if deployment.Status.ObservedGeneration < deployment.Generation {
		return false
	}
	return slices.ContainsFunc(deployment.Status.Revisions, func(revision corev1alpha2.Revision) bool {
		return revision.State == corev1alpha2.RevisionFailed && revision.FailedGeneration == deployment.Generation
	})
}

// IsApplied reports whether some version is in place; it may be another one than the BundleDeployment names.
func IsApplied(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.Status.ActiveRevision > 0 || meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// IsComplete reports whether the step to the bundle of a BundleDeployment is complete. A first installation is complete when everything is
// applied, a later step when it is also healthy, so that the revision before it is no longer needed. No later step completes while the
// BundleDeployment is paused: live objects are not compared with the desired ones then, so that objects of another version pass for them.
func IsComplete(deployment *corev1alpha2.BundleDeployment, first bool) bool {
	if IsStale(deployment) || IsRolledBack(deployment) || deployment.Spec.Paused && !first {
		return false
	}
	if !meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionInstalled) {
		return false
	}
	return first || !RolloutOf(deployment).HoldsNextStep() &&
		meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionHasValidBundle)
}

// ConditionText returns the message of a condition without its final full stop, or the fallback if there is no message.
func ConditionText(condition *metav1.Condition, fallback string) string {
	if condition == nil || condition.Message == "" {
		return fallback
	}
	return platformOperatorFields.Replace(TrimStop(condition.Message))
}

// TrimStop returns a text without white space around it and without its final full stop.
func TrimStop(text string) string { return strings.TrimRight(strings.TrimSpace(text), ".") }

// platformOperatorFields replaces the fields of a BundleDeployment that its messages tell users to set by those of the PlatformOperator,
// which propagates them.
var platformOperatorFields = strings.NewReplacer(
	"spec.adoption", "spec.install.adoption", "spec.config", "spec.install.config", "spec.drift", "spec.install.drift",
	"spec.installNamespace", "spec.install.namespace", "spec.onFailure", "spec.install.onFailure", "spec.progressDeadlineSeconds", "spec.install.progressDeadlineSeconds",
)
