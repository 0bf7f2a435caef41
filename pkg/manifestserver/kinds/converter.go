package kinds

import (
	"fmt"
	"maps"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const (
	schemaPrefix     = "#/components/schemas/"
	objectMetaSchema = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
	definitionSchema = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition"
	kindExtension    = "x-kubernetes-group-version-kind"
)

// definitions returns the schemas of CustomResourceDefinition and of the types that it contains, such as ObjectMeta.
var definitions = sync.OnceValue(func() map[string]*spec.Schema {
	result := map[string]*spec.Schema{}
	reference := func(name string) spec.Ref { return spec.MustCreateRef(schemaPrefix + name) }
	for name, definition := range openapi.GetOpenAPIDefinitions(reference) {
		result[name] = &definition.Schema
	}
	return result
})

// metaDefinitions returns the schemas of ObjectMeta and of the types that it contains.
func metaDefinitions() map[string]*spec.Schema {
	result := maps.Clone(definitions())
	maps.DeleteFunc(result, func(name string, _ *spec.Schema) bool {
		return !strings.HasPrefix(name, "io.k8s.apimachinery.pkg.apis.meta.v1.")
	})
	return result
}

// definitionConverter returns the converter for CustomResourceDefinitions.
var definitionConverter = sync.OnceValues(func() (managedfields.TypeConverter, error) {
	models := maps.Clone(definitions())
	model := *models[definitionSchema]
	model.Extensions = spec.Extensions{}
	withKind(&model, apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	models[definitionSchema] = &model
	return managedfields.NewTypeConverter(models, false)
})

// customConverter builds the converter for all versions of a custom kind at the first write.
type customConverter struct {
	schemas   []*customSchema
	converter managedfields.TypeConverter
}

func (c *customConverter) get() (managedfields.TypeConverter, error) {
	if c.converter != nil {
		return c.converter, nil
	}
	models := metaDefinitions()
	preserve := false
	for _, one := range c.schemas {
		models[modelName(one.kind)] = one.model()
		preserve = preserve || one.preserve
	}
	var err error
	if c.converter, err = managedfields.NewTypeConverter(models, preserve); err != nil {
		return nil, fmt.Errorf("reading the schema of %s: %w", c.schemas[0].kind.GroupKind(), err)
	}
	return c.converter, nil
}

// model returns the schema of the custom kind for server-side apply.
func (s *customSchema) model() *spec.Schema {
	if s.structural == nil {
		return withKind(&spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}}}, s.kind)
	}
	model := s.structural.ToKubeOpenAPI()
	embedResources(model)
	addTypeAndMeta(model)
	return withKind(model, s.kind)
}

// embedResources adds apiVersion, kind and metadata to the embedded resources in a schema.
func embedResources(s *spec.Schema) {
	if s == nil {
		return
	}
	for name, property := range s.Properties {
		embedResources(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		embedResources(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		embedResources(s.AdditionalProperties.Schema)
	}
	if embedded, _ := s.Extensions.GetBool("x-kubernetes-embedded-resource"); embedded {
		addTypeAndMeta(s)
	}
}

func addTypeAndMeta(s *spec.Schema) {
	s.SetProperty("apiVersion", *spec.StringProperty())
	s.SetProperty("kind", *spec.StringProperty())
	s.SetProperty("metadata", *spec.RefSchema(schemaPrefix + objectMetaSchema))
}

func withKind(s *spec.Schema, kind schema.GroupVersionKind) *spec.Schema {
	s.AddExtension(kindExtension, []any{map[string]any{"group": kind.Group, "version": kind.Version, "kind": kind.Kind}})
	return s
}

func modelName(kind schema.GroupVersionKind) string {
	return strings.Join([]string{kind.Group, kind.Version, kind.Kind}, ".")
}

// openConverter returns a converter for a kind whose schema is unknown. It merges status.conditions by their type, as all such kinds do,
// and deduces the rest from the objects: other lists are atomic.
func openConverter(kind schema.GroupVersionKind) (managedfields.TypeConverter, error) {
	open := func() *spec.Schema {
		object := &spec.Schema{SchemaProps: spec.SchemaProps{Type: spec.StringOrArray{"object"}}}
		object.AddExtension("x-kubernetes-preserve-unknown-fields", true)
		return object
	}
	condition := open()
	condition.SetProperty("type", *spec.StringProperty())
	conditions := spec.ArrayProperty(condition)
	conditions.AddExtension("x-kubernetes-list-type", "map")
	conditions.AddExtension("x-kubernetes-list-map-keys", []any{"type"})
	status, model := open(), open()
	status.SetProperty("conditions", *conditions)
	model.SetProperty("status", *status)
	addTypeAndMeta(model)
	models := metaDefinitions()
	models[modelName(kind)] = withKind(model, kind)
	return managedfields.NewTypeConverter(models, true)
}
