package applyconfiguration

import (
	"cmp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/mustgather"
)

// InferredDefinitions returns a definition with a schema that permits everything for each kind in an input that may be a custom kind. It is
// for inputs without CustomResourceDefinitions, such as a must-gather.
func InferredDefinitions(input *mustgather.Input) []*apiextensionsv1.CustomResourceDefinition {
	byResource := map[schema.GroupResource]*apiextensionsv1.CustomResourceDefinition{}
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, each := range input.Objects {
		resource := each.Resource.GroupResource()
		if !strings.Contains(resource.Group, ".") {
			continue // the core group, and groups such as apps
		}
		definition := byResource[resource]
		if definition == nil {
			definition = inferred(each)
			byResource[resource] = definition
			all = append(all, definition)
		}
		hasVersion := func(version apiextensionsv1.CustomResourceDefinitionVersion) bool {
			return version.Name == each.Resource.Version
		}
		if !slices.ContainsFunc(definition.Spec.Versions, hasVersion) {
			definition.Spec.Versions = append(definition.Spec.Versions, inferredVersion(each.Resource.Version, len(definition.Spec.Versions) == 0))
		}
	}
	slices.SortFunc(all, func(a, b *apiextensionsv1.CustomResourceDefinition) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// inferred returns a definition without versions of an object's kind.
func inferred(object mustgather.Object) *apiextensionsv1.CustomResourceDefinition {
	definition := &apiextensionsv1.CustomResourceDefinition{}
	definition.Name = object.Resource.GroupResource().String()
	definition.Spec.Group = object.Resource.Group
	definition.Spec.Scope = apiextensionsv1.ClusterScoped
	if object.GetNamespace() != "" {
		definition.Spec.Scope = apiextensionsv1.NamespaceScoped
	}
	definition.Spec.Names = apiextensionsv1.CustomResourceDefinitionNames{
		Plural: object.Resource.Resource, Singular: strings.ToLower(object.GetKind()), Kind: object.GetKind(), ListKind: object.GetKind() + "List",
	}
	return definition
}

func inferredVersion(name string, isStored bool) apiextensionsv1.CustomResourceDefinitionVersion {
	keepsEverything := true
	return apiextensionsv1.CustomResourceDefinitionVersion{
		Name: name, Served: true, Storage: isStored,
		Schema:       &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keepsEverything}},
		Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
	}
}
