package resolve

import (
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// PackageHolder returns the name of the PlatformOperator that may install the package that operator requests. It is the oldest
// PlatformOperator that requests this package. Of two with the same creation timestamp, the one with a BundleDeployment takes precedence,
// then the first by name. A PlatformOperator that is being deleted holds its package until it no longer exists, so that two
// PlatformOperators never manage the same objects.
func PackageHolder(operator *platformv1alpha1.PlatformOperator, all []*platformv1alpha1.PlatformOperator) string {
	offer := operator
	for _, other := range all {
		if other.Spec.Package.Name == operator.Spec.Package.Name && comesBefore(other, offer) {
			offer = other
		}
	}
	return offer.Name
}

// PackageHolders returns the holder of each package that a PlatformOperator requests; see PackageHolder.
func PackageHolders(all []*platformv1alpha1.PlatformOperator) map[string]*platformv1alpha1.PlatformOperator {
	holders := make(map[string]*platformv1alpha1.PlatformOperator, len(all))
	for _, each := range all {
		if holder := holders[each.Spec.Package.Name]; holder == nil || comesBefore(each, holder) {
			holders[each.Spec.Package.Name] = each
		}
	}
	return holders
}

func comesBefore(a, b *platformv1alpha1.PlatformOperator) bool {
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	if deployed := isDeployed(a.Status); deployed != isDeployed(b.Status) {
		return deployed
	}
	return a.Name < b.Name
}

// isDeployed reports whether a PlatformOperator has a BundleDeployment, or had one that is to be restored.
func isDeployed(status platformv1alpha1.PlatformOperatorStatus) bool {
	return status.ActiveBundleDeployment != nil || status.Installed != nil
}
