package registryv1

import (
	"fmt"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// validateConversionModes demands that an operator which converts objects supports AllNamespaces and nothing else: a CRD is the
// whole cluster's, and so is its conversion. OLM v0 and v1 demand the same.
func validateConversionModes(b *Bundle) []string {
	if b.supportedModes() == string(v1alpha1.InstallModeTypeAllNamespaces) {
		return nil
	}
	var findings []string
	for _, w := range b.csv.Spec.WebhookDefinitions {
		if w.Type == v1alpha1.ConversionWebhook {
			findings = append(findings, fmt.Sprintf("%s: an operator with conversion webhook %q must support AllNamespaces and no other install mode; supported modes: %s",
				b.csvFile, w.GenerateName, b.supportedModes()))
		}
	}
	return findings
}
