package kinds

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Traits are properties of a resource, as flags.
type Traits uint16

const (
	// Namespaced means that objects have a namespace.
	Namespaced Traits = 1 << iota
	// HasStatus means that the resource has subresource "status".
	HasStatus
	// HasGeneration means that the server sets metadata.generation.
	HasGeneration
	// CountsAnnotations means that a change of annotations increases the generation.
	CountsAnnotations
	// CreatesOnUpdate means that an update of a missing object creates it.
	CreatesOnUpdate
	// RequiresVersion means that an update without resourceVersion is invalid.
	RequiresVersion
	// ReturnsDeleted means that the response to a deletion is the deleted object instead of a Status.
	ReturnsDeleted
	// IsReview means that the resource is an access review: objects can be created, but they are not stored.
	IsReview
)

// Resource is an API resource in one version. Its methods are not safe for concurrent use.
type Resource struct {
	schema.GroupVersionResource
	// Kind, ListKind and Singular are the names of the kind and its list, and the singular resource name.
	Kind, ListKind, Singular string
	// Traits are the properties of the resource; see Is.
	Traits Traits
	// ShortNames and Categories are names by which kubectl finds the resource.
	ShortNames, Categories []string
	// Selectable are the fields that field selectors may contain, besides name and namespace.
	Selectable []string
	// Custom is true if the resource is that of a CustomResourceDefinition.
	Custom bool
	// Convertible is true if an object of another version of the resource only needs another apiVersion.
	Convertible bool

	schema   objectSchema
	managers map[string]*managedfields.FieldManager
}

// objectSchema is the schema of the objects of one resource in one version.
type objectSchema interface {
	normalize(object *unstructured.Unstructured) (normal *unstructured.Unstructured, unknown []string, err error)
	// validate returns the errors in an object.
	validate(object *unstructured.Unstructured) field.ErrorList
	// converter returns the converter for server-side apply. It may parse a large schema at the first call.
	converter() (managedfields.TypeConverter, error)
}

// Is reports whether the resource has all given traits.
func (r *Resource) Is(traits Traits) bool { return r.Traits&traits == traits }

// GroupVersionKind returns the kind of the resource's objects.
func (r *Resource) GroupVersionKind() schema.GroupVersionKind {
	return r.GroupVersion().WithKind(r.Kind)
}

// GroupKind returns the kind of the resource's objects without the version.
func (r *Resource) GroupKind() schema.GroupKind { return r.GroupVersionKind().GroupKind() }

// Normalize prunes unknown fields and sets defaults. It returns a message for each pruned field. It may modify the object. An error means
// that the object cannot be decoded.
func (r *Resource) Normalize(object *unstructured.Unstructured) (normal *unstructured.Unstructured, unknown []string, err error) {
	return r.schema.normalize(object)
}

// NormalizeApplied normalizes the result of FieldManager.Apply; the results are those of Normalize. For custom kinds, the field manager has
// checked the fields and set defaults. Unlike Normalize, kube-apiserver does not remove nulls then.
func (r *Resource) NormalizeApplied(object *unstructured.Unstructured) (*unstructured.Unstructured, []string, error) {
	if r.Custom {
		return object, nil, normalizeMeta(object)
	}
	return r.schema.normalize(object)
}

// Validate returns the errors in an object, sorted. old is the object that it replaces, or nil. Like kube-apiserver, Validate accepts an
// error that the old object already has.
func (r *Resource) Validate(object, old *unstructured.Unstructured) field.ErrorList {
	errs := r.schema.validate(object)
	if len(errs) == 0 || old == nil {
		return errs
	}
	known := map[string]bool{}
	for _, err := range r.schema.validate(old) {
		known[err.Error()] = true
	}
	var added field.ErrorList
	for _, err := range errs {
		if !known[err.Error()] {
			added = append(added, err)
		}
	}
	return added
}

// Empty returns an object without values. For built-in kinds, it has the fields that the Go type always encodes, such as status.
func (r *Resource) Empty() (*unstructured.Unstructured, error) {
	if builtin, isBuiltin := r.schema.(*builtinSchema); isBuiltin {
		return builtin.empty()
	}
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(r.GroupVersionKind())
	return object, nil
}
