package crdsafety

import (
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// removeDocumentation removes from a schema, and from all schemas below it, what people read and no validation depends on.
func removeDocumentation(schema *apiextensionsv1.JSONSchemaProps) {
	schema.Description, schema.Title, schema.Example, schema.ExternalDocs = "", "", nil, nil
	for i := range schema.XValidations {
		rule := &schema.XValidations[i]
		rule.Message, rule.MessageExpression, rule.Reason = "", "", nil
	}
	for _, schemas := range [][]apiextensionsv1.JSONSchemaProps{schema.AllOf, schema.AnyOf, schema.OneOf} {
		for i := range schemas {
			removeDocumentation(&schemas[i])
		}
	}
	for _, schemas := range []map[string]apiextensionsv1.JSONSchemaProps{schema.Properties, schema.PatternProperties, schema.Definitions} {
		for name, each := range schemas {
			removeDocumentation(&each)
			schemas[name] = each
		}
	}
	for _, each := range []*apiextensionsv1.JSONSchemaProps{schema.Not, itemsOf(schema), valuesOf(schema)} {
		if each != nil {
			removeDocumentation(each)
		}
	}
}

// itemsOf returns the schema of a list's items, or nil.
func itemsOf(schema *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if schema.Items == nil {
		return nil
	}
	return schema.Items.Schema
}

// valuesOf returns the schema of a map's values, or nil.
func valuesOf(schema *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if schema.AdditionalProperties == nil {
		return nil
	}
	return schema.AdditionalProperties.Schema
}

// childKind says how a schema is inside another one.
type childKind int

const (
	ofProperty childKind = iota
	// ofItems is the schema of each item of a list, ofValues that of each value of a map.
	ofItems
	ofValues
)

// child is a schema inside another one. name is the name of a property.
type child struct {
	kind   childKind
	name   string
	schema *apiextensionsv1.JSONSchemaProps
}

// childrenOf returns the schemas of the properties, sorted by name, and of items and values.
func childrenOf(schema *apiextensionsv1.JSONSchemaProps) []child {
	var children []child
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		each := schema.Properties[name]
		children = append(children, child{ofProperty, name, &each})
	}
	if each := itemsOf(schema); each != nil {
		children = append(children, child{kind: ofItems, schema: each})
	}
	if each := valuesOf(schema); each != nil {
		children = append(children, child{kind: ofValues, schema: each})
	}
	return children
}

// at returns the schema that is in the same place of another schema, or nil. The other schema may be nil.
func (c child) at(schema *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	if schema == nil {
		return nil
	}
	switch c.kind {
	case ofItems:
		return itemsOf(schema)
	case ofValues:
		return valuesOf(schema)
	default:
		if found, isThere := schema.Properties[c.name]; isThere {
			return &found
		}
		return nil
	}
}

// withoutChildren returns copies of two schemas without the schemas that childrenOf returns. If only the new schema restricts items or
// values, its copy keeps a schema without content. The copies also lack what ignoreRelaxed removes.
func withoutChildren(before, after *apiextensionsv1.JSONSchemaProps) (old, updated apiextensionsv1.JSONSchemaProps) {
	old, updated = *before, *after
	old.Properties, updated.Properties = nil, nil
	if itemsOf(before) != nil {
		old.Items, updated.Items = nil, nil
	} else if itemsOf(after) != nil {
		updated.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{}}
	}
	if valuesOf(before) != nil {
		old.AdditionalProperties, updated.AdditionalProperties = nil, nil
	} else if valuesOf(after) != nil {
		updated.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{}}
	}
	ignoreRelaxed(&old, &updated)
	return old, updated
}

// ignoreRelaxed removes from two schemas the extensions of Kubernetes that change, but let each object stay as it is.
func ignoreRelaxed(old, updated *apiextensionsv1.JSONSchemaProps) {
	old.XValidations, updated.XValidations = nil, addedRules(old.XValidations, updated.XValidations)
	// Only server-side apply depends on the type of a map.
	old.XMapType, updated.XMapType = nil, nil
	if isTrue(updated.XPreserveUnknownFields) {
		old.XPreserveUnknownFields, updated.XPreserveUnknownFields = nil, nil
	}
	if isAtomic(updated.XListType) {
		old.XListType, updated.XListType, old.XListMapKeys, updated.XListMapKeys = nil, nil, nil, nil
	} else if isAtomic(old.XListType) {
		old.XListType = nil
	}
}

func isTrue(value *bool) bool { return value != nil && *value }

// isAtomic reports whether a list type is that of lists without a type: the API server does not compare the items of the list.
func isAtomic(listType *string) bool { return listType == nil || *listType == "atomic" }

// addedRules returns the validation rules that only the second list has, or nil.
func addedRules(before, after apiextensionsv1.ValidationRules) apiextensionsv1.ValidationRules {
	type key struct {
		rule        string
		hasOptional bool
	}
	keyOf := func(rule apiextensionsv1.ValidationRule) key {
		return key{rule.Rule, rule.OptionalOldSelf != nil && *rule.OptionalOldSelf}
	}
	known := map[key]bool{}
	for _, each := range before {
		known[keyOf(each)] = true
	}
	var added apiextensionsv1.ValidationRules
	for _, each := range after {
		if !known[keyOf(each)] {
			added = append(added, each)
		}
	}
	return added
}
