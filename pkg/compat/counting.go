package compat

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Counted is a bundle whose objects may exist in the cluster.
type Counted struct {
	// Bundle is the bundle's name, Package its package and Version its version. Each is empty if unknown.
	Bundle, Package, Version string
	// Max holds the raw values of the bundle's olm.maxOpenShiftVersion, see ReadMax.
	Max []string
}

// CountedBundles returns the bundles that the upgrade gate considers: those whose objects may exist in the cluster. A bundle is included
// even before its first object is applied, and until its removal is complete. Objects that the removal waits for still count. Retained
// CustomResourceDefinitions and namespaces do not. A deleted BundleDeployment or PlatformOperator that only the finalizers of other
// controllers keep does not count either.
//
// operator is nil for a BundleDeployment without a PlatformOperator. deployment is nil if the PlatformOperator has none. The declaration in
// the PlatformOperator's status takes precedence over the one in the bundle's own files, because catalogs may have corrected it.
func CountedBundles(operator *platformv1alpha1.PlatformOperator, deployment *corev1alpha2.BundleDeployment) (bundles []Counted) {
	present := presentRevisions(deployment)
	if operator == nil {
		for _, each := range present {
			bundles = append(bundles, countedRevision(each, deployment))
		}
		return bundles
	}
	if operator.DeletionTimestamp != nil && (deployment == nil || isTornDown(deployment) || !slices.Contains(operator.Finalizers, platformv1alpha1.Finalizer)) {
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

// describes reports whether a record is about the bundle with this name. It returns true for an empty name, because a plain bundle may have
// no name, and false for a nil record.
func describes(record *platformv1alpha1.InstalledBundle, bundle string) bool {
	return record != nil && (bundle == "" || bundle == record.Bundle)
}

// countedRecord returns, as Counted, a bundle in a PlatformOperator's status, with the olm.maxOpenShiftVersion that the status records.
func countedRecord(operator *platformv1alpha1.PlatformOperator, bundle *platformv1alpha1.InstalledBundle) Counted {
	return Counted{Bundle: bundle.Bundle, Package: operator.Spec.Package.Name, Version: bundle.Version,
		Max: Recalled(bundle.MaxOpenShiftVersion, bundle.UnreadableMaxOpenShiftVersions)}
}

// countedRevision returns, as Counted, the bundle of a revision, with the olm.maxOpenShiftVersion in the bundle's files.
func countedRevision(revision corev1alpha2.Revision, deployment *corev1alpha2.BundleDeployment) Counted {
	counted := Counted{Bundle: revision.Bundle, Version: revision.Version, Max: revision.MaxOpenShiftVersions}
	if bundle := deployment.Status.Bundle; bundle != nil {
		counted.Package = bundle.Package
	}
	return counted
}

// presentRevisions returns the revisions whose objects may exist, with the olm.maxOpenShiftVersion in their bundles' files. It returns nil
// if there is no BundleDeployment, or if its objects are deleted.
func presentRevisions(deployment *corev1alpha2.BundleDeployment) (present []corev1alpha2.Revision) {
	if deployment == nil || isTornDown(deployment) {
		return nil
	}
	status := deployment.Status
	for _, each := range status.Revisions {
		switch each.Presence {
		case corev1alpha2.Present:
			present = append(present, each)
		case "": // written by an earlier manager, which set presence only for the newest and the active revision
			present = append(present, olderRevision(each, status)...)
		}
	}
	if len(status.Revisions) == 0 && meta.IsStatusConditionTrue(status.Conditions, corev1alpha2.ConditionInstalled) {
		present = append(present, corev1alpha2.Revision{State: corev1alpha2.RevisionActive}) // a BundleDeployment of rukpak, which did not record revisions
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

// isTornDown reports whether only the finalizers of other controllers keep a deleted BundleDeployment. In that case its objects are
// deleted, because the manager removes its own finalizers only after the last object is gone.
func isTornDown(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.DeletionTimestamp != nil && !slices.ContainsFunc(deployment.Finalizers, func(name string) bool {
		return name == corev1alpha2.Finalizer || name == corev1alpha2.FinalizerCachedBundle || name == corev1alpha2.FinalizerUnpackCache
	})
}
