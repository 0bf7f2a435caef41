package generate

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	kyaml "sigs.k8s.io/yaml"
)

// Kind is a kind with values for the fields of its spec. It is immutable.
type Kind struct {
	// GroupVersionKind and Resource identify the kind.
	GroupVersionKind schema.GroupVersionKind
	Resource         schema.GroupVersionResource
	// Fields are the fields with values, sorted by path.
	Fields []Field
	// Leaves are the fields of spec that have no fields of their own, sorted; see function Leaves. Omitted holds the reasons why fields
	// have no values, or only valid or only invalid ones, keyed by path.
	Leaves  []Path
	Omitted map[Path]string

	base      map[string]any
	with      map[Path]map[Path]any
	immutable []Path
	schemas   map[Path]*fieldSchema
}

// Field holds the values for one field of a Kind.
type Field struct {
	// Path is the path of a leaf, or of a field whose values replace all fields below it.
	Path Path
	// Values are valid, reported and refused values, in any order.
	Values []Value
}

// Value is a value for a field, as encoding/json decodes it, with integers as int64.
type Value struct {
	Value any
	Class Class
}

// Class says how the API server and the operator treat a value.
type Class string

const (
	// Valid values are accepted by the API server and by the operator.
	Valid Class = "valid"
	// Reported values are accepted by the API server. The operator reports them as user errors, and recovers when they are corrected.
	Reported Class = "reported"
	// Refused values are refused by the API server, whatever values the other fields have.
	Refused Class = "refused"
)

// valuesFile is the content of a file with values for the fields of a kind.
type valuesFile struct {
	// Kind is a kind that the CustomResourceDefinitions define. Version is the API version; the default is the storage version.
	Kind    string `json:"kind"`
	Version string `json:"version,omitempty"`
	// Base is a valid object. It must have a name; apiVersion and kind are optional.
	Base map[string]any `json:"base"`
	// Fields holds the values of each field, keyed by path.
	Fields map[Path]fileField `json:"fields"`
	// With maps the path of a field to the values of other fields that must be set whenever the field, or a field below it, is set. null
	// removes a field.
	With map[Path]map[Path]any `json:"with,omitempty"`
	// Immutable lists fields that, with all fields below them, can only be set when an object is created.
	Immutable []Path `json:"immutable,omitempty"`
}

// fileField holds the values of a field in a valuesFile. ParseKind adds derived values, such as those of an enum.
type fileField struct {
	Valid    []any `json:"valid,omitempty"`
	Reported []any `json:"reported,omitempty"`
	Refused  []any `json:"refused,omitempty"`
	// Whole permits a field that is not a leaf. A value of the field then counts for each of the leaves that it contains.
	Whole bool `json:"whole,omitempty"`
	// Omitted is the reason why the field and the fields below it have no values, or have only valid or only invalid ones. Beside valid and
	// invalid values, which only Whole permits, it is the reason why some fields below the field have no invalid values.
	Omitted string `json:"omitted,omitempty"`
}

// ReadKind reads a file with the values for a kind; the package documentation contains an example. It returns an error that lists the paths
// that are not in the schema. If all paths are correct, the error lists the leaves that the file does not name, and those that lack a valid
// or an invalid value that a story can set, and for which the file gives no reason. A value of an enclosing field counts for the leaves
// that it contains. Values of a wrong type do not count, because stories do not set them.
func ReadKind(file string, definitions []*apiextensionsv1.CustomResourceDefinition) (*Kind, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	kind, err := ParseKind(content, definitions)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return kind, nil
}

// ParseKind is like ReadKind, but takes the content of a file.
func ParseKind(content []byte, definitions []*apiextensionsv1.CustomResourceDefinition) (*Kind, error) {
	read, err := parseValuesFile(content)
	if err != nil {
		return nil, err
	}
	k, err := newKind(read, definitions)
	if err != nil {
		return nil, err
	}
	if k.Name() == "" {
		return nil, errors.New("base has no metadata.name; write a valid object")
	}
	if err := k.add(read); err != nil {
		return nil, err
	}
	return k, k.check(read.Fields)
}

// parseValuesFile parses a file. Integers become int64, as Kubernetes decodes objects.
func parseValuesFile(content []byte) (read valuesFile, err error) {
	if err := kyaml.UnmarshalStrict(content, &read); err != nil { // returns errors for unknown fields; json.Unmarshal below does not
		return read, err
	}
	asJSON, err := kyaml.YAMLToJSON(content)
	if err != nil {
		return read, err
	}
	read = valuesFile{}
	return read, json.Unmarshal(asJSON, &read)
}

// newKind returns a Kind without values.
func newKind(read valuesFile, definitions []*apiextensionsv1.CustomResourceDefinition) (*Kind, error) {
	for _, definition := range definitions {
		if definition.Spec.Names.Kind != read.Kind {
			continue
		}
		for _, version := range definition.Spec.Versions {
			if version.Name != read.Version && (read.Version != "" || !version.Storage) {
				continue
			}
			k := &Kind{Omitted: map[Path]string{}, base: read.Base, with: read.With, immutable: read.Immutable}
			k.GroupVersionKind = schema.GroupVersionKind{Group: definition.Spec.Group, Version: version.Name, Kind: read.Kind}
			k.Resource = k.GroupVersionKind.GroupVersion().WithResource(definition.Spec.Names.Plural)
			return k, k.readSchema(version.Schema)
		}
		return nil, fmt.Errorf("CustomResourceDefinition %s has no version %q; correct version in the file", definition.Name, read.Version)
	}
	return nil, fmt.Errorf("no CustomResourceDefinition has kind %q; correct kind in the file", read.Kind)
}

func (k *Kind) readSchema(validation *apiextensionsv1.CustomResourceValidation) error {
	if validation == nil || validation.OpenAPIV3Schema == nil {
		return fmt.Errorf("the CustomResourceDefinition of %s has no schema for version %s", k.GroupVersionKind.Kind, k.GroupVersionKind.Version)
	}
	spec, found := validation.OpenAPIV3Schema.Properties["spec"]
	if !found {
		return fmt.Errorf("the schema of %s has no field spec", k.GroupVersionKind.Kind)
	}
	var err error
	if k.Leaves, err = Leaves("spec", &spec); err != nil {
		return err
	}
	k.schemas, err = fieldsOf("spec", &spec)
	return err
}

// Name returns the name of the base object.
func (k *Kind) Name() string { return (&unstructured.Unstructured{Object: k.base}).GetName() }

// Namespace returns the namespace of the base object, or "" if the kind is cluster-scoped.
func (k *Kind) Namespace() string { return (&unstructured.Unstructured{Object: k.base}).GetNamespace() }

// Base returns a new copy of the base object.
func (k *Kind) Base() map[string]any {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(k.base)}
	object.SetGroupVersionKind(k.GroupVersionKind)
	return object.Object
}

// LeavesIn returns the leaves that a value of a field contains, sorted.
func (k *Kind) LeavesIn(path Path, value any) []Path { return leavesIn(path, value, k.schemas) }

// IsImmutable reports whether a field can only be set when an object is created.
func (k *Kind) IsImmutable(path Path) bool {
	return slices.ContainsFunc(k.immutable, func(prefix Path) bool { return prefix.contains(path) })
}

// Patch returns a JSON merge patch that sets a field to a value, and also sets the fields that must be set with it. If value is nil, the
// patch removes the field.
func (k *Kind) Patch(path Path, value any) (map[string]any, error) {
	return patchOf(k.change(path, value))
}

// Set sets a field of an object to a value, and also sets the fields that must be set with it. If value is nil, Set removes the field.
func (k *Kind) Set(object map[string]any, path Path, value any) error {
	return k.change(path, value).apply(object)
}

// fieldValue is a value for a field; nil removes the field.
type fieldValue struct {
	path  Path
	value any
}

// fieldValues are values for fields, in the order in which they are set.
type fieldValues []fieldValue

// change returns the values of the fields that must be set with a field, followed by the value of the field itself. If the field is
// removed, no other fields are set.
func (k *Kind) change(path Path, value any) fieldValues {
	var values fieldValues
	for _, prefix := range slices.Sorted(maps.Keys(k.with)) {
		if value == nil || !prefix.contains(path) {
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(k.with[prefix])) {
			values = append(values, fieldValue{other, k.with[prefix][other]})
		}
	}
	return append(values, fieldValue{path, value})
}

// restore returns the values that a field, and the fields that must be set with it, have in the base object.
func (k *Kind) restore(path Path) fieldValues {
	var values fieldValues
	for _, prefix := range slices.Sorted(maps.Keys(k.with)) {
		if !prefix.contains(path) {
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(k.with[prefix])) {
			values = append(values, fieldValue{other, get(k.base, other)})
		}
		values = append(values, fieldValue{prefix, get(k.base, prefix)})
		if get(k.base, prefix) == nil {
			return values // also removes the field; a null below the prefix would create the prefix again
		}
	}
	// A merge patch removes a field only if the patch sets it to null, but the base object's value of the prefix just omits the field. So
	// the field comes after the prefix.
	return append(values, fieldValue{path, get(k.base, path)})
}

// apply sets the fields of an object.
func (v fieldValues) apply(object map[string]any) error {
	for _, each := range v {
		if each.value == nil {
			remove(object, each.path)
		} else if err := set(object, each.path, withoutNulls(each.value)); err != nil {
			return err
		}
	}
	return nil
}

// withoutNulls returns a copy of a value without the fields that are null. In a merge patch, null removes a field.
func withoutNulls(value any) any {
	object, isObject := value.(map[string]any)
	if !isObject {
		return runtime.DeepCopyJSONValue(value)
	}
	result := map[string]any{}
	for name, field := range object {
		if field != nil {
			result[name] = withoutNulls(field)
		}
	}
	return result
}

// patchOf returns a JSON merge patch that sets the fields.
func patchOf(values fieldValues) (map[string]any, error) {
	patch := map[string]any{}
	for _, each := range values {
		if err := set(patch, each.path, runtime.DeepCopyJSONValue(each.value)); err != nil {
			return nil, err
		}
	}
	return patch, nil
}
