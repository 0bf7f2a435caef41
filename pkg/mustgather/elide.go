package mustgather

import (
	"encoding/base64"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// publicKeys are the keys of Secrets whose values oc adm inspect keeps: they are certificates.
var publicKeys = map[string]bool{"tls.crt": true, "ca.crt": true, "service-ca.crt": true}

// secretAnnotations are the annotations with a Secret's values, which oc adm inspect empties.
var secretAnnotations = []string{"openshift.io/token-secret.value", corev1.LastAppliedConfigAnnotation}

// elidedValue matches what oc adm inspect writes for a value.
var elidedValue = regexp.MustCompile(`^[0-9]+ bytes long$`)

// IsElided reports whether the object is a Secret whose values were replaced with their sizes, as oc adm inspect does. It returns false
// for a Secret that has no values, or only public certificates.
func (o Object) IsElided() bool {
	if !isSecret(o.Unstructured) {
		return false
	}
	data, _ := o.Object["data"].(map[string]any)
	isElided := false
	for key, value := range data {
		if publicKeys[key] {
			continue
		}
		text, _ := value.(string)
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil || !elidedValue.Match(decoded) {
			return false
		}
		isElided = true
	}
	return isElided
}

// Elide replaces the values of a Secret with their sizes, as oc adm inspect does, and keeps certificates. It changes the object in place. It
// does not change objects of other kinds.
func Elide(object *unstructured.Unstructured) {
	if !isSecret(object) {
		return
	}
	if data, isMap := object.Object["data"].(map[string]any); isMap {
		for key, value := range data {
			text, _ := value.(string)
			if decoded, err := base64.StdEncoding.DecodeString(text); (!publicKeys[key] || err != nil) && !elidedValue.Match(decoded) {
				data[key] = base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%d bytes long", len(decoded)))
			}
		}
	}
	// An API server does not return stringData, but a file may have it.
	if data, isMap := object.Object["stringData"].(map[string]any); isMap {
		for key, value := range data {
			text, _ := value.(string)
			data[key] = fmt.Sprintf("%d bytes long", len(text))
		}
	}
	annotations := object.GetAnnotations()
	for _, key := range secretAnnotations {
		if _, has := annotations[key]; has {
			annotations[key] = ""
		}
	}
	if annotations != nil {
		object.SetAnnotations(annotations)
	}
}

func isSecret(object *unstructured.Unstructured) bool {
	return object.GroupVersionKind().GroupKind() == schema.GroupKind{Kind: "Secret"}
}
