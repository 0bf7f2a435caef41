package operators

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// AwaitsPlan reports whether a plan of a BundleDeployment waits for an approval. It returns false for nil.
func AwaitsPlan(deployment *corev1alpha2.BundleDeployment) bool {
	if deployment == nil {
		return false
	}
	approved := conditionOf(deployment.Status.Conditions, corev1alpha2.ConditionApproved)
	return approved.Status == metav1.ConditionFalse && approved.Reason == corev1alpha2.ReasonAwaitingApproval
}

// PlanDigest returns the digest of the newest plan of a BundleDeployment; empty if there is no plan, and for nil.
func PlanDigest(deployment *corev1alpha2.BundleDeployment) string {
	if deployment == nil || deployment.Status.Plan == nil {
		return ""
	}
	return deployment.Status.Plan.Digest
}
