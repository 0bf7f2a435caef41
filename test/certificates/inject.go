package certificates

import (
	"encoding/base64"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Each of the functions into… writes a bundle of CA certificates to the matching fields of an object, such as caBundle. It reports whether
// the object changed.

func intoWebhooks(object *unstructured.Unstructured, bundle []byte) bool {
	webhooks, _, _ := unstructured.NestedSlice(object.Object, "webhooks")
	changed := false
	for _, each := range webhooks {
		if webhook, ok := each.(map[string]any); ok {
			changed = setBundle(webhook, bundle, "clientConfig", "caBundle") || changed
		}
	}
	if changed {
		_ = unstructured.SetNestedSlice(object.Object, webhooks, "webhooks") // cannot fail, because the webhooks were read from this field
	}
	return changed
}

func intoDefinition(object *unstructured.Unstructured, bundle []byte) bool {
	if strategy, _, _ := unstructured.NestedString(object.Object, "spec", "conversion", "strategy"); strategy != "Webhook" {
		return false
	}
	return setBundle(object.Object, bundle, "spec", "conversion", "webhook", "clientConfig", "caBundle")
}

func intoAPIService(object *unstructured.Unstructured, bundle []byte) bool {
	return setBundle(object.Object, bundle, "spec", "caBundle")
}

// intoConfigMap replaces all data of the ConfigMap with the bundle, as the real service-ca does.
func intoConfigMap(object *unstructured.Unstructured, bundle []byte) bool {
	data, _, _ := unstructured.NestedStringMap(object.Object, "data")
	if len(data) == 1 && data[configMapKey] == string(bundle) {
		return false
	}
	return unstructured.SetNestedStringMap(object.Object, map[string]string{configMapKey: string(bundle)}, "data") == nil
}

func setBundle(object map[string]any, bundle []byte, path ...string) bool {
	want := base64.StdEncoding.EncodeToString(bundle)
	if have, _, _ := unstructured.NestedString(object, path...); have == want {
		return false
	}
	return unstructured.SetNestedField(object, want, path...) == nil
}

// asked reports whether an object requests the bundle: whether at least one of the annotations has the value "true".
func asked(object *unstructured.Unstructured, annotations []string) bool {
	return slices.ContainsFunc(annotations, func(name string) bool { return object.GetAnnotations()[name] == "true" })
}
