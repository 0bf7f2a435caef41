package revision

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// Migration from rukpak: the objects that rukpak applied stay, because they have the same labels, and the first revision adopts them. Then
// the manager deletes objects that are not in the revision, such as roles with other names. It removes rukpak's finalizers last, because
// they record that this deletion is not done yet.

// inheritedFinalizers are the finalizers that rukpak set on BundleDeployments. Only this manager removes them, because rukpak does not run.
var inheritedFinalizers = []string{corev1alpha2.FinalizerCachedBundle, corev1alpha2.FinalizerUnpackCache}

// IsInheritedFinalizer reports whether a finalizer is one of rukpak's.
func IsInheritedFinalizer(finalizer string) bool {
	return slices.Contains(inheritedFinalizers, finalizer)
}

// IsFinalizer reports whether a finalizer keeps a BundleDeployment until the manager has removed its objects.
func IsFinalizer(finalizer string) bool {
	return finalizer == corev1alpha2.Finalizer || IsInheritedFinalizer(finalizer)
}

// IsHeld reports whether a finalizer of the manager or of rukpak keeps a BundleDeployment.
func IsHeld(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, IsFinalizer)
}

// IsInherited reports whether rukpak managed the BundleDeployment before, so that there may be objects that belong to no revision.
func IsInherited(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, IsInheritedFinalizer)
}
