package bundledeployment

import (
	"slices"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// What rukpak installed goes on as it is: its objects carry the same labels, and are taken over by the first revision. Then
// what that revision has not, such as roles of other names, is taken away, and only then rukpak's finalizers: until then they
// are the mark that this is still to be done.

// finalizers are those by which a BundleDeployment is held: the manager's own, and those of rukpak, whose processes are gone.
var finalizers = []string{corev1alpha2.Finalizer, corev1alpha2.FinalizerCachedBundle, corev1alpha2.FinalizerUnpackCache}

// isHeld says whether a BundleDeployment has to be taken down before it goes.
func isHeld(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, func(name string) bool { return slices.Contains(finalizers, name) })
}

// isInherited says that rukpak had the BundleDeployment, and may have applied what no revision has.
func isInherited(deployment *corev1alpha2.BundleDeployment) bool {
	return slices.ContainsFunc(deployment.Finalizers, func(name string) bool { return slices.Contains(finalizers[1:], name) })
}
