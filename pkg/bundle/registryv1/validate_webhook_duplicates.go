package registryv1

import (
	"fmt"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// validateWebhookDuplicates refuses two webhooks of the same type and name. Webhooks of different types may share a name.
func validateWebhookDuplicates(b *Bundle) []string {
	type identity struct {
		kind v1alpha1.WebhookAdmissionType
		name string
	}
	var findings []string
	count := map[identity]int{}
	for i := range b.csv.Spec.WebhookDefinitions {
		w := &b.csv.Spec.WebhookDefinitions[i]
		id := identity{w.Type, webhookName(w)}
		if count[id]++; count[id] == 2 {
			findings = append(findings, fmt.Sprintf("%s: %s %q is defined twice; rename one", b.csvFile, w.Type, w.GenerateName))
		}
	}
	return findings
}
