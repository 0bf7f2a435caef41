package crdsafety

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The limits of the API server for the costs of one validation rule, and of all rules for one object.
const costPerRule, costPerObject = 1_000_000, 10_000_000

// objectValidator validates objects with one schema as the API server does.
type objectValidator struct {
	// apiVersion is the API version of the schema.
	apiVersion string
	structural *structuralschema.Structural
	schema     validation.SchemaValidator
	// rules is nil if the schema has no validation rules.
	rules *cel.Validator
}

func newObjectValidator(of *apiextensionsv1.JSONSchemaProps, apiVersion string) (*objectValidator, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(of, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal)
	if err != nil {
		return nil, err
	}
	if invalid := structuralschema.ValidateStructural(nil, structural); len(invalid) > 0 {
		return nil, invalid[0]
	}
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	schema, _, err := validation.NewSchemaValidator(internal)
	if err != nil {
		return nil, err
	}
	return &objectValidator{apiVersion, structural, schema, cel.NewValidator(structural, true, costPerRule)}, nil
}

// validate returns the messages of the violations of an object, keyed by field. An object in another API version is converted as the API
// server converts it without a webhook.
func (v *objectValidator) validate(ctx context.Context, object *unstructured.Unstructured) map[string]string {
	content := object.DeepCopy().Object
	content["apiVersion"] = v.apiVersion
	defaulting.PruneNonNullableNullsWithoutDefaults(content, v.structural)
	defaulting.Default(content, v.structural)
	pruning.Prune(content, v.structural, true)
	found := validation.ValidateCustomResource(nil, content, v.schema)
	found = append(found, listtype.ValidateListSetsAndMaps(nil, v.structural, content)...)
	if len(found) == 0 {
		// Rules about a change need the object before the change, and are skipped.
		found, _ = v.rules.Validate(ctx, nil, v.structural, content, nil, costPerObject)
	}
	messages := map[string]string{}
	for _, each := range found {
		name := each.Field
		if name == "" || name == "<nil>" {
			name = "."
		}
		if _, hasMessage := messages[name]; !hasMessage {
			messages[name] = messageOf(each)
		}
	}
	return messages
}

// messageOf returns the text of a validation error without the value of the field, which may be confidential.
func messageOf(invalid *field.Error) string {
	detail := invalid.Detail
	if value, isText := invalid.BadValue.(string); isText {
		detail = strings.TrimSuffix(detail, ": "+strconv.Quote(value))
	}
	if detail == "" {
		return invalid.Type.String()
	}
	return fmt.Sprintf("%s: %s", invalid.Type, detail)
}
