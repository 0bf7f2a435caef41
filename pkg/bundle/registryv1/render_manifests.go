package registryv1

import (
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// renderManifests returns the bundle's manifests: namespaced objects in the install namespace, cluster-scoped objects without a namespace,
// and CRDs with their conversion webhook. It omits Services that renderServices renders.
func renderManifests(r *rendering) ([]unstructured.Unstructured, error) {
	converted := conversionWebhooks(r.Bundle)
	objects := make([]unstructured.Unstructured, 0, len(r.objects))
	for _, o := range r.objects {
		if _, replaced := isReplacedService(o, r.servers); replaced {
			continue
		}
		content := maps.Clone(o.Object)
		content["metadata"] = bundle.CloneMetadata(o.Object["metadata"])
		rendered := unstructured.Unstructured{Object: content}
		if r.scopeOf(groupKind(o)) == namespaced {
			rendered.SetNamespace(r.opts.InstallNamespace)
		} else {
			unstructured.RemoveNestedField(content, "metadata", "namespace")
		}
		if w := converted[o.GetName()]; w != nil && bundle.IsCRD(o) {
			setConversion(r, rendered, w)
		}
		objects = append(objects, rendered)
	}
	return objects, nil
}
