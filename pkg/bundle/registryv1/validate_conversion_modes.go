package registryv1

import (
	"fmt"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// validateConversionModes checks that an operator with conversion webhooks supports only AllNamespaces: a CRD and its conversion apply to
// the whole cluster. OLM v0 and v1 require the same.
func validateConversionModes(b *Bundle) []string {
	if b.supportedModes() == string(v1alpha1.InstallModeTypeAllNamespaces) {
		return nil
	}
	var findings []string
	for _, w := range b.csv.Spec.WebhookDefinitions {
		if w.Type == v1alpha1.ConversionWebhook {
			findings = append(findings, fmt.Sprintf("%s: an operator with conversion webhook %q must support AllNamespaces "+
				"and no other install mode; supported modes: %s; correct spec.installModes", b.csvFile, w.GenerateName, b.supportedModes()))
		}
	}
	return findings
}
