package crdsafety

import (
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/openshift/platform-operators/pkg/truncate"
)

// Change is a CustomResourceDefinition before and after an upgrade.
type Change struct {
	// Old is the live object, or that of the active revision. It is nil if there is none. Without status.storedVersions, the storage
	// version counts as the only stored one.
	Old *unstructured.Unstructured
	New *unstructured.Unstructured
}

// Name returns the name of the CustomResourceDefinition.
func (c Change) Name() string { return c.New.GetName() }

// parse returns both definitions, of which no schema is nil. The schemas are without documentation.
func (c Change) parse() (before, after *apiextensionsv1.CustomResourceDefinition, err error) {
	if before, err = parse(c.Old); err != nil {
		return nil, nil, fmt.Errorf("reading the current CustomResourceDefinition %s: %w", truncate.Quote(c.Old.GetName()), err)
	}
	if after, err = parse(c.New); err != nil {
		return nil, nil, fmt.Errorf("reading the new CustomResourceDefinition %s: %w", truncate.Quote(c.New.GetName()), err)
	}
	for i := range after.Spec.Versions {
		if each := &after.Spec.Versions[i]; each.Schema == nil || each.Schema.OpenAPIV3Schema == nil {
			return nil, nil, fmt.Errorf("reading the new CustomResourceDefinition %s: version %s has no schema; add schema.openAPIV3Schema to it",
				truncate.Quote(c.New.GetName()), truncate.Quote(each.Name))
		}
	}
	completeSchemas(before)
	for _, definition := range []*apiextensionsv1.CustomResourceDefinition{before, after} {
		for i := range definition.Spec.Versions {
			removeDocumentation(definition.Spec.Versions[i].Schema.OpenAPIV3Schema)
		}
	}
	return before, after, nil
}

var errNoVersions = errors.New("spec.versions is empty; add a version that is served and stored")

// parse converts an object. The result shares no memory with it.
func parse(object *unstructured.Unstructured) (*apiextensionsv1.CustomResourceDefinition, error) {
	if kind, version := object.GetKind(), object.GetAPIVersion(); kind != "CustomResourceDefinition" || version != apiextensionsv1.SchemeGroupVersion.String() {
		return nil, fmt.Errorf("it has kind %s and apiVersion %s; convert it to a CustomResourceDefinition of %s",
			truncate.Quote(kind), truncate.Quote(version), apiextensionsv1.SchemeGroupVersion)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	content := map[string]any{"spec": object.Object["spec"]}
	if status, hasStatus := object.Object["status"]; hasStatus && status != nil {
		stored, _, _ := unstructured.NestedFieldNoCopy(object.Object, "status", "storedVersions") // status is not for people to write
		content["status"] = map[string]any{"storedVersions": stored}
	}
	encoded, err := json.Marshal(content)
	if err == nil {
		err = json.Unmarshal(encoded, definition)
	}
	if err != nil {
		return nil, fmt.Errorf("%s; correct the manifest", truncate.OneLine(err.Error(), maxCause))
	}
	definition.Name = object.GetName()
	if len(definition.Spec.Versions) == 0 {
		return nil, errNoVersions
	}
	return definition, nil
}

// maxCause is the maximum size of the text of another library in an error, in bytes. The text may contain parts of the manifest.
const maxCause = 300

// completeSchemas gives each version a schema that permits what the version permits. Versions without a schema, and without pruning, date
// from apiextensions.k8s.io/v1beta1.
func completeSchemas(definition *apiextensionsv1.CustomResourceDefinition) {
	for i := range definition.Spec.Versions {
		each := &definition.Spec.Versions[i]
		if each.Schema == nil {
			each.Schema = &apiextensionsv1.CustomResourceValidation{}
		}
		if each.Schema.OpenAPIV3Schema == nil {
			each.Schema.OpenAPIV3Schema = &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: new(true)}
		}
		if definition.Spec.PreserveUnknownFields {
			each.Schema.OpenAPIV3Schema.XPreserveUnknownFields = new(true)
		}
	}
}

// versionNamed returns the version with this name, or nil.
func versionNamed(definition *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.CustomResourceDefinitionVersion {
	for i := range definition.Spec.Versions {
		if definition.Spec.Versions[i].Name == name {
			return &definition.Spec.Versions[i]
		}
	}
	return nil
}

// storageVersion returns the version that objects are written in, or nil.
func storageVersion(definition *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinitionVersion {
	for i := range definition.Spec.Versions {
		if definition.Spec.Versions[i].Storage {
			return &definition.Spec.Versions[i]
		}
	}
	return nil
}

// hasWebhook reports whether a webhook converts objects between the versions.
func hasWebhook(definition *apiextensionsv1.CustomResourceDefinition) bool {
	return definition.Spec.Conversion != nil && definition.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}
