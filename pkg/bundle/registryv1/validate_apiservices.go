package registryv1

import "fmt"

// validateAPIServices refuses aggregated API servers, which registry+v1 can describe but OLM v1 does not install either.
func validateAPIServices(b *Bundle) []string {
	definitions := b.csv.Spec.APIServiceDefinitions
	var findings []string
	for _, d := range definitions.Owned {
		findings = append(findings, fmt.Sprintf("%s owns APIService %q; APIService definitions are not installed", b.csvFile, d.GetName()))
	}
	for _, d := range definitions.Required {
		findings = append(findings, fmt.Sprintf("%s requires APIService %q; APIService definitions are not resolved", b.csvFile, d.GetName()))
	}
	return findings
}
