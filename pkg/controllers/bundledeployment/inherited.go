package bundledeployment

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// What rukpak installed goes on as it is: its objects carry the same labels, and are taken over by the first revision. Then
// what that revision has not, such as roles of other names, is taken away, and only then rukpak's finalizers: until then they
// are the mark that this is still to be done.

// inheritedFinalizers are those of rukpak, whose processes are gone.
var inheritedFinalizers = []string{corev1alpha2.FinalizerCachedBundle, corev1alpha2.FinalizerUnpackCache}

// holdsBack says whether a finalizer keeps a BundleDeployment until the manager has taken it down.
func holdsBack(finalizer string) bool {
	return finalizer == corev1alpha2.Finalizer || slices.Contains(inheritedFinalizers, finalizer)
}

// isHeld says whether a BundleDeployment has to be taken down before it goes.
func isHeld(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, holdsBack)
}

// isInherited says that rukpak had the BundleDeployment, and may have applied what no revision has.
func isInherited(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, func(name string) bool { return slices.Contains(inheritedFinalizers, name) })
}
