package kinds

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"
)

// This file has the two algorithms of k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting. That package also validates defaults,
// and for this it links the CEL library of k8s.io/apiserver and its feature gates.

// removeNulls removes null values whose schema allows no null and has no default.
func removeNulls(value any, s *structuralschema.Structural) {
	switch value := value.(type) {
	case map[string]any:
		for name, child := range value {
			childSchema := fieldSchema(name, s)
			if forbidsNull(child, childSchema) && childSchema.Default.Object == nil {
				delete(value, name)
				continue
			}
			removeNulls(child, childSchema)
		}
	case []any:
		if s == nil {
			return
		}
		for _, child := range value {
			removeNulls(child, s.Items)
		}
	}
}

// setDefaults sets the defaults in a schema where a value is missing, or is a null that the schema does not allow.
func setDefaults(value any, s *structuralschema.Structural) {
	if s == nil {
		return
	}
	switch value := value.(type) {
	case map[string]any:
		for name, property := range s.Properties {
			if child, found := value[name]; property.Default.Object != nil && (!found || forbidsNull(child, &property)) {
				value[name] = runtime.DeepCopyJSONValue(property.Default.Object)
			}
		}
		for name, child := range value {
			childSchema := fieldSchema(name, s)
			if forbidsNull(child, childSchema) && childSchema.Default.Object != nil {
				value[name] = runtime.DeepCopyJSONValue(childSchema.Default.Object)
			}
			setDefaults(value[name], childSchema)
		}
	case []any:
		for i := range value {
			if forbidsNull(value[i], s.Items) {
				value[i] = runtime.DeepCopyJSONValue(s.Items.Default.Object)
			}
			setDefaults(value[i], s.Items)
		}
	}
}

func forbidsNull(value any, s *structuralschema.Structural) bool {
	return value == nil && s != nil && !s.Nullable
}

// fieldSchema returns the schema of a field, or nil.
func fieldSchema(name string, s *structuralschema.Structural) *structuralschema.Structural {
	if s == nil {
		return nil
	}
	if property, found := s.Properties[name]; found {
		return &property
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.Structural
	}
	return nil
}
