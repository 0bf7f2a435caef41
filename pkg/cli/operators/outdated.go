package operators

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// OutdatedText says what an outdated status means, and what to do about it.
const OutdatedText = "Outdated: the status is older than the last change of the spec, and may be out of date. The manager has not " +
	"reconciled the change yet. If that takes minutes, check its Pods in namespace " + ManagerNamespace + "."

// IsOutdated reports whether the status of a PlatformOperator, or one of its conditions, is older than the last change to its spec: the
// manager has not reconciled the change yet, or is not running. It returns false if the manager does not record generations.
func IsOutdated(operator *platformv1alpha1.PlatformOperator) bool {
	return isEarlier(operator.Status.ObservedGeneration, operator) ||
		slices.ContainsFunc(operator.Status.Conditions, func(c metav1.Condition) bool { return IsConditionOutdated(c, operator) })
}

// IsDeploymentOutdated is IsOutdated for a BundleDeployment. It also returns true for a status that is about an earlier attempt to install
// a revision.
func IsDeploymentOutdated(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.Status.ObservedGeneration != 0 && upgradestep.IsStale(deployment) ||
		slices.ContainsFunc(deployment.Status.Conditions, func(c metav1.Condition) bool { return IsConditionOutdated(c, deployment) })
}

// IsConditionOutdated reports whether a condition is older than the last change to the spec of its object.
func IsConditionOutdated(condition metav1.Condition, of metav1.Object) bool {
	return isEarlier(condition.ObservedGeneration, of)
}

// isEarlier reports whether an observed generation is known and is older than the spec of an object. It allows for a deletion, which
// increases the generation but does not change the spec.
func isEarlier(observed int64, object metav1.Object) bool {
	generation := object.GetGeneration()
	if object.GetDeletionTimestamp() != nil {
		generation--
	}
	return observed != 0 && observed < generation
}
