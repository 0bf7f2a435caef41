package builtin

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateIngressClass checks that the controller of an IngressClass is a path with a domain prefix.
func validateIngressClass(object runtime.Object) field.ErrorList {
	class := object.(*networkingv1.IngressClass)
	return utilvalidation.IsDomainPrefixedPath(field.NewPath("spec", "controller"), class.Spec.Controller)
}

// validateIngressClassUpdate refuses changes to an IngressClass's controller.
func validateIngressClassUpdate(object, old runtime.Object) field.ErrorList {
	class, oldClass := object.(*networkingv1.IngressClass), old.(*networkingv1.IngressClass)
	return validation.ValidateImmutableField(class.Spec.Controller, oldClass.Spec.Controller, field.NewPath("spec", "controller"))
}

// validateService checks the ports of a Service, and that they are unique. Only a headless or ExternalName Service may have no ports.
func validateService(object runtime.Object) field.ErrorList {
	service := object.(*corev1.Service)
	ports := field.NewPath("spec", "ports")
	if len(service.Spec.Ports) == 0 && service.Spec.ClusterIP != corev1.ClusterIPNone && service.Spec.Type != corev1.ServiceTypeExternalName {
		return field.ErrorList{field.Required(ports, "")}
	}
	var errs field.ErrorList
	for i, port := range service.Spec.Ports {
		path, before := ports.Index(i), service.Spec.Ports[:i]
		switch {
		case port.Name == "" && len(service.Spec.Ports) > 1:
			errs = append(errs, field.Required(path.Child("name"), ""))
		case slices.ContainsFunc(before, func(other corev1.ServicePort) bool { return other.Name == port.Name }):
			errs = append(errs, field.Duplicate(path.Child("name"), port.Name))
		}
		for _, message := range utilvalidation.IsValidPortNum(int(port.Port)) {
			errs = append(errs, field.Invalid(path.Child("port"), port.Port, message))
		}
		if port.TargetPort.Type == intstr.Int {
			for _, message := range utilvalidation.IsValidPortNum(port.TargetPort.IntValue()) {
				errs = append(errs, field.Invalid(path.Child("targetPort"), port.TargetPort, message))
			}
		}
		if slices.ContainsFunc(before, func(other corev1.ServicePort) bool { return other.Port == port.Port && other.Protocol == port.Protocol }) {
			errs = append(errs, field.Duplicate(path, port))
		}
	}
	return errs
}

// validateServiceUpdate refuses changes to the cluster IP, unless the type is or was ExternalName, which has no cluster IP.
func validateServiceUpdate(object, old runtime.Object) field.ErrorList {
	service, oldService := object.(*corev1.Service), old.(*corev1.Service)
	named := service.Spec.Type == corev1.ServiceTypeExternalName || oldService.Spec.Type == corev1.ServiceTypeExternalName
	if named || service.Spec.ClusterIP == oldService.Spec.ClusterIP {
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath("spec", "clusterIPs").Index(0), service.Spec.ClusterIPs, "may not change once set")}
}
