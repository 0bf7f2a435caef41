package platformoperator

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/library-go/pkg/controller/factory"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// operatorsOfSamePackage returns the names of a changed PlatformOperator and of all others with the same package. The change may affect
// which one of them installs the package.
func (c *controller) operatorsOfSamePackage(object runtime.Object) []string {
	operator, ok := object.(*platformv1alpha1.PlatformOperator)
	if !ok {
		return nil
	}
	return append(c.operatorsWhere(func(other *platformv1alpha1.PlatformOperator) bool {
		return other.Spec.Package.Name == operator.Spec.Package.Name
	}), operator.Name)
}

// operatorsOfChangedPackage returns the names of the PlatformOperators that request a changed package. The name of the object is the name
// of the package.
func (c *controller) operatorsOfChangedPackage(object runtime.Object) []string {
	pkg := factory.ObjectNameToKey(object)
	return c.operatorsWhere(func(operator *platformv1alpha1.PlatformOperator) bool { return operator.Spec.Package.Name == pkg })
}

// allOperators returns the names of all PlatformOperators.
func (c *controller) allOperators(runtime.Object) []string {
	return c.operatorsWhere(func(*platformv1alpha1.PlatformOperator) bool { return true })
}

func (c *controller) operatorsWhere(matches func(*platformv1alpha1.PlatformOperator) bool) (names []string) {
	operators, err := c.operators.List(labels.Everything())
	if err != nil {
		return nil // not reached: a lister of a cache has no errors
	}
	for _, operator := range operators {
		if matches(operator) {
			names = append(names, operator.Name)
		}
	}
	return names
}
