package compat

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Counted is a bundle of which objects may be on the cluster.
type Counted struct {
	// Bundle, Package and Version are empty where nobody knows them.
	Bundle, Package, Version string
	// Max is as in Operator.
	Max []string
}

// CountedBundles gives the bundles that count at the upgrade gate: each from before its first write until the last object is gone that its
// removal deletes. CustomResourceDefinitions and namespaces that are kept do not count, nor does what nothing but finalizers of others
// keep; what a removal waits for does.
//
// operator is nil for a BundleDeployment that no PlatformOperator has, deployment is nil where the PlatformOperator has none. What
// a PlatformOperator records of a bundle wins over what the bundle's own files say, because catalogs may have corrected that.
func CountedBundles(operator *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment) (bundles []Counted) {
	present := presentRevisions(deployment)
	if operator == nil {
		for _, each := range present {
			bundles = append(bundles, countedRevision(each, deployment))
		}
		return bundles
	}
	if operator.DeletionTimestamp != nil && (deployment == nil || takenDown(deployment) || !slices.Contains(operator.Finalizers, platformv1alpha1.Finalizer)) {
		operator = operator.DeepCopy()
		operator.Status.Installed = nil
	}
	installed := operator.Status.Installed
	if installed != nil {
		bundles = append(bundles, countedRecord(operator, installed))
	}
	var hop *platformv1alpha1.InstalledBundle
	if operator.Status.Target != nil {
		hop = operator.Status.Target.Hop
	}
	for _, each := range present {
		switch {
		case each.State == corev1alpha2.RevisionRollingOut && describes(hop, each.Bundle):
			if installed == nil || installed.Bundle != hop.Bundle || installed.Image != hop.Image {
				bundles = append(bundles, countedRecord(operator, hop))
			}
		case describes(installed, each.Bundle):
		default:
			bundles = append(bundles, countedRevision(each, deployment))
		}
	}
	return bundles
}

// describes says whether a record is of a bundle of this name; a plain bundle may have none.
func describes(record *platformv1alpha1.InstalledBundle, bundle string) bool {
	return record != nil && (bundle == "" || bundle == record.Bundle)
}

// countedRecord is a bundle that the status of its PlatformOperator records, with what that says it declares.
func countedRecord(operator *platformv1alpha1.PlatformOperator, bundle *platformv1alpha1.InstalledBundle) Counted {
	return Counted{Bundle: bundle.Bundle, Package: operator.Spec.Package.Name, Version: bundle.Version,
		Max: Recalled(bundle.MaxOpenShiftVersion, bundle.UnreadableMaxOpenShiftVersions)}
}

// countedRevision is the bundle of a revision, with what its files declare.
func countedRevision(revision corev1alpha2.Revision, deployment *corev1alpha2.BundleDeployment) Counted {
	counted := Counted{Bundle: revision.Bundle, Version: revision.Version, Max: revision.MaxOpenShiftVersions}
	if bundle := deployment.Status.Bundle; bundle != nil {
		counted.Package = bundle.Package
	}
	return counted
}

// presentRevisions are the revisions of which objects may be there, with what their bundles declare.
func presentRevisions(deployment *corev1alpha2.BundleDeployment) (present []corev1alpha2.Revision) {
	if deployment == nil || takenDown(deployment) {
		return nil
	}
	status := deployment.Status
	for _, each := range status.Revisions {
		switch each.Presence {
		case corev1alpha2.Present:
			present = append(present, each)
		case "": // of a manager that noted it only of the newest and the active one
			present = append(present, olderRevision(each, status)...)
		}
	}
	if len(status.Revisions) == 0 && meta.IsStatusConditionTrue(status.Conditions, corev1alpha2.ConditionInstalled) {
		present = append(present, corev1alpha2.Revision{State: corev1alpha2.RevisionActive}) // rukpak's, which noted nothing
	}
	return present
}

func olderRevision(revision corev1alpha2.Revision, status corev1alpha2.BundleDeploymentStatus) []corev1alpha2.Revision {
	bundle := status.Bundle
	switch {
	case revision.State == corev1alpha2.RevisionActive && status.ActiveBundle != nil:
		bundle = status.ActiveBundle
	case revision.State == corev1alpha2.RevisionActive:
	case revision.State != corev1alpha2.RevisionRollingOut || revision.StartedTime == nil:
		return nil
	}
	if bundle != nil {
		revision.Bundle, revision.MaxOpenShiftVersions = bundle.Name, bundle.MaxOpenShiftVersions
	}
	return []corev1alpha2.Revision{revision}
}

// takenDown says that nothing is left of a BundleDeployment that is being deleted but what finalizers of others keep: the manager
// takes its own off when the last object is gone that goes with it.
func takenDown(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.DeletionTimestamp != nil && !slices.ContainsFunc(deployment.Finalizers, func(name string) bool {
		return name == corev1alpha2.Finalizer || name == corev1alpha2.FinalizerCachedBundle || name == corev1alpha2.FinalizerUnpackCache
	})
}
