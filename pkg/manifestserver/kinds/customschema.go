package kinds

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
)

// customSchema is the schema of a custom kind in one version.
type customSchema struct {
	kind schema.GroupVersionKind
	// structural is nil if the definition has no schema.
	structural *structuralschema.Structural
	preserve   bool
	validator  *validate.SchemaValidator
	converters func() (managedfields.TypeConverter, error)
}

// customResources returns the resources of a CustomResourceDefinition: one for each served version.
func customResources(definition *apiextensionsv1.CustomResourceDefinition) ([]*Resource, error) {
	spec := definition.Spec
	var found []*Resource
	converters := &customConverter{}
	for _, version := range spec.Versions {
		kind := schema.GroupVersionKind{Group: spec.Group, Version: version.Name, Kind: spec.Names.Kind}
		schemaOf, err := newCustomSchema(kind, version.Schema, spec.PreserveUnknownFields)
		if err != nil {
			return nil, fmt.Errorf("CustomResourceDefinition %q, version %q: %w", definition.Name, version.Name, err)
		}
		schemaOf.converters = converters.get
		converters.schemas = append(converters.schemas, schemaOf)
		if !version.Served {
			continue
		}
		one := &Resource{
			GroupVersionResource: kind.GroupVersion().WithResource(spec.Names.Plural), Kind: spec.Names.Kind, ListKind: spec.Names.ListKind,
			Singular: spec.Names.Singular, ShortNames: spec.Names.ShortNames, Categories: spec.Names.Categories,
			Traits: HasGeneration | RequiresVersion, Custom: true, schema: schemaOf,
			Convertible: spec.Conversion == nil || spec.Conversion.Strategy != apiextensionsv1.WebhookConverter,
		}
		for _, selectable := range version.SelectableFields {
			one.Selectable = append(one.Selectable, strings.TrimPrefix(selectable.JSONPath, "."))
		}
		if spec.Scope == apiextensionsv1.NamespaceScoped {
			one.Traits |= Namespaced
		}
		if version.Subresources != nil && version.Subresources.Status != nil {
			one.Traits |= HasStatus
		}
		found = append(found, one)
	}
	return found, nil
}

// newCustomSchema returns the schema of a kind from the validation in its definition, which may be nil.
func newCustomSchema(kind schema.GroupVersionKind, given *apiextensionsv1.CustomResourceValidation, preserve bool) (*customSchema, error) {
	result := &customSchema{kind: kind, preserve: preserve}
	if given == nil || given.OpenAPIV3Schema == nil {
		return result, nil
	}
	internal := &apiextensions.JSONSchemaProps{}
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(given.OpenAPIV3Schema, internal, nil)
	if err != nil {
		return nil, fmt.Errorf("converting the schema: %w", err)
	}
	if result.structural, err = structuralschema.NewStructural(internal); err != nil {
		if preserve { // like kube-apiserver, which has served such definitions before Kubernetes 1.16
			return result, nil
		}
		return nil, fmt.Errorf("the schema is not structural; correct the definition: %w", err)
	}
	openAPI := result.structural.ToKubeOpenAPI()
	removeUnknownFormats(openAPI)
	result.validator = validate.NewSchemaValidator(openAPI, nil, "", strfmt.Default)
	return result, nil
}

// normalize implements objectSchema, in the order of k8s.io/apiextensions-apiserver.
func (s *customSchema) normalize(object *unstructured.Unstructured) (*unstructured.Unstructured, []string, error) {
	metaOptions := objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true}
	meta, hasMeta, unknown, err := objectmeta.GetObjectMetaWithOptions(object.Object, metaOptions)
	if err != nil {
		return nil, nil, err
	}
	if s.structural != nil && !s.preserve {
		pruneOptions := structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
		unknown = append(unknown, pruning.PruneWithOptions(object.Object, s.structural, true, pruneOptions)...)
		removeNulls(object.Object, s.structural)
	}
	if s.structural != nil {
		coerceOptions := objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true}
		coerceErr, coerced := objectmeta.CoerceWithOptions(nil, object.Object, s.structural, false, coerceOptions)
		if coerceErr != nil {
			return nil, nil, coerceErr
		}
		unknown = append(unknown, coerced...)
	}
	if hasMeta {
		if err := objectmeta.SetObjectMeta(object.Object, meta); err != nil {
			return nil, nil, err
		}
	}
	setDefaults(object.Object, s.structural)
	return object, quoteUnknown(unknown), nil
}

// normalizeMeta removes the unknown fields and the empty values of metadata.
func normalizeMeta(object *unstructured.Unstructured) error {
	meta, hasMeta, err := objectmeta.GetObjectMeta(object.Object, false)
	if err != nil || !hasMeta {
		return err
	}
	return objectmeta.SetObjectMeta(object.Object, meta)
}

func quoteUnknown(paths []string) []string {
	slices.Sort(paths)
	quoted := make([]string, 0, len(paths))
	for _, path := range slices.Compact(paths) {
		quoted = append(quoted, fmt.Sprintf("unknown field %q", strings.TrimPrefix(path, ".")))
	}
	return quoted
}

// validate implements objectSchema.
func (s *customSchema) validate(object *unstructured.Unstructured) field.ErrorList {
	if s.structural == nil {
		return nil
	}
	errs := fieldErrors(s.validator.Validate(object.Object))
	errs = append(errs, objectmeta.Validate(nil, object.Object, s.structural, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object.Object)...)
	// kube-apiserver returns the errors in a random order.
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return cmp.Compare(a.Error(), b.Error()) })
	return errs
}

// converter implements objectSchema.
func (s *customSchema) converter() (managedfields.TypeConverter, error) { return s.converters() }
