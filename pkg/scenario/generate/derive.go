package generate

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/json"
)

// maxDerivedLength is the maximum length of a text that is derived from a schema, so that stories stay readable.
const maxDerivedLength = 1024

// derive returns values that follow from a field's schema: valid ones for enums and booleans, and refused ones, which are of a different
// type or exceed a limit in the schema.
func derive(of *fieldSchema) (valid, refused []any) {
	if of.XIntOrString {
		return nil, []any{true}
	}
	for _, each := range of.Enum {
		var value any
		if json.Unmarshal(each.Raw, &value) == nil {
			valid = append(valid, value)
		}
	}
	switch of.Type {
	case "boolean":
		return []any{true, false}, []any{"maybe"}
	case "string":
		return valid, append(refusedTexts(of, len(valid) > 0), int64(7))
	case "integer", "number":
		return valid, append(refusedNumbers(of), "many")
	case "array":
		return deriveList(of)
	case "object":
		refused = []any{"text"}
		if values := valuesOf(of); values != nil {
			_, each := derive(values)
			for _, value := range each {
				refused = append(refused, map[string]any{mapKey: value})
			}
		}
		return nil, refused
	}
	return valid, nil
}

// deriveList returns lists with one item for each value that follows from the schema of the items.
func deriveList(of *fieldSchema) (valid, refused []any) {
	refused = []any{"text"}
	if of.MinItems != nil && *of.MinItems > 0 {
		refused = append(refused, []any{})
	}
	items := itemsOf(of)
	if items == nil || !isScalar(items) {
		return nil, refused
	}
	validItems, refusedItems := derive(items)
	for _, item := range validItems {
		valid = append(valid, []any{item})
	}
	for _, item := range refusedItems {
		refused = append(refused, []any{item})
	}
	return valid, refused
}

func refusedTexts(of *fieldSchema, isEnum bool) (refused []any) {
	if isEnum {
		refused = append(refused, "NoSuchValue")
	}
	if of.MinLength != nil && *of.MinLength > 0 {
		refused = append(refused, "")
	}
	if of.MaxLength != nil && *of.MaxLength <= maxDerivedLength {
		refused = append(refused, strings.Repeat("x", int(*of.MaxLength)+1))
	}
	if slices.Contains([]string{"date", "date-time", "duration"}, of.Format) {
		refused = append(refused, "soon")
	}
	return refused
}

func refusedNumbers(of *fieldSchema) (refused []any) {
	if of.Minimum != nil {
		refused = append(refused, int64(*of.Minimum)-1)
	}
	if of.Maximum != nil {
		refused = append(refused, int64(*of.Maximum)+1)
	}
	return refused
}
