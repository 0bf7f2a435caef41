package object

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Definition has the parts of a CustomResourceDefinition that the engine needs.
type Definition struct {
	// Kind is the kind, and Plural the resource, of the custom resources.
	Kind   schema.GroupKind
	Plural string
	// Served are the served versions, in the order of the CustomResourceDefinition.
	Served []string
}

// DefinitionOf reads a CustomResourceDefinition. A field that the CustomResourceDefinition lacks is empty in the result.
func DefinitionOf(crd *unstructured.Unstructured) *Definition {
	content := crd.Object
	var d Definition
	d.Kind.Group, _, _ = unstructured.NestedString(content, "spec", "group")
	d.Kind.Kind, _, _ = unstructured.NestedString(content, "spec", "names", "kind")
	d.Plural, _, _ = unstructured.NestedString(content, "spec", "names", "plural")
	versions, _, _ := unstructured.NestedFieldNoCopy(content, "spec", "versions")
	list, _ := versions.([]any)
	for _, each := range list {
		version, _ := each.(map[string]any)
		if served, _ := version["served"].(bool); served {
			if name, _ := version["name"].(string); name != "" {
				d.Served = append(d.Served, name)
			}
		}
	}
	return &d
}
