package payload

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var crdRules = []rule{
	{"CRDs have a status subresource, a schema and one stored version", crdShape},
	{"every list and string of ours has a maximum", crdMaxima},
}

// withoutStatus are the kinds of which nothing is ever found out, as of a StorageClass.
var withoutStatus = []string{"provisionerclasses"}

func crdShape(p *payload) []string {
	return allTyped(p, "CustomResourceDefinition", func(o object, crd apiextensionsv1.CustomResourceDefinition) (faults []string) {
		stored := 0
		for _, version := range crd.Spec.Versions {
			if version.Storage {
				stored++
			}
			expect(&faults, version.Schema != nil && version.Schema.OpenAPIV3Schema != nil, "%s: version %s has no schema", o, version.Name)
			if !slices.Contains(withoutStatus, crd.Spec.Names.Plural) {
				expect(&faults, version.Subresources != nil && version.Subresources.Status != nil, "%s: version %s has no status subresource", o, version.Name)
			}
		}
		expect(&faults, stored == 1, "%s: %d versions are stored, want 1", o, stored)
		expect(&faults, !crd.Spec.PreserveUnknownFields, "%s: unknown fields are preserved", o)
		return faults
	})
}

// notOurs are the fields whose types other projects own, with the bounds that they chose.
var notOurs = []string{
	"apiVersion", "kind", "metadata",
	"spec.catalogSelector", "spec.package.catalogSelector",
	"spec.logLevel", "spec.operatorLogLevel", "spec.managementState", "spec.observedConfig", "spec.unsupportedConfigOverrides",
	"status.conditions", "status.generations", "status.version",
}

func crdMaxima(p *payload) []string {
	return allTyped(p, "CustomResourceDefinition", func(o object, crd apiextensionsv1.CustomResourceDefinition) (faults []string) {
		for _, version := range crd.Spec.Versions {
			if version.Schema != nil && version.Schema.OpenAPIV3Schema != nil {
				unbounded(*version.Schema.OpenAPIV3Schema, nil, func(path string) {
					faults = append(faults, o.String()+": "+path+" has no maximum")
				})
			}
		}
		return faults
	})
}

func unbounded(schema apiextensionsv1.JSONSchemaProps, path []string, report func(string)) {
	name := strings.Join(path, ".")
	if slices.Contains(notOurs, name) {
		return
	}
	switch {
	case schema.Type == "string" && schema.MaxLength == nil && len(schema.Enum) == 0 && schema.Format == "", // a format bounds it
		schema.Type == "array" && schema.MaxItems == nil,
		schema.AdditionalProperties != nil && schema.MaxProperties == nil:
		report(name)
	}
	for property, below := range schema.Properties {
		unbounded(below, append(slices.Clone(path), property), report)
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		unbounded(*schema.Items.Schema, append(slices.Clone(path), "items"), report)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		unbounded(*schema.AdditionalProperties.Schema, append(slices.Clone(path), "values"), report)
	}
}
