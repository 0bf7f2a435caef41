package registryv1

import (
	"fmt"
	"slices"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// validateConversionDuplicates refuses two conversion webhooks for one CRD.
func validateConversionDuplicates(b *Bundle) []string {
	claims := map[string][]string{}
	for _, w := range b.csv.Spec.WebhookDefinitions {
		if w.Type != v1alpha1.ConversionWebhook {
			continue
		}
		for _, crd := range w.ConversionCRDs {
			claims[crd] = append(claims[crd], w.GenerateName)
		}
	}
	var findings []string
	for crd, webhooks := range claims {
		if len(webhooks) > 1 {
			slices.Sort(webhooks)
			findings = append(findings, fmt.Sprintf("%s: CustomResourceDefinition %q is converted by several webhooks (%s); "+
				"remove it from conversionCRDs of all but one", b.csvFile, crd, strings.Join(webhooks, ", ")))
		}
	}
	return findings
}
