package bundle

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// serverFields are written by an API server or by controllers; generators leave them in manifests, and to apply them would claim
// or break them: an object with a finalizer that nobody takes away is never gone.
var serverFields = [...]string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "generation", "managedFields",
	"ownerReferences", "resourceVersion", "selfLink", "uid"}

// IsCRD tells whether the object is a CustomResourceDefinition, of whatever version.
func IsCRD(o Object) bool {
	return o.GroupVersionKind().GroupKind() == schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}
}

// StripServerFields takes out of a manifest what only a server writes: status, and metadata such as creationTimestamp. The CA of a
// CRD's conversion Service goes as well: it is the cluster's, written there by who makes certificates, and what generators leave
// in its place is no certificate.
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

// StripNulls removes the nulls of a manifest, which for Kubernetes' own kinds mean "absent" and would make server-side apply
// claim the field. Where a null may have a meaning (in a schema, a default or a member of an enum; in a custom resource, a field
// that is nullable) they go from metadata only.
func StripNulls(o Object, meaningful bool) {
	if meaningful {
		DropNulls(o.metadata())
		return
	}
	DropNulls(o.Object)
}

// metadata is the object's, nil when it is no mapping.
func (o Object) metadata() map[string]any {
	metadata, _ := o.Object["metadata"].(map[string]any)
	return metadata
}

// DropNulls removes the entries of mappings whose value is null, in place, at any depth.
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
