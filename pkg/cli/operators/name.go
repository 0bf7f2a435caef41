package operators

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/client-go/rest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// NameOf returns the name of a PlatformOperator in an argument. The argument is the name alone, the resource and the name as -o name prints
// them, or the kind and the name as reports print them.
func NameOf(argument string) string {
	resource, name, isFull := strings.Cut(argument, "/")
	if isFull && isResource(resource, platformv1alpha1.GroupName, "platformoperator", "platformoperators", "plop") {
		return name
	}
	return argument
}

// DeploymentNameOf returns the name of a BundleDeployment in an argument that includes its resource or kind; false for any other argument.
func DeploymentNameOf(argument string) (string, bool) {
	resource, name, isFull := strings.Cut(argument, "/")
	return name, isFull && isResource(resource, corev1alpha2.GroupName, "bundledeployment", "bundledeployments", "bd", "bds")
}

// isResource reports whether text is one of the names of a resource, in upper or lower case, alone or with its group, as kubectl accepts
// them.
func isResource(text, group string, names ...string) bool {
	name, suffix, _ := strings.Cut(strings.ToLower(text), ".")
	return slices.Contains(names, name) && (suffix == "" || suffix == group || strings.HasSuffix(suffix, "."+group))
}

// ValidateName returns an error with code exit.Usage for a text that cannot be the name of a PlatformOperator.
func ValidateName(name string) error { return validate(name, "PlatformOperator") }

// ValidateDeploymentName returns an error with code exit.Usage for a text that cannot be the name of a BundleDeployment.
func ValidateDeploymentName(name string) error { return validate(name, "BundleDeployment") }

func validate(name, kind string) error {
	if problems := rest.IsValidPathSegmentName(name); name == "" || len(problems) > 0 {
		return exit.With(exit.Usage, fmt.Errorf("%q is not the name of a %s", name, kind))
	}
	return nil
}

// Names returns the names of the PlatformOperators in the form that kubectl prints and accepts.
func Names(all []Operator) []string {
	names := make([]string, 0, len(all))
	for _, each := range all {
		names = append(names, "platformoperator."+platformv1alpha1.GroupName+"/"+each.Name)
	}
	return names
}
