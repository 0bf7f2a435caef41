package registryv1

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// validateOwnedCRDs checks that the bundle contains every CRD that the ClusterServiceVersion owns, in the owned version.
func validateOwnedCRDs(b *Bundle) []string {
	versions := map[string]map[string]bool{}
	for _, o := range b.objects {
		if bundle.IsCRD(o) {
			versions[o.GetName()] = crdVersions(o)
		}
	}
	var findings []string
	for _, owned := range b.csv.Spec.CustomResourceDefinitions.Owned {
		switch found, ok := versions[owned.Name]; {
		case !ok:
			findings = append(findings, fmt.Sprintf("%s owns CustomResourceDefinition %q, which no manifest defines; add it", b.csvFile, owned.Name))
		case owned.Version != "" && len(found) > 0 && !found[owned.Version]:
			findings = append(findings, fmt.Sprintf("%s owns version %q of CustomResourceDefinition %q, which does not have this version; "+
				"correct the version, or add it to the CustomResourceDefinition", b.csvFile, owned.Version, owned.Name))
		}
	}
	return findings
}

// crdVersions returns the names of a CRD's versions; empty for an invalid CRD, which the API server rejects.
func crdVersions(o bundle.Object) map[string]bool {
	names := map[string]bool{}
	list, _, _ := unstructured.NestedFieldNoCopy(o.Object, "spec", "versions")
	items, _ := list.([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			if name, ok := m["name"].(string); ok {
				names[name] = true
			}
		}
	}
	return names
}
