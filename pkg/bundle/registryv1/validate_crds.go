package registryv1

import "github.com/openshift/platform-operators/pkg/bundle"

// validateCRDs checks that CRDs have apiVersion apiextensions.k8s.io/v1, and a spec into which a conversion can be written.
func validateCRDs(b *Bundle) []string {
	var findings []string
	for _, o := range b.objects {
		findings = append(findings, bundle.CheckCRD(o)...)
	}
	return findings
}
