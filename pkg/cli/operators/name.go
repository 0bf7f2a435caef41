package operators

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/client-go/rest"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/exit"
)

// resources are the names of the resource before the name of a PlatformOperator, as kubectl accepts them.
var resources = []string{
	"platformoperator", "platformoperators", "plop",
	"platformoperator." + platformv1alpha1.GroupName, "platformoperators." + platformv1alpha1.GroupName,
}

// NameOf returns the name of a PlatformOperator in an argument, which is the name, or the resource and the name as -o name prints them.
func NameOf(argument string) string {
	if resource, name, isFull := strings.Cut(argument, "/"); isFull && slices.Contains(resources, resource) {
		return name
	}
	return argument
}

// ValidateName returns an error with code exit.Usage for a text that cannot be the name of a PlatformOperator.
func ValidateName(name string) error {
	if problems := rest.IsValidPathSegmentName(name); name == "" || len(problems) > 0 {
		return exit.With(exit.Usage, fmt.Errorf("%q is not the name of a PlatformOperator", name))
	}
	return nil
}

// Names returns the names of the PlatformOperators, as kubectl prints and reads them.
func Names(all []Operator) []string {
	names := make([]string, 0, len(all))
	for _, each := range all {
		names = append(names, "platformoperator."+platformv1alpha1.GroupName+"/"+each.Name)
	}
	return names
}
