package deploymentspec

import (
	"cmp"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/resolve"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// NamedNamespace returns the install namespace that the spec of a PlatformOperator names; empty if it names none.
func NamedNamespace(operator *platformv1alpha1.PlatformOperator) string {
	if operator.Spec.Install == nil {
		return ""
	}
	return operator.Spec.Install.Namespace
}

// InstallNamespace returns the namespace for a BundleDeployment that is to be created: the one that the spec names, else the one that the
// deleted BundleDeployment had, else the one that the bundle's author suggests, else the package's name with "-system". isDefault reports
// whether the namespace is one of the last two. chosen is the bundle to install; nil if unknown.
func InstallNamespace(operator *platformv1alpha1.PlatformOperator, chosen *resolve.Candidate) (namespace string, isDefault bool) {
	if known := cmp.Or(NamedNamespace(operator), previousNamespace(operator.Status)); known != "" {
		return known, false
	}
	if chosen != nil && chosen.Bundle.SuggestedNamespace != "" {
		return chosen.Bundle.SuggestedNamespace, true
	}
	return operator.Spec.Package.Name + "-system", true
}

// previousNamespace returns the install namespace that a deleted BundleDeployment had, according to status. It returns "" if nothing is
// installed or status does not name a namespace.
func previousNamespace(status platformv1alpha1.PlatformOperatorStatus) string {
	for _, object := range status.RelatedObjects {
		if status.Installed != nil && object.Group == "" && object.Resource == "namespaces" {
			return object.Name
		}
	}
	return ""
}

// IsInOtherNamespace reports whether the install namespace of the BundleDeployment differs from the one that the spec names. It returns
// false if there is no BundleDeployment or the spec names no namespace.
func IsInOtherNamespace(operator *platformv1alpha1.PlatformOperator, current upgradestep.Current) bool {
	named := NamedNamespace(operator)
	return current.Deployment != nil && named != "" && current.Deployment.Spec.InstallNamespace != named
}

// MayMoveNamespace reports whether the BundleDeployment may move to the namespace that the spec names: the namespaces differ, nothing has
// been applied in the old one, the PlatformOperator is not paused, and the BundleDeployment is not being deleted.
func MayMoveNamespace(operator *platformv1alpha1.PlatformOperator, current upgradestep.Current) bool {
	return IsInOtherNamespace(operator, current) && current.Deployment.DeletionTimestamp == nil && !operator.Spec.Paused &&
		operator.Status.Installed == nil && !current.WasReady() && !upgradestep.IsApplied(current.Deployment)
}
