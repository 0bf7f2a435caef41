package builtin

import (
	"context"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	clientrest "k8s.io/client-go/rest"
)

// This package implements a part of kube-apiserver's validation: metadata, immutable fields, and the most frequent mistakes in manifests.
// The complete validation is in k8s.io/kubernetes, which does not support use as a library.

// Validate implements rest.RESTCreateStrategy.
func (s strategy) Validate(_ context.Context, object runtime.Object) field.ErrorList {
	meta := metadata(object)
	errs := validation.ValidateObjectMeta(meta, s.kind.Namespaced, s.kind.validName(), field.NewPath("metadata"))
	errs = append(errs, validateFinalizers(meta)...)
	if s.kind.rules.validate != nil {
		errs = append(errs, s.kind.rules.validate(object)...)
	}
	return errs
}

// ValidateUpdate implements rest.RESTUpdateStrategy.
func (s strategy) ValidateUpdate(_ context.Context, object, old runtime.Object) field.ErrorList {
	meta := metadata(object)
	errs := validation.ValidateObjectMetaUpdate(meta, metadata(old), field.NewPath("metadata"))
	errs = append(errs, validateFinalizers(meta)...)
	if s.kind.rules.validate != nil {
		errs = append(errs, s.kind.rules.validate(object)...)
	}
	if s.kind.rules.validateUpdate != nil {
		errs = append(errs, s.kind.rules.validateUpdate(object, old)...)
	}
	return errs
}

// validName returns the function that validates the names of objects.
func (k Kind) validName() validation.ValidateNameFunc {
	switch {
	case k.Group == rbacv1.GroupName:
		return func(name string, prefix bool) []string {
			if prefix {
				return clientrest.IsValidPathSegmentPrefix(name)
			}
			return clientrest.IsValidPathSegmentName(name)
		}
	case k.rules.validName != nil:
		return k.rules.validName
	}
	return validation.NameIsDNSSubdomain
}

// validateFinalizers checks that each finalizer is either one of Kubernetes' own or a qualified name.
func validateFinalizers(meta *metav1.ObjectMeta) field.ErrorList {
	own := []string{string(corev1.FinalizerKubernetes), metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}
	var errs field.ErrorList
	for i, finalizer := range meta.Finalizers {
		if !strings.Contains(finalizer, "/") && !slices.Contains(own, finalizer) {
			errs = append(errs, field.Invalid(field.NewPath("metadata", "finalizers").Index(i), finalizer,
				"name is neither a standard finalizer name nor is it fully qualified"))
		}
	}
	return errs
}

func validatePolicy(object runtime.Object) field.ErrorList {
	policy := object.(*admissionregistrationv1.ValidatingAdmissionPolicy)
	if len(policy.Spec.Validations) > 0 || len(policy.Spec.AuditAnnotations) > 0 {
		return nil
	}
	const missing = "validations or auditAnnotations must contain at least one item"
	spec := field.NewPath("spec")
	return field.ErrorList{field.Required(spec.Child("validations"), missing), field.Required(spec.Child("auditAnnotations"), missing)}
}

// validateWebhooks checks that each webhook in a configuration has admissionReviewVersions.
func validateWebhooks(object runtime.Object) field.ErrorList {
	var versions [][]string
	switch configuration := object.(type) {
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for _, webhook := range configuration.Webhooks {
			versions = append(versions, webhook.AdmissionReviewVersions)
		}
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for _, webhook := range configuration.Webhooks {
			versions = append(versions, webhook.AdmissionReviewVersions)
		}
	}
	var errs field.ErrorList
	for i, each := range versions {
		if len(each) == 0 {
			errs = append(errs, field.Required(field.NewPath("webhooks").Index(i).Child("admissionReviewVersions"), "must specify one of v1, v1beta1"))
		}
	}
	return errs
}

func validatePriorityClassUpdate(object, old runtime.Object) field.ErrorList {
	if object.(*schedulingv1.PriorityClass).Value == old.(*schedulingv1.PriorityClass).Value {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("value"), "may not be changed in an update.")}
}
