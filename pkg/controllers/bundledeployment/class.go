package bundledeployment

import (
	"context"
	"fmt"

	"github.com/openshift/library-go/pkg/controller/factory"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/revision"
)

// readClass reads the ProvisionerClass, and merges its policies with those of the spec. If the class was deleted or has an unknown
// provisioner, it sets unknownClass and uses the last known policies of the class: the deletion of a class must not change how the active
// revision is maintained.
func readClass(_ context.Context, s *reconciliation) (bool, error) {
	name := s.deployment.Spec.ProvisionerClassName
	class, err := s.c.classes.Get(name)
	switch {
	case apierrors.IsNotFound(err):
		s.unknownClass = revision.ClassProblem(s.deployment, nil)
	case err != nil:
		return true, fmt.Errorf("reading ProvisionerClass %q: %w", name, err)
	case corev1alpha2.FormatOf(class.Spec.Provisioner) == "":
		s.unknownClass = revision.ClassProblem(s.deployment, class)
	default:
		if s.memory.className != name || !equality.Semantic.DeepEqual(s.memory.class, class.Spec) {
			s.memory.rerendered = false // the class may allow now what it did not
		}
		s.memory.class, s.memory.className = class.Spec, name
	}
	// After a restart, the policies of a deleted class are unknown. They may have forbidden repairs, so nothing is repaired.
	defaults := corev1alpha2.ProvisionerClassSpec{Drift: &corev1alpha2.Drift{Policy: corev1alpha2.DriftReport}}
	if s.memory.className == name {
		defaults = s.memory.class
	}
	s.policies = revision.PoliciesOf(s.deployment.Spec, defaults)
	return false, nil
}

// deploymentsOfClass returns the names of the BundleDeployments whose spec.provisionerClassName is the name of a class.
func (c *controller) deploymentsOfClass(class runtime.Object) []string {
	return c.deploymentsWith(factory.ObjectNameToKey(class), func(spec corev1alpha2.BundleDeploymentSpec) string { return spec.ProvisionerClassName })
}

// deploymentsOfBundle returns the names of the BundleDeployments whose spec.source.bundle.name is the name of a Bundle.
func (c *controller) deploymentsOfBundle(bundle runtime.Object) []string {
	return c.deploymentsWith(factory.ObjectNameToKey(bundle), func(spec corev1alpha2.BundleDeploymentSpec) string {
		if spec.Source.Bundle == nil {
			return ""
		}
		return spec.Source.Bundle.Name
	})
}

func (c *controller) deploymentsWith(name string, named func(corev1alpha2.BundleDeploymentSpec) string) []string {
	all, err := c.deployments.List(labels.Everything())
	if err != nil || name == "" {
		return nil // a List from a cache does not fail
	}
	var names []string
	for _, each := range all {
		if named(each.Spec) == name {
			names = append(names, each.Name)
		}
	}
	return names
}
