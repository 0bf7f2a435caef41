package registryv1

import "fmt"

// validateAPIServices refuses bundles with aggregated API servers. The format can describe them, but neither this manager nor OLM v1
// installs them.
func validateAPIServices(b *Bundle) []string {
	const remedy = "aggregated APIs (APIServices) are not supported; remove it from spec.apiservicedefinitions"
	definitions := b.csv.Spec.APIServiceDefinitions
	var findings []string
	for _, d := range definitions.Owned {
		findings = append(findings, fmt.Sprintf("%s owns APIService %q; %s.owned", b.csvFile, d.GetName(), remedy))
	}
	for _, d := range definitions.Required {
		findings = append(findings, fmt.Sprintf("%s requires APIService %q; %s.required", b.csvFile, d.GetName(), remedy))
	}
	return findings
}
