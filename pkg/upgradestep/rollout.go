package upgradestep

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/attempt"
)

// RolloutState is the phase of the rollout of a BundleDeployment's bundle.
type RolloutState string

// States of a rollout. The states listed before RolloutComplete hold the next step. RolloutComplete does not, and neither do the states
// after it, in which nothing of the bundle runs.
const (
	// RolloutPending: the status of the BundleDeployment refers to an earlier spec.
	RolloutPending RolloutState = "Pending"
	// RolloutUnpacking: the bundle is being pulled, unpacked or rendered.
	RolloutUnpacking RolloutState = "Unpacking"
	// RolloutApplying: not all objects are applied yet, or the API server refuses some objects of a first installation.
	RolloutApplying RolloutState = "Applying"
	// RolloutRefused: the API server refuses objects of the version, and the version before it still runs.
	RolloutRefused RolloutState = "Refused"
	// RolloutUnhealthy: all objects are applied, but not all of them are healthy, or their health is not known yet.
	RolloutUnhealthy RolloutState = "Unhealthy"
	// RolloutProgressing: everything is healthy, and the rollout has not ended.
	RolloutProgressing RolloutState = "Progressing"
	// RolloutFailed: the version missed its deadline, and no version is active that could be restored. Nothing is applied or repaired.
	RolloutFailed RolloutState = "Failed"

	// RolloutComplete: everything is applied and healthy.
	RolloutComplete RolloutState = "Complete"

	// RolloutNone: there is no BundleDeployment.
	RolloutNone RolloutState = "None"
	// RolloutRolledBack: the version missed its deadline, and the version before it was restored.
	RolloutRolledBack RolloutState = "RolledBack"
	// RolloutAwaitingApproval: the plan of the version is not approved.
	RolloutAwaitingApproval RolloutState = "AwaitingApproval"
	// RolloutUnusable: the image cannot be pulled, or its content cannot be rendered.
	RolloutUnusable RolloutState = "Unusable"
)

// Rollout is the progress of a rollout. Detail is a clause, without a full stop, that says what the rollout waits for; it is empty for
// states that do not hold the next step, except RolloutAwaitingApproval.
type Rollout struct {
	State  RolloutState
	Detail string
}

// HoldsNextStep reports whether the rollout must end before the next step may start.
func (r Rollout) HoldsNextStep() bool {
	switch r.State {
	case RolloutComplete, RolloutNone, RolloutRolledBack, RolloutAwaitingApproval, RolloutUnusable:
		return false
	}
	return true
}

// RolloutOf returns the progress of the rollout of a BundleDeployment; RolloutNone if deployment is nil.
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
	if IsNotRetried(deployment) {
		progressing := meta.FindStatusCondition(conditions, corev1alpha2.ConditionProgressing)
		return Rollout{RolloutFailed, ConditionText(progressing, "it is not tried again")}
	}
	for _, condition := range []string{corev1alpha2.ConditionUnpacked, corev1alpha2.ConditionHasValidBundle} {
		if meta.IsStatusConditionFalse(conditions, condition) {
			return Rollout{State: RolloutUnusable}
		}
	}
	if !meta.IsStatusConditionTrue(conditions, corev1alpha2.ConditionHasValidBundle) {
		return Rollout{RolloutUnpacking, "its bundle is being unpacked"}
	}
	if progressing := meta.FindStatusCondition(conditions, corev1alpha2.ConditionProgressing); progressing != nil && progressing.Reason == corev1alpha2.ReasonAwaitingApproval {
		return Rollout{RolloutAwaitingApproval, ConditionText(progressing, "its plan is not approved")}
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

// IsStale reports whether the status of a BundleDeployment refers to an earlier spec or an earlier attempt. A deletion also increases the
// generation, but does not change the spec.
func IsStale(deployment *corev1alpha2.BundleDeployment) bool {
	generation := deployment.Generation
	if deployment.DeletionTimestamp != nil {
		generation--
	}
	return deployment.Status.ObservedGeneration < generation || isOtherAttempt(deployment)
}

// isOtherAttempt reports whether the manager has not yet reconciled the attempt that a BundleDeployment requests. It returns false if a
// manager that recorded no attempts wrote the status.
func isOtherAttempt(deployment *corev1alpha2.BundleDeployment) bool {
	observed := deployment.Status.ObservedAttempt
	return observed != "" && observed != attempt.Of(deployment)
}

// IsRolledBack reports whether the version in the spec of a BundleDeployment failed and the version before it was restored. It returns
// false while the status refers to an earlier spec or an earlier attempt.
func IsRolledBack(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.Status.ActiveRevision > 0 && IsNotRetried(deployment)
}

// IsNotRetried reports whether the version in the spec of a BundleDeployment failed and is not tried again, even if the version before it
// is lost and cannot be restored. It returns false while the status is about an earlier spec or an earlier attempt. It also returns false
// if a later revision of the same spec rolls out or is active, for example because a tag refers to new content.
func IsNotRetried(deployment *corev1alpha2.BundleDeployment) bool {
	if deployment.Status.ObservedGeneration < deployment.Generation || isOtherAttempt(deployment) || runsNewest(deployment.Status) {
		return false
	}
	return slices.ContainsFunc(deployment.Status.Revisions, func(revision corev1alpha2.Revision) bool {
		return revision.State == corev1alpha2.RevisionFailed && revision.FailedGeneration == deployment.Generation
	})
}

// runsNewest reports whether the newest revision of a BundleDeployment rolls out, waits to do so, or is active.
func runsNewest(status corev1alpha2.BundleDeploymentStatus) bool {
	isRollingOut := func(each corev1alpha2.Revision) bool { return each.State == corev1alpha2.RevisionRollingOut }
	return status.ActiveRevision > 0 && status.ActiveBundle == nil || slices.ContainsFunc(status.Revisions, isRollingOut)
}

// IsApplied reports whether any version of the bundle is applied; the spec of the BundleDeployment may name a different one.
func IsApplied(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.Status.ActiveRevision > 0 || meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
}

// IsComplete reports whether the step to the bundle of a BundleDeployment is complete. first says whether it is a first installation. A
// first installation is complete when everything is applied. A later step is complete when everything is also healthy, because then the
// revision before it is no longer needed. No later step completes while the BundleDeployment is paused, because live objects of a different
// version are not detected then.
func IsComplete(deployment *corev1alpha2.BundleDeployment, first bool) bool {
	if IsStale(deployment) || IsNotRetried(deployment) || deployment.Spec.Paused && !first {
		return false
	}
	if !meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionInstalled) {
		return false
	}
	rollout := RolloutOf(deployment)
	return first || !rollout.HoldsNextStep() && rollout.State != RolloutAwaitingApproval &&
		meta.IsStatusConditionTrue(deployment.Status.Conditions, corev1alpha2.ConditionHasValidBundle)
}

// ConditionText returns the message of a condition without its final full stop. It replaces the names of fields of the BundleDeployment
// with those of the PlatformOperator. It returns the fallback if the condition is nil or has no message.
func ConditionText(condition *metav1.Condition, fallback string) string {
	if condition == nil || condition.Message == "" {
		return fallback
	}
	return OperatorText(TrimStop(condition.Message))
}

// OperatorText replaces the BundleDeployment's field names in a text with those of the PlatformOperator.
func OperatorText(text string) string { return platformOperatorFields.Replace(text) }

// TrimStop returns a text without surrounding white space and without final full stops.
func TrimStop(text string) string { return strings.TrimRight(strings.TrimSpace(text), ".") }

// platformOperatorFields replaces the names of BundleDeployment fields with those of the PlatformOperator fields from which they are
// copied, because users set the fields of the PlatformOperator. It also adds "of the BundleDeployment" to conditions that a
// PlatformOperator does not have.
var platformOperatorFields = strings.NewReplacer(
	"spec.adoption", "spec.install.adoption", "spec.config", "spec.install.config", "spec.drift", "spec.install.drift",
	"spec.preflight.crdUpgradeSafety", "spec.install.crdUpgradeSafety", "spec.serviceAccountName", "spec.install.serviceAccountName",
	"spec.approval", "spec.approval of the BundleDeployment", "the Approved condition", "the Approved condition of the BundleDeployment",
	"spec.installNamespace", "spec.install.namespace", "spec.onFailure", "spec.install.onFailure", "spec.progressDeadlineSeconds", "spec.install.progressDeadlineSeconds",
	"the Unpacked condition", "the Unpacked condition of the BundleDeployment",
	"the HasValidBundle condition", "the HasValidBundle condition of the BundleDeployment",
)
