package registryv1

import "github.com/openshift/platform-operators/pkg/bundle"

// validateMetadata checks what is the same for manifests of all kinds.
func validateMetadata(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
		findings = append(findings, bundle.CheckMetadata(o)...)
	}
	return findings
}
