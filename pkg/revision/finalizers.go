package revision

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// What rukpak installed stays as it is: its objects carry the same labels, and the first revision takes them over. Then objects that
// the revision has not, such as roles of other names, are removed, and only then rukpak's finalizers: until then the finalizers record
// that this is still to be done.

// inheritedFinalizers are those of rukpak, whose processes are gone.
var inheritedFinalizers = []string{corev1alpha2.FinalizerCachedBundle, corev1alpha2.FinalizerUnpackCache}

// IsInheritedFinalizer reports whether a finalizer is one of rukpak's.
func IsInheritedFinalizer(finalizer string) bool {
	return slices.Contains(inheritedFinalizers, finalizer)
}

// IsFinalizer reports whether a finalizer keeps a BundleDeployment until the manager has removed its objects.
func IsFinalizer(finalizer string) bool {
	return finalizer == corev1alpha2.Finalizer || IsInheritedFinalizer(finalizer)
}

// IsHeld reports whether the objects of a BundleDeployment have to be removed before it goes.
func IsHeld(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, IsFinalizer)
}

// IsInherited reports whether rukpak had the BundleDeployment, and may have applied objects that no revision has.
func IsInherited(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, IsInheritedFinalizer)
}
