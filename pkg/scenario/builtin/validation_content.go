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

// maxContent is how many bytes the values of a ConfigMap may have, and those of a Secret.
const maxContent = 1 << 20

// validateConfigMap checks the keys of a ConfigMap, and the size of its values.
func validateConfigMap(object runtime.Object) field.ErrorList {
	configMap := object.(*corev1.ConfigMap)
	var errs field.ErrorList
	size := 0
	for _, key := range slices.Sorted(maps.Keys(configMap.Data)) {
		path := field.NewPath("data").Key(key)
		errs = append(errs, validateKey(path, key)...)
		if _, twice := configMap.BinaryData[key]; twice {
			errs = append(errs, field.Invalid(path, key, "duplicate of key present in binaryData"))
		}
		size += len(configMap.Data[key])
	}
	for _, key := range slices.Sorted(maps.Keys(configMap.BinaryData)) {
		errs = append(errs, validateKey(field.NewPath("binaryData").Key(key), key)...)
		size += len(configMap.BinaryData[key])
	}
	if size > maxContent {
		errs = append(errs, field.TooLong(field.NewPath(""), "", maxContent))
	}
	return errs
}

// validateSecret checks the keys of a Secret, and the size of its values.
func validateSecret(object runtime.Object) field.ErrorList {
	secret := object.(*corev1.Secret)
	var errs field.ErrorList
	size := 0
	for _, key := range slices.Sorted(maps.Keys(secret.Data)) {
		errs = append(errs, validateKey(field.NewPath("data").Key(key), key)...)
		size += len(secret.Data[key])
	}
	if size > maxContent {
		errs = append(errs, field.TooLong(field.NewPath("data"), "", maxContent))
	}
	return errs
}

func validateKey(path *field.Path, key string) field.ErrorList {
	var errs field.ErrorList
	for _, message := range utilvalidation.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(path, key, message))
	}
	return errs
}

// keepsContent checks that a ConfigMap or Secret that is immutable keeps what it holds.
func keepsContent(immutable, oldImmutable *bool, changed map[string]bool) field.ErrorList {
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

func keepsConfigMap(object, old runtime.Object) field.ErrorList {
	configMap, oldConfigMap := object.(*corev1.ConfigMap), old.(*corev1.ConfigMap)
	return keepsContent(configMap.Immutable, oldConfigMap.Immutable, map[string]bool{
		"data":       !apiequality.Semantic.DeepEqual(configMap.Data, oldConfigMap.Data),
		"binaryData": !apiequality.Semantic.DeepEqual(configMap.BinaryData, oldConfigMap.BinaryData),
	})
}

func keepsSecret(object, old runtime.Object) field.ErrorList {
	secret, oldSecret := object.(*corev1.Secret), old.(*corev1.Secret)
	errs := validation.ValidateImmutableField(secret.Type, oldSecret.Type, field.NewPath("type"))
	return append(errs, keepsContent(secret.Immutable, oldSecret.Immutable, map[string]bool{
		"data": !apiequality.Semantic.DeepEqual(secret.Data, oldSecret.Data),
	})...)
}
