package registryv1

import (
	"fmt"
	"slices"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// forbiddenGroups are the API groups that must not be in a webhook's rules, because a webhook that does not respond could block its own
// repair. "*" stands for all groups; the others are the APIs by which operators are installed: OLM v0, OLM v1, rukpak and platform
// operators.
var forbiddenGroups = map[string]bool{"*": true, "operators.coreos.com": true, "olm.operatorframework.io": true, "core.rukpak.io": true, "platform.openshift.io": true}

// forbiddenRegistrations are the resources of admissionregistration.k8s.io that must not be in a webhook's rules, because a webhook that
// does not respond could block the removal of its own configuration.
var forbiddenRegistrations = map[string]bool{
	"*": true, "mutatingwebhookconfigurations": true, "mutatingwebhookconfiguration": true, "validatingwebhookconfigurations": true, "validatingwebhookconfiguration": true,
}

// validateWebhookRules refuses admission webhooks whose rules contain an entry of forbiddenGroups or forbiddenRegistrations.
func validateWebhookRules(b *Bundle) []string {
	var findings []string
	for _, w := range b.csv.Spec.WebhookDefinitions {
		if w.Type == v1alpha1.ConversionWebhook {
			continue
		}
		for _, rule := range w.Rules {
			for _, group := range rule.APIGroups {
				if forbiddenGroups[group] {
					findings = append(findings, fmt.Sprintf("%s: %s %q has a rule for API group %q, "+
						"which webhooks of operators must not intercept; remove it from the rule", b.csvFile, w.Type, w.GenerateName, group))
				}
			}
			if !slices.Contains(rule.APIGroups, "admissionregistration.k8s.io") {
				continue
			}
			for _, resource := range rule.Resources {
				// The subresource "*" includes the resource itself.
				registration := strings.TrimSuffix(strings.ToLower(resource), "/*")
				if forbiddenRegistrations[registration] {
					findings = append(findings, fmt.Sprintf("%s: %s %q has a rule for resource %q of API group admissionregistration.k8s.io, "+
						"which webhooks of operators must not intercept; remove it from the rule", b.csvFile, w.Type, w.GenerateName, resource))
				}
			}
		}
	}
	slices.Sort(findings)
	return slices.Compact(findings)
}
