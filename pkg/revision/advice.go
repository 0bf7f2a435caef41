package revision

import (
	"errors"
	"fmt"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// InvalidBundle returns sentences that say why a bundle cannot be installed, and how to correct that. They name only fields of the
// BundleDeployment. If a PlatformOperator owns the BundleDeployment, the source comes from a catalog, and the user cannot correct it. In
// that case, the sentences recommend another version or package, or a correction by the author or in the catalog.
func InvalidBundle(deployment *corev1alpha2.BundleDeployment, invalid error) string {
	var (
		internal  *bundle.InternalError
		config    *bundle.ConfigError
		namespace *bundle.NamespaceError
		format    *bundle.FormatError
	)
	remedy := "Correct the bundle, and publish it as a new image."
	switch isOwned := ownership.IsOfPlatformOperator(deployment); {
	case errors.Is(invalid, bundle.ErrNoCertificates), errors.As(invalid, &internal): // the text has the remedy
		return fmt.Sprintf("%v.", invalid)
	case errors.As(invalid, &config):
		remedy = "Correct spec.config."
	case errors.As(invalid, &namespace): // the field is immutable
		remedy = "Delete the object, and create it again with the name of a namespace in spec.installNamespace."
	case errors.As(invalid, &format) && format.ActualErr == nil:
		remedy = formatRemedy(format, isOwned)
	case isOwned:
		remedy = "Choose another version or another package, or ask the bundle's author to publish a corrected image."
	case deployment.Spec.Source.Bundle != nil:
		remedy += " Create a Bundle of that image, and name it in spec.source.bundle.name."
	case deployment.Spec.Source.Image != nil:
		remedy += " Name that image in spec.source.image.ref."
	}
	return fmt.Sprintf("%v. %s", invalid, remedy)
}

// formatRemedy returns the remedy for a bundle whose only fault is its format. isOwned means that a PlatformOperator owns the
// BundleDeployment.
func formatRemedy(format *bundle.FormatError, isOwned bool) string {
	switch class := format.Class(); {
	case class != "" && isOwned:
		return fmt.Sprintf("The catalog has to declare the format %s in the bundle's property olm.bundle.mediatype; "+
			"ask the catalog's publisher to correct it.", format.Actual)
	case class != "":
		return fmt.Sprintf("Set spec.provisionerClassName to %q, the class that reads that format.", class)
	case isOwned:
		return fmt.Sprintf("Choose another version or another package, with a %s or %s bundle.", corev1alpha2.FormatRegistryV1, corev1alpha2.FormatPlainV0)
	}
	return fmt.Sprintf("Use a %s or %s bundle.", corev1alpha2.FormatRegistryV1, corev1alpha2.FormatPlainV0)
}

// ClassProblem returns sentences that say why nothing is unpacked with a ProvisionerClass, and how to correct that. It is empty if this
// manager reads bundles of the class. class is nil if no class has the name in the spec.
func ClassProblem(deployment *corev1alpha2.BundleDeployment, class *corev1alpha2.ProvisionerClass) string {
	name, isOwned := deployment.Spec.ProvisionerClassName, ownership.IsOfPlatformOperator(deployment)
	other := fmt.Sprintf("set spec.provisionerClassName to %q for %s bundles, or to %q for %s bundles",
		corev1alpha2.ProvisionerClassRegistry, corev1alpha2.FormatRegistryV1, corev1alpha2.ProvisionerClassPlain, corev1alpha2.FormatPlainV0)
	switch {
	case class == nil && isOwned:
		return fmt.Sprintf("No provisioner class %q on this cluster: nothing new is unpacked until the manager has created it again.", name)
	case class == nil:
		return fmt.Sprintf("No provisioner class %q on this cluster: nothing new is unpacked until there is one. Create it, or %s.", name, other)
	case corev1alpha2.FormatOf(class.Spec.Provisioner) != "":
		return ""
	}
	problem := UnknownProvisioner(class)
	if isOwned {
		return fmt.Sprintf("%s. Delete the provisioner class; the manager creates it again.", problem)
	}
	return fmt.Sprintf("%s. To use one of these, %s.", problem, other)
}

// UnknownProvisioner returns a clause which says that a class names a provisioner that this manager does not have, and which provisioners
// it has.
func UnknownProvisioner(class *corev1alpha2.ProvisionerClass) string {
	return fmt.Sprintf("Provisioner class %q has provisioner %q, whose bundles this manager does not read: it reads %s bundles (provisioner %q) and %s bundles (provisioner %q)",
		class.Name, class.Spec.Provisioner, corev1alpha2.FormatRegistryV1, corev1alpha2.ProvisionerRegistry, corev1alpha2.FormatPlainV0, corev1alpha2.ProvisionerPlain)
}
