package registryv1

import "fmt"

// validateWebhooks refuses admission and conversion webhooks: they need certificates, and an operator installed without its
// webhooks would run unguarded.
func validateWebhooks(b *Bundle) []string {
	if n := len(b.csv.Spec.WebhookDefinitions); n > 0 {
		return []string{fmt.Sprintf("bundle %s defines webhooks (%d), which platform-operators cannot install yet", b.csv.Name, n)}
	}
	return nil
}
