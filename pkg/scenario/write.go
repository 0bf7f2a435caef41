package scenario

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
)

// Write is a write request, with the object or the patch in its body.
type Write struct {
	Request
	// FieldManager is the field manager in the request's query, or empty if it has none.
	FieldManager string

	body []byte
}

// Object returns the object or the patch in the request's body. It returns nil if the body has none, as for a deletion or a JSON patch, or
// if it cannot be decoded.
func (w Write) Object() *unstructured.Unstructured {
	if w.Verb == "delete" || w.Verb == "deletecollection" || len(w.body) == 0 {
		return nil
	}
	if object, err := decodeObject(w.body); err == nil {
		return object
	}
	patch := map[string]any{} // a merge patch has no kind
	if json.Unmarshal(w.body, &patch) != nil {
		return nil
	}
	return &unstructured.Unstructured{Object: patch}
}

// DeleteOptions returns the options of a deletion. They are empty if the request has none, or if it is not a deletion.
func (w Write) DeleteOptions() metav1.DeleteOptions {
	var options metav1.DeleteOptions
	if json.Unmarshal(w.body, &options) == nil {
		return options
	}
	if decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(w.body, nil, nil); err == nil {
		if decoded, ok := decoded.(*metav1.DeleteOptions); ok {
			return *decoded
		}
	}
	return metav1.DeleteOptions{}
}

// ResourceVersion returns the resourceVersion that the object must have, or "" if the request has no such precondition. The API server
// answers 409 Conflict if the object has a different one.
func (w Write) ResourceVersion() string {
	if given := w.DeleteOptions().Preconditions; given != nil && w.Verb == "delete" {
		return ptr.Deref(given.ResourceVersion, "")
	}
	if object := w.Object(); object != nil {
		return object.GetResourceVersion()
	}
	var operations []struct {
		Op, Path string
		Value    any
	}
	if json.Unmarshal(w.body, &operations) != nil {
		return ""
	}
	for _, each := range operations {
		if version, isText := each.Value.(string); isText && each.Path == "/metadata/resourceVersion" && each.Op == "replace" {
			return version
		}
	}
	return ""
}
