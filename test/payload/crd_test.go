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

// emptyIsAbsent are the lists in specs whose empty value means what their absence means, and why that harms nobody. Every other list
// limits something, and an empty one would limit it to nothing where absence means everything. An entry ending in "." is for all below.
var emptyIsAbsent = map[string]string{
	"spec.install.config.deploymentConfig.":                "Kubernetes' own types, added to a Deployment",
	"spec.drift.ignore":                                    "no field is ignored, and every one is repaired",
	"spec.install.drift.ignore":                            "no field is ignored, and every one is repaired",
	"spec.catalogSelector.matchExpressions":                "no requirement, as Kubernetes has it of label selectors; spec.catalogSelector itself limits by what it has",
	"spec.package.catalogSelector.matchExpressions":        "no requirement, as Kubernetes has it of label selectors",
	"spec.catalogSelector.matchExpressions.values":         "not empty where it limits (In, NotIn), empty where not, by a rule of the schema",
	"spec.package.catalogSelector.matchExpressions.values": "the manager refuses a selector with In or NotIn and no values",
}

func crdMinima(p *payload) []string {
	used := map[string]bool{}
	withoutItems := strings.NewReplacer("[]", "", "{}", "")
	faults := eachNode(p, func(faults *[]string, crd object, n node) {
		if n.Type != "array" || !strings.HasPrefix(n.path, "spec.") {
			return
		}
		path := withoutItems.Replace(n.path)
		for exempt := range emptyIsAbsent {
			if path == exempt || strings.HasSuffix(exempt, ".") && strings.HasPrefix(path, exempt) {
				used[exempt] = true
				return
			}
		}
		expect(faults, n.MinItems != nil && *n.MinItems > 0, "%s: list %s can be empty, which is not the same as absent; set a minimum, or say in emptyIsAbsent why it may be", crd, path)
	})
	for exempt := range emptyIsAbsent {
		expect(&faults, used[exempt], "emptyIsAbsent has %s, and no schema does", exempt)
	}
	return faults
}
