package registryv1

import "github.com/openshift/platform-operators/pkg/bundle"

// validateMetadata checks the fields that manifests of all kinds have in common.
func validateMetadata(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
		findings = append(findings, bundle.CheckMetadata(o)...)
	}
	return findings
}
