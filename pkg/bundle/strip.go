package bundle

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// serverFields are metadata fields that API servers or controllers write. Generators leave them in manifests. If the manager applied them,
// it would own these fields, or break the object: an object with a finalizer that no controller removes is never deleted.
var serverFields = [...]string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "generation", "managedFields",
	"ownerReferences", "resourceVersion", "selfLink", "uid"}

// IsCRD reports whether the object is a CustomResourceDefinition of any version.
func IsCRD(o Object) bool {
	return o.GroupVersionKind().GroupKind() == schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

// StripServerFields removes the fields of a manifest that only servers write: status, and metadata such as creationTimestamp. If the
// conversion webhook of a CRD refers to a Service, it also removes the webhook's CA, because the certificate provider of the cluster writes
// it and generators leave a placeholder.
func StripServerFields(o Object) {
	delete(o.Object, "status")
	metadata := o.metadata()
	for _, field := range serverFields {
		delete(metadata, field)
	}
	if !IsCRD(o) {
		return
	}
	client, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "conversion", "webhook", "clientConfig")
	if config, ok := client.(map[string]any); ok && config["service"] != nil {
		delete(config, "caBundle")
	}
}

// StripNulls removes the nulls of a manifest. For Kubernetes' own kinds, a null means that the field is absent, but server-side apply would
// make the manager own the field. If nulls may be meaningful (a schema's default or enum value, a nullable field of a custom resource),
// StripNulls removes only those in metadata.
func StripNulls(o Object, meaningful bool) {
	if meaningful {
		DropNulls(o.metadata())
		return
	}
	DropNulls(o.Object)
}

// metadata returns the object's metadata; nil if it is not a map.
func (o Object) metadata() map[string]any {
	metadata, _ := o.Object["metadata"].(map[string]any)
	return metadata
}

// DropNulls removes map entries with the value null, in place, at any depth. It keeps nulls in lists.
func DropNulls(value any) {
	switch v := value.(type) {
	case map[string]any:
		for k, item := range v {
			if item == nil {
				delete(v, k)
				continue
			}
			DropNulls(item)
		}
	case []any:
		for _, item := range v {
			DropNulls(item)
		}
	}
}
