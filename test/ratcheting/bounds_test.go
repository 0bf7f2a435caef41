package ratcheting

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// bound is one limit of a field, such as minLength. A bound without a name has no limit: it records that a schema has the field.
type bound struct {
	path, name string
	limit      float64
}

func (b bound) String() string { return fmt.Sprintf("%s %s %.0f", b.path, b.name, b.limit) }

// isMinimum reports whether the bound is a minimum, and not a maximum.
func (b bound) isMinimum() bool { return strings.HasPrefix(b.name, "min") }

// boundsIn adds the bounds of a schema to into, by path and name, and for each path a bound without a name. The paths of list items end
// in "[]", and the paths of map values in "{}".
func boundsIn(schema apiextensionsv1.JSONSchemaProps, path string, into map[string]bound) {
	add := func(name string, limit *int64) {
		if limit != nil {
			into[path+" "+name] = bound{path, name, float64(*limit)}
		}
	}
	into[path] = bound{path: path}
	add("minLength", schema.MinLength)
	add("maxLength", schema.MaxLength)
	add("minItems", schema.MinItems)
	add("maxItems", schema.MaxItems)
	add("minProperties", schema.MinProperties)
	add("maxProperties", schema.MaxProperties)
	if schema.Minimum != nil {
		into[path+" minimum"] = bound{path, "minimum", *schema.Minimum}
	}
	if schema.Maximum != nil {
		into[path+" maximum"] = bound{path, "maximum", *schema.Maximum}
	}
	for name, property := range schema.Properties {
		boundsIn(property, path+"."+name, into)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		boundsIn(*schema.Items.Schema, path+"[]", into)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		boundsIn(*schema.AdditionalProperties.Schema, path+"{}", into)
	}
}

// tightened returns the shipped bounds that the former schema lacks or has wider, sorted by path and name. It omits fields that the
// former schema lacks, because no stored object has them.
func tightened(former, shipped apiextensionsv1.JSONSchemaProps) []bound {
	before, now := map[string]bound{}, map[string]bound{}
	boundsIn(former, "", before)
	boundsIn(shipped, "", now)
	var all []bound
	for _, key := range slices.Sorted(maps.Keys(now)) {
		added := now[key]
		old, had := before[key]
		switch _, stored := before[added.path]; {
		case added.name == "", !stored: // no bound, or no field
		case added.isMinimum() && added.limit == 0 && added.name != "minimum": // limits nothing
		case !had, added.isMinimum() && added.limit > old.limit, !added.isMinimum() && added.limit < old.limit:
			all = append(all, added)
		}
	}
	return all
}

// isViolatedBy reports whether an object has a value outside the bound.
func (b bound) isViolatedBy(object map[string]any) bool {
	return slices.ContainsFunc(valuesAt(object, strings.TrimPrefix(b.path, ".")), func(value any) bool {
		size, known := sizeOf(b.name, value)
		return known && (b.isMinimum() && size < b.limit || !b.isMinimum() && size > b.limit)
	})
}

// sizeOf returns the number that a bound of this name limits, such as the length of a string. It returns false if the bound does not
// apply to a value of this type.
func sizeOf(name string, value any) (float64, bool) {
	switch value := value.(type) {
	case string:
		return float64(utf8.RuneCountInString(value)), strings.HasSuffix(name, "Length")
	case []any:
		return float64(len(value)), strings.HasSuffix(name, "Items")
	case map[string]any:
		return float64(len(value)), strings.HasSuffix(name, "Properties")
	case int64:
		return float64(value), strings.HasSuffix(name, "imum")
	}
	return 0, false
}

// valuesAt returns the values at a path of boundsIn without the leading dot. It returns the value itself if the path is empty, and nil
// if the value has no such field.
func valuesAt(value any, path string) []any {
	if path == "" {
		return []any{value}
	}
	name, rest, _ := strings.Cut(path, ".")
	kind := ""
	for _, suffix := range []string{"[]", "{}"} {
		if base, has := strings.CutSuffix(name, suffix); has {
			name, kind = base, suffix
		}
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	below, has := object[name]
	if !has {
		return nil
	}
	var members []any
	switch below := below.(type) {
	case []any:
		members = below
	case map[string]any:
		members = slices.Collect(maps.Values(below))
	}
	if kind == "" {
		members = []any{below}
	}
	var all []any
	for _, member := range members {
		all = append(all, valuesAt(member, rest)...)
	}
	return all
}
