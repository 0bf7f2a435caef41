package builtin

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateClaim checks that a PersistentVolumeClaim requests storage.
func validateClaim(object runtime.Object) field.ErrorList {
	if _, found := object.(*corev1.PersistentVolumeClaim).Spec.Resources.Requests[corev1.ResourceStorage]; found {
		return nil
	}
	return field.ErrorList{field.Required(field.NewPath("spec", "resources").Key(string(corev1.ResourceStorage)), "")}
}

// validateClaimUpdate refuses changes to a PersistentVolumeClaim's spec. It allows setting volumeName and storageClassName if they are not
// set, and changing the resource requests and volumeAttributesClassName of a bound claim.
func validateClaimUpdate(object, old runtime.Object) field.ErrorList {
	changed, was := object.(*corev1.PersistentVolumeClaim).Spec.DeepCopy(), old.(*corev1.PersistentVolumeClaim)
	if was.Spec.VolumeName == "" {
		changed.VolumeName = ""
	}
	if was.Spec.StorageClassName == nil {
		changed.StorageClassName = nil
	}
	if was.Status.Phase == corev1.ClaimBound {
		changed.Resources.Requests, changed.VolumeAttributesClassName = was.Spec.Resources.Requests, was.Spec.VolumeAttributesClassName
	}
	if apiequality.Semantic.DeepEqual(*changed, was.Spec) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec"),
		"spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims")}
}

// validateStorageClassUpdate refuses changes to a StorageClass's provisioner and parameters.
func validateStorageClassUpdate(object, old runtime.Object) field.ErrorList {
	class, oldClass := object.(*storagev1.StorageClass), old.(*storagev1.StorageClass)
	return append(validation.ValidateImmutableField(class.Parameters, oldClass.Parameters, field.NewPath("parameters")),
		validation.ValidateImmutableField(class.Provisioner, oldClass.Provisioner, field.NewPath("provisioner"))...)
}
