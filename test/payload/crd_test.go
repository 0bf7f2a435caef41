package payload

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var crdRules = []rule{
	{"CRDs have a status subresource, a schema and one stored version", crdShape},
	// Promise HRD-C2: Every field of the project's types has a text in its CRD, in whole sentences, that begins with the field's name and
	// states its bounds, values and default. No CRD exceeds 262,144 bytes.
	{"HRD-C2 every field is described, with its bounds and its default", crdTexts},
	// Promise HRD-C3: Every string, list, map and integer in the CRDs is bounded but for listed ones, in embedded types too.
	{"HRD-C3 every string, list, map and integer is bounded", crdBounds},
	{"HRD-S6 no list in a spec that limits something can be empty", crdMinima},
}

// kindsWithoutStatus are the resource names of the CRDs that need no status subresource, as StorageClass needs none.
var kindsWithoutStatus = []string{"provisionerclasses"}

func crdShape(p *payload) []string {
	return allTyped(p, "CustomResourceDefinition", func(o object, crd apiextensionsv1.CustomResourceDefinition) (violations []string) {
		stored := 0
		for _, version := range crd.Spec.Versions {
			if version.Storage {
				stored++
			}
			expect(&violations, version.Schema != nil && version.Schema.OpenAPIV3Schema != nil, "%s: version %s has no schema", o, version.Name)
			if !slices.Contains(kindsWithoutStatus, crd.Spec.Names.Plural) {
				expect(&violations, version.Subresources != nil && version.Subresources.Status != nil, "%s: version %s has no status subresource", o, version.Name)
			}
		}
		expect(&violations, stored == 1, "%s: %d versions are stored, want 1", o, stored)
		expect(&violations, !crd.Spec.PreserveUnknownFields, "%s: unknown fields are preserved", o)
		return violations
	})
}

// equalWhenEmpty are the lists in specs for which an empty list is equal to an absent one, with the reason. Every other list
// limits something, and an empty one would exclude all while an absent one excludes nothing. A path that ends in "." includes
// all fields below it.
var equalWhenEmpty = map[string]string{
	"spec.install.config.deploymentConfig.":                "Kubernetes' own types, added to a Deployment",
	"spec.drift.ignore":                                    "no field is ignored",
	"spec.install.drift.ignore":                            "no field is ignored",
	"spec.catalogSelector.matchExpressions":                "no requirement, as in label selectors of Kubernetes",
	"spec.package.catalogSelector.matchExpressions":        "no requirement, as in label selectors of Kubernetes",
	"spec.allowedNamespaces.matchExpressions":              "no requirement, as in label selectors of Kubernetes",
	"spec.allowedNamespaces.matchExpressions.values":       "a CEL rule requires values for In and NotIn, and none otherwise",
	"spec.catalogSelector.matchExpressions.values":         "a CEL rule requires values for In and NotIn, and none otherwise",
	"spec.package.catalogSelector.matchExpressions.values": "the manager refuses a selector with In or NotIn and no values",
}

func crdMinima(p *payload) []string {
	used := map[string]bool{}
	withoutItems := strings.NewReplacer("[]", "", "{}", "")
	violations := eachNode(p, func(violations *[]string, crd object, n node) {
		if n.Type != "array" || !strings.HasPrefix(n.path, "spec.") {
			return
		}
		path := withoutItems.Replace(n.path)
		for exempt := range equalWhenEmpty {
			if path == exempt || strings.HasSuffix(exempt, ".") && strings.HasPrefix(path, exempt) {
				used[exempt] = true
				return
			}
		}
		expect(violations, n.MinItems != nil && *n.MinItems > 0, "%s: list %s can be empty, which differs from absent; set minItems, or add it to equalWhenEmpty with the reason", crd, path)
	})
	for exempt := range equalWhenEmpty {
		expect(&violations, used[exempt], "equalWhenEmpty has %s, which is in no schema", exempt)
	}
	return violations
}
