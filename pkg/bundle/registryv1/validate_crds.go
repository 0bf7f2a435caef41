package registryv1

import "github.com/openshift/platform-operators/pkg/bundle"

// validateCRDs checks that CRDs are of the version that clusters serve, and have what a conversion is written into.
func validateCRDs(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
		findings = append(findings, bundle.CheckCRD(o)...)
	}
	return findings
}
