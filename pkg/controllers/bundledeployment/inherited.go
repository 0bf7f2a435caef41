package bundledeployment

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// What rukpak installed stays as it is: its objects carry the same labels, and the first revision takes them over. Then objects that
// the revision has not, such as roles of other names, are removed, and only then rukpak's finalizers: until then the finalizers record
// that this is still to be done.

// inheritedFinalizers are those of rukpak, whose processes are gone.
var inheritedFinalizers = []string{corev1alpha2.FinalizerCachedBundle, corev1alpha2.FinalizerUnpackCache}

// isOurFinalizer reports whether a finalizer keeps a BundleDeployment until the manager has removed its objects.
func isOurFinalizer(finalizer string) bool {
	return finalizer == corev1alpha2.Finalizer || slices.Contains(inheritedFinalizers, finalizer)
}

// isHeld reports whether the objects of a BundleDeployment have to be removed before it goes.
func isHeld(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, isOurFinalizer)
}

// isInherited reports whether rukpak had the BundleDeployment, and may have applied objects that no revision has.
func isInherited(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, func(name string) bool { return slices.Contains(inheritedFinalizers, name) })
}
