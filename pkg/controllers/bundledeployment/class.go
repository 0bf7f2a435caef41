package bundledeployment

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// policies are what a BundleDeployment and its class say of changes by others and of removal.
type policies struct {
	drift corev1alpha2.Drift
	crds  corev1alpha2.CRDDeletion
}

// policiesOf takes the class's value for what the spec leaves out; what both leave out is left to the engine's defaults.
func policiesOf(spec corev1alpha2.BundleDeploymentSpec, class corev1alpha2.ProvisionerClassSpec) policies {
	var merged policies
	for _, each := range []*corev1alpha2.Drift{class.Drift, spec.Drift} {
		if each == nil {
			continue
		}
		if each.Policy != "" {
			merged.drift.Policy = each.Policy
		}
		if each.Additions != "" {
			merged.drift.Additions = each.Additions
		}
		if len(each.Ignore) > 0 {
			merged.drift.Ignore = each.Ignore
		}
	}
	for _, each := range []*corev1alpha2.Deletion{class.Deletion, spec.Deletion} {
		if each != nil && each.CRDs != "" {
			merged.crds = each.CRDs
		}
	}
	return merged
}

// classify looks whether anybody reads bundles of this class, and what the class says where the spec is silent. What is
// active already is kept in any case, and by the last class that was seen: one that is deleted must not change how.
func classify(_ context.Context, s *state) (bool, error) {
	name := s.deployment.Spec.ProvisionerClassName
	class, err := s.classes.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		s.unknownClass = fmt.Sprintf("No provisioner class %q on this cluster", name)
	case err != nil:
		return true, fmt.Errorf("reading ProvisionerClass %q: %w", name, err)
	case corev1alpha2.FormatOf(class.Spec.Provisioner) == "":
		s.unknownClass = fmt.Sprintf("Provisioner %q of class %q is none that is known here", class.Spec.Provisioner, name)
	default:
		s.record.class, s.record.className = class.Spec, name
	}
	// What the class said is not known any more after a restart; then nothing is undone that it may have said to leave.
	defaults := corev1alpha2.ProvisionerClassSpec{Drift: &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport}}
	if s.record.className == name {
		defaults = s.record.class
	}
	s.policies = policiesOf(s.deployment.Spec, defaults)
	return false, nil
}

// deploymentsOfClass are the BundleDeployments that a change of a class concerns.
func (c *controller) deploymentsOfClass(class runtime.Object) []string {
	return c.deploymentsWith(objectName(class), func(spec corev1alpha2.BundleDeploymentSpec) string { return spec.ProvisionerClassName })
}

// deploymentsOfBundle are the BundleDeployments that take a Bundle's content.
func (c *controller) deploymentsOfBundle(bundle runtime.Object) []string {
	return c.deploymentsWith(objectName(bundle), func(spec corev1alpha2.BundleDeploymentSpec) string {
		if spec.Source.Bundle == nil {
			return ""
		}
		return spec.Source.Bundle.Name
	})
}

func (c *controller) deploymentsWith(name string, named func(corev1alpha2.BundleDeploymentSpec) string) []string {
	all, err := c.deployments.List(labels.Everything())
	if err != nil || name == "" {
		return nil // of a cache there is no such error
	}
	var names []string
	for _, each := range all {
		if named(each.Spec) == name {
			names = append(names, each.Name)
		}
	}
	return names
}
