package crdsafety

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
)

// maxServed is the maximum number of served versions that are compared with one another. The number of pairs grows with its square.
const maxServed = 16

// servedVersions compares each served version of the new definition with all later ones, because without a webhook the API server only
// changes the apiVersion of an object that it returns in another version. A webhook may convert in any way, so that the schemas may differ.
// Findings that the old definition has, too, are no findings of this upgrade, unless a webhook converted its objects.
func (c *comparison) servedVersions(before, after *apiextensionsv1.CustomResourceDefinition) {
	if hasWebhook(after) {
		return
	}
	served := servedBy(after)
	if len(served) > maxServed {
		c.add(RuleUnhandled, "spec.versions", fmt.Sprintf("%d versions are served; the manager compares at most %d with one another", len(served), maxServed))
		return
	}
	for i, from := range served {
		for _, to := range served[i+1:] {
			pair := &schemaPair{old: from.Schema.OpenAPIV3Schema, updated: to.Schema.OpenAPIV3Schema, versions: from.Name + " -> " + to.Name}
			knownFrom, knownTo := versionNamed(before, from.Name), versionNamed(before, to.Name)
			if !hasWebhook(before) && knownFrom != nil && knownTo != nil && knownFrom.Served && knownTo.Served {
				pair.known = &schemaPair{old: knownFrom.Schema.OpenAPIV3Schema, updated: knownTo.Schema.OpenAPIV3Schema}
			}
			c.schemas(pair, nil)
		}
	}
}

// servedBy returns the served versions of a definition, the least stable one first.
func servedBy(definition *apiextensionsv1.CustomResourceDefinition) []apiextensionsv1.CustomResourceDefinitionVersion {
	var served []apiextensionsv1.CustomResourceDefinitionVersion
	for _, each := range definition.Spec.Versions {
		if each.Served {
			served = append(served, each)
		}
	}
	slices.SortStableFunc(served, func(a, b apiextensionsv1.CustomResourceDefinitionVersion) int {
		return version.CompareKubeAwareVersionStrings(a.Name, b.Name)
	})
	return served
}
