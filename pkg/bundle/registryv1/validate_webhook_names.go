package registryv1

import (
	"fmt"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateWebhookNames checks the names of webhooks. The API server requires at least three dot-separated parts in the names of admission
// webhooks.
func validateWebhookNames(b *Bundle) []string {
	var findings []string
	for i := range b.csv.Spec.WebhookDefinitions {
		w := &b.csv.Spec.WebhookDefinitions[i]
		problems := utilvalidation.IsDNS1123Subdomain(webhookName(w))
		if len(problems) == 0 && w.Type != v1alpha1.ConversionWebhook {
			for _, err := range utilvalidation.IsFullyQualifiedName(field.NewPath("name"), webhookName(w)) {
				problems = append(problems, err.Detail)
			}
		}
		if len(problems) > 0 {
			findings = append(findings, fmt.Sprintf("%s: %s name %q: %s", b.csvFile, w.Type, w.GenerateName, strings.Join(problems, ", ")))
		}
	}
	return findings
}
