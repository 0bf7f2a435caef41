package builtin

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateConfigMap checks the keys of a ConfigMap, and the total size of its values.
func validateConfigMap(object runtime.Object) field.ErrorList {
	configMap := object.(*corev1.ConfigMap)
	var errs field.ErrorList
	for _, key := range slices.Sorted(maps.Keys(configMap.Data)) {
		if _, twice := configMap.BinaryData[key]; twice {
			errs = append(errs, field.Invalid(field.NewPath("data").Key(key), key, "duplicate of key present in binaryData"))
		}
	}
	keyErrs, size := validateValues("data", configMap.Data)
	binaryErrs, binarySize := validateValues("binaryData", configMap.BinaryData)
	errs = slices.Concat(keyErrs, errs, binaryErrs)
	if size+binarySize > corev1.MaxSecretSize { // ConfigMaps have the same limit
		errs = append(errs, field.TooLong(field.NewPath(""), "", corev1.MaxSecretSize))
	}
	return errs
}

// validateSecret checks the keys of a Secret, and the total size of its values.
func validateSecret(object runtime.Object) field.ErrorList {
	errs, size := validateValues("data", object.(*corev1.Secret).Data)
	if size > corev1.MaxSecretSize {
		errs = append(errs, field.TooLong(field.NewPath("data"), "", corev1.MaxSecretSize))
	}
	return errs
}

// validateValues checks the keys of a field, and returns the total size of its values in bytes.
func validateValues[V string | []byte](name string, values map[string]V) (errs field.ErrorList, size int) {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		for _, message := range utilvalidation.IsConfigMapKey(key) {
			errs = append(errs, field.Invalid(field.NewPath(name).Key(key), key, message))
		}
		size += len(values[key])
	}
	return errs, size
}

// validateImmutableContent refuses changes to the content of an immutable ConfigMap or Secret, and to its field immutable. changed says
// which of the fields "data" and "binaryData" have changed.
func validateImmutableContent(immutable, oldImmutable *bool, changed map[string]bool) field.ErrorList {
	if oldImmutable == nil || !*oldImmutable {
		return nil
	}
	var errs field.ErrorList
	if immutable == nil || !*immutable {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), "field is immutable when `immutable` is set"))
	}
	for _, name := range []string{"data", "binaryData"} {
		if changed[name] {
			errs = append(errs, field.Forbidden(field.NewPath(name), "field is immutable when `immutable` is set"))
		}
	}
	return errs
}

func validateConfigMapUpdate(object, old runtime.Object) field.ErrorList {
	configMap, oldConfigMap := object.(*corev1.ConfigMap), old.(*corev1.ConfigMap)
	return validateImmutableContent(configMap.Immutable, oldConfigMap.Immutable, map[string]bool{
		"data":       !apiequality.Semantic.DeepEqual(configMap.Data, oldConfigMap.Data),
		"binaryData": !apiequality.Semantic.DeepEqual(configMap.BinaryData, oldConfigMap.BinaryData),
	})
}

func validateSecretUpdate(object, old runtime.Object) field.ErrorList {
	secret, oldSecret := object.(*corev1.Secret), old.(*corev1.Secret)
	errs := validation.ValidateImmutableField(secret.Type, oldSecret.Type, field.NewPath("type"))
	return append(errs, validateImmutableContent(secret.Immutable, oldSecret.Immutable, map[string]bool{
		"data": !apiequality.Semantic.DeepEqual(secret.Data, oldSecret.Data),
	})...)
}
