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

// InstallNamespace returns the namespace for a BundleDeployment that is to be created. It is the first of these that is known: the
// namespace that the spec names, that of the deleted BundleDeployment, the one that the bundle's author suggests, or the package's name
// with "-system". isDefault reports whether it is one of the last two. chosen is the bundle to install; nil if unknown.
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

// NamespaceToMoveTo returns the install namespace to which the BundleDeployment moves; "" if it stays where it is. The destination is the
// namespace that the spec names. It is the default namespace if the spec named one when the BundleDeployment was created, and does not name
// one any more. chosen is the bundle to install, which decides the default namespace. If chosen is nil, the BundleDeployment does not move
// to a default. A BundleDeployment also stays if something has been applied, if it is being deleted, or if the PlatformOperator is paused.
func NamespaceToMoveTo(operator *platformv1alpha1.PlatformOperator, current upgradestep.Current, chosen *resolve.Candidate) string {
	deployment := current.Deployment
	if deployment == nil || deployment.DeletionTimestamp != nil || operator.Spec.Paused ||
		operator.Status.Installed != nil || current.WasReady() || upgradestep.IsApplied(deployment) {
		return ""
	}
	wanted := NamedNamespace(operator)
	if wanted == "" && chosen != nil && deployment.Annotations[platformv1alpha1.AnnotationNamespaceDefaulted] == "" {
		wanted, _ = InstallNamespace(operator, chosen)
	}
	if wanted == deployment.Spec.InstallNamespace {
		return ""
	}
	return wanted
}
