package bundle

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Verbs are the verbs that the manager needs for every resource whose objects it applies: it applies, watches and deletes them.
var Verbs = []string{"create", "delete", "get", "list", "patch", "update", "watch"}

// Definition is what a CustomResourceDefinition says about its custom resources.
type Definition struct {
	// Kind is the kind of the custom resources, and Plural is the name of their resource.
	Kind   schema.GroupKind
	Plural string
	// Scope is Namespaced or Cluster. The API server rejects a definition with any other scope.
	Scope string
	// Served lists the names of the served versions, in the order of the CustomResourceDefinition.
	Served []string
}

// Scopes of custom resources.
const (
	ScopeNamespaced = "Namespaced"
	ScopeCluster    = "Cluster"
)

// DefinitionOf returns the Definition of a CustomResourceDefinition. A field of the Definition is empty if the field of crd is absent or has
// the wrong type. That is no error here, because the API server rejects such an object.
func DefinitionOf(crd *unstructured.Unstructured) Definition {
	spec, _ := crd.Object["spec"].(map[string]any)
	text := func(fields ...string) string {
		value, _, _ := unstructured.NestedString(spec, fields...)
		return value
	}
	found := Definition{
		Kind: schema.GroupKind{Group: text("group"), Kind: text("names", "kind")}, Plural: text("names", "plural"), Scope: text("scope"),
	}
	versions, _ := spec["versions"].([]any)
	for _, each := range versions {
		version, _ := each.(map[string]any)
		name, _ := version["name"].(string)
		if served, _ := version["served"].(bool); served && name != "" {
			found.Served = append(found.Served, name)
		}
	}
	return found
}

// DefinitionsIn returns the Definitions of the CustomResourceDefinitions among objects, keyed by the kind that they define. If two define
// one kind, it returns the last.
func DefinitionsIn(objects []Object) map[schema.GroupKind]Definition {
	found := map[schema.GroupKind]Definition{}
	for _, o := range objects {
		if IsCRD(o) {
			definition := DefinitionOf(&o.Unstructured)
			found[definition.Kind] = definition
		}
	}
	return found
}
