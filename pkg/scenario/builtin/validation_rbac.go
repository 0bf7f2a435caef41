package builtin

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func validateRole(object runtime.Object) field.ErrorList {
	if role, namespaced := object.(*rbacv1.Role); namespaced {
		return validateRules(role.Rules, true)
	}
	return validateRules(object.(*rbacv1.ClusterRole).Rules, false)
}

func validateBinding(object runtime.Object) field.ErrorList {
	if binding, namespaced := object.(*rbacv1.RoleBinding); namespaced {
		return validateRoleRef(binding.RoleRef, "Role", "ClusterRole")
	}
	return validateRoleRef(object.(*rbacv1.ClusterRoleBinding).RoleRef, "ClusterRole")
}

// validateBindingUpdate refuses changes to the roleRef of a RoleBinding or ClusterRoleBinding.
func validateBindingUpdate(object, old runtime.Object) field.ErrorList {
	if binding, namespaced := object.(*rbacv1.RoleBinding); namespaced {
		return validateRoleRefUpdate(binding.RoleRef, old.(*rbacv1.RoleBinding).RoleRef)
	}
	return validateRoleRefUpdate(object.(*rbacv1.ClusterRoleBinding).RoleRef, old.(*rbacv1.ClusterRoleBinding).RoleRef)
}

func validateRules(rules []rbacv1.PolicyRule, namespaced bool) field.ErrorList {
	var errs field.ErrorList
	for i, rule := range rules {
		at := field.NewPath("rules").Index(i)
		if len(rule.Verbs) == 0 {
			errs = append(errs, field.Required(at.Child("verbs"), "verbs must contain at least one value"))
		}
		if len(rule.NonResourceURLs) > 0 {
			if namespaced {
				errs = append(errs, field.Invalid(at.Child("nonResourceURLs"), rule.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs"))
			}
			if len(rule.APIGroups) > 0 || len(rule.Resources) > 0 || len(rule.ResourceNames) > 0 {
				errs = append(errs, field.Invalid(at.Child("nonResourceURLs"), rule.NonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs"))
			}
			continue
		}
		if len(rule.APIGroups) == 0 {
			errs = append(errs, field.Required(at.Child("apiGroups"), "resource rules must supply at least one api group"))
		}
		if len(rule.Resources) == 0 {
			errs = append(errs, field.Required(at.Child("resources"), "resource rules must supply at least one resource"))
		}
	}
	return errs
}

func validateRoleRef(ref rbacv1.RoleRef, kinds ...string) field.ErrorList {
	at := field.NewPath("roleRef")
	var errs field.ErrorList
	if ref.APIGroup != rbacv1.GroupName {
		errs = append(errs, field.NotSupported(at.Child("apiGroup"), ref.APIGroup, []string{rbacv1.GroupName}))
	}
	if !slices.Contains(kinds, ref.Kind) {
		errs = append(errs, field.NotSupported(at.Child("kind"), ref.Kind, kinds))
	}
	if ref.Name == "" {
		errs = append(errs, field.Required(at.Child("name"), ""))
	}
	return errs
}

func validateRoleRefUpdate(ref, old rbacv1.RoleRef) field.ErrorList {
	if ref == old {
		return nil
	}
	// kube-apiserver's error contains its internal type, which has no JSON names.
	type internalRoleRef struct{ APIGroup, Kind, Name string }
	return field.ErrorList{field.Invalid(field.NewPath("roleRef"), internalRoleRef(ref), "cannot change roleRef")}
}
