package registryv1

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// serverFields are written by an API server or by controllers; generators leave them in manifests, and to apply them would claim
// or break them: an object with a finalizer that nobody takes away is never gone.
var serverFields = [...]string{"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "finalizers", "generation", "managedFields",
	"ownerReferences", "resourceVersion", "selfLink", "uid"}

// strip takes out of a manifest what only a server writes: status, and metadata such as creationTimestamp. Nulls go too, which
// for Kubernetes' own kinds mean "absent" and would make server-side apply claim the field; CRDs keep those of their spec, since a null
// in a schema (a default, a member of an enum) has a meaning. The CA of a CRD's conversion Service goes as well: it is the cluster's,
// written there by who makes certificates, and what generators leave in its place is no certificate.
func strip(o bundle.Object) {
	delete(o.Object, "status")
	metadata, _ := o.Object["metadata"].(map[string]any)
	for _, field := range serverFields {
		delete(metadata, field)
	}
	if isCRD(o) {
		dropNulls(metadata)
		client, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "conversion", "webhook", "clientConfig")
		if config, ok := client.(map[string]any); ok && config["service"] != nil {
			delete(config, "caBundle")
		}
		return
	}
	dropNulls(o.Object)
}

// dropNulls removes the entries of mappings whose value is null, in place, at any depth.
func dropNulls(value any) {
	switch v := value.(type) {
	case map[string]any:
		for k, item := range v {
			if item == nil {
				delete(v, k)
				continue
			}
			dropNulls(item)
		}
	case []any:
		for _, item := range v {
			dropNulls(item)
		}
	}
}
