package generate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// fieldSchema is the schema of a field.
type fieldSchema = apiextensionsv1.JSONSchemaProps

// Leaves returns the paths of the leaves of a field's schema, sorted. path is the path of the field. A leaf is a field without fields of
// its own: a scalar, a list or a map of scalars, or an object whose fields the schema does not list. Leaves returns an error for a property
// with a dot, bracket or brace in its name, because a Path cannot contain such a name.
func Leaves(path Path, of *apiextensionsv1.JSONSchemaProps) ([]Path, error) {
	var leaves []Path
	err := walk(path, of, func(path Path, of *fieldSchema) {
		if isLeaf(of) {
			leaves = append(leaves, path)
		}
	})
	slices.Sort(leaves)
	return leaves, err
}

// fieldsOf returns the schemas of a field and of all fields below it, keyed by path.
func fieldsOf(path Path, of *fieldSchema) (map[Path]*fieldSchema, error) {
	fields := map[Path]*fieldSchema{}
	err := walk(path, of, func(path Path, of *fieldSchema) { fields[path] = of })
	return fields, err
}

// walk calls visit with a field and all fields below it. It terminates, because schemas of CustomResourceDefinitions contain no references
// ($ref).
func walk(path Path, of *fieldSchema, visit func(Path, *fieldSchema)) error {
	visit(path, of)
	if isLeaf(of) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(of.Properties)) {
		if strings.ContainsAny(name, ".[]{}") {
			return fmt.Errorf("%s has the property %q; names with dots, brackets or braces are not supported", path, name)
		}
		property := of.Properties[name]
		if err := walk(path+Path("."+name), &property, visit); err != nil {
			return err
		}
	}
	if len(of.Properties) > 0 {
		return nil
	}
	if items := itemsOf(of); items != nil {
		return walk(path+itemSuffix, items, visit)
	}
	return walk(path+valueSuffix, valuesOf(of), visit)
}

// isLeaf reports whether a field has no fields of its own.
func isLeaf(of *fieldSchema) bool {
	if len(of.Properties) > 0 {
		return false
	}
	if items := itemsOf(of); items != nil {
		return isScalar(items)
	}
	if values := valuesOf(of); values != nil {
		return isScalar(values)
	}
	return true
}

// isScalar reports whether the schema lists neither properties nor items nor values of a map.
func isScalar(of *fieldSchema) bool {
	return len(of.Properties) == 0 && itemsOf(of) == nil && valuesOf(of) == nil
}

// itemsOf returns the schema of a list's items, or nil if the given schema does not describe a list.
func itemsOf(of *fieldSchema) *fieldSchema {
	if of.Items == nil {
		return nil
	}
	return of.Items.Schema
}

// valuesOf returns the schema of a map's values, or nil if the given schema does not describe a map.
func valuesOf(of *fieldSchema) *fieldSchema {
	if of.AdditionalProperties == nil {
		return nil
	}
	return of.AdditionalProperties.Schema
}

// leavesIn returns the leaves that the value at a path contains, sorted. It ignores parts of the value that the schema
// does not have.
func leavesIn(path Path, value any, fields map[Path]*fieldSchema) []Path {
	of := fields[path]
	if of == nil {
		return nil
	}
	if isLeaf(of) {
		return []Path{path}
	}
	found := map[Path]bool{}
	add := func(path Path, value any) {
		for _, leaf := range leavesIn(path, value, fields) {
			found[leaf] = true
		}
	}
	switch typed := value.(type) {
	case map[string]any:
		for name, each := range typed {
			if len(of.Properties) == 0 {
				add(path+valueSuffix, each)
			} else {
				add(path+Path("."+name), each)
			}
		}
	case []any:
		for _, each := range typed {
			add(path+itemSuffix, each)
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// hasTypes reports whether a value and all values in it have the types that the schema requires. null, which removes a field, fits every
// type.
func hasTypes(of *fieldSchema, value any) bool {
	switch typed := value.(type) {
	case nil:
		return true
	case map[string]any:
		return (of.Type == "object" || of.Type == "") && haveTypes(of, typed)
	case []any:
		items := itemsOf(of)
		return of.Type == "array" && (items == nil || !slices.ContainsFunc(typed, func(item any) bool { return !hasTypes(items, item) }))
	case string:
		return of.Type == "string" || of.Type == ""
	case bool:
		return of.Type == "boolean" || of.Type == "" && !of.XIntOrString
	default:
		return of.Type == "integer" || of.Type == "number" || of.Type == ""
	}
}

// haveTypes reports whether the fields of an object, or the values of a map, have the types that the schema requires.
func haveTypes(of *fieldSchema, object map[string]any) bool {
	values := valuesOf(of)
	for name, value := range object {
		property, isProperty := of.Properties[name]
		switch {
		case isProperty && !hasTypes(&property, value), values != nil && !hasTypes(values, value):
			return false
		case !isProperty && values == nil && len(of.Properties) > 0:
			return false
		}
	}
	return true
}
