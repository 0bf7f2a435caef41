package builtin

import (
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateIngressClass checks the name of an IngressClass's controller.
func validateIngressClass(object runtime.Object) field.ErrorList {
	class := object.(*networkingv1.IngressClass)
	return utilvalidation.IsDomainPrefixedPath(field.NewPath("spec", "controller"), class.Spec.Controller)
}

// keepsController checks that an IngressClass keeps its controller.
func keepsController(object, old runtime.Object) field.ErrorList {
	class, oldClass := object.(*networkingv1.IngressClass), old.(*networkingv1.IngressClass)
	return validation.ValidateImmutableField(class.Spec.Controller, oldClass.Spec.Controller, field.NewPath("spec", "controller"))
}
