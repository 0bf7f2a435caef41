package registryv1

import (
	"fmt"
	"slices"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// forbiddenGroups must not be in a webhook's rules: a webhook that does not answer could keep anybody from repairing it. "*" are
// all of them; the others are what operators are installed with: OLM v0, OLM v1, and we.
var forbiddenGroups = map[string]bool{"*": true, "operators.coreos.com": true, "olm.operatorframework.io": true, "core.rukpak.io": true, "platform.openshift.io": true}

// forbiddenRegistrations are the resources of admissionregistration.k8s.io that must not be in a webhook's rules: with those it
// could keep its own configuration from being removed.
var forbiddenRegistrations = map[string]bool{
	"*": true, "mutatingwebhookconfigurations": true, "mutatingwebhookconfiguration": true, "validatingwebhookconfigurations": true, "validatingwebhookconfiguration": true,
}

// validateWebhookRules refuses webhooks that could lock an administrator out.
func validateWebhookRules(b *Bundle) []string {
	var findings []string
	for _, w := range b.csv.Spec.WebhookDefinitions {
		if w.Type == v1alpha1.ConversionWebhook {
			continue
		}
		for _, rule := range w.Rules {
			for _, group := range rule.APIGroups {
				if forbiddenGroups[group] {
					findings = append(findings, fmt.Sprintf("%s: %s %q has a rule for API group %q, which webhooks of operators must not intercept", b.csvFile, w.Type, w.GenerateName, group))
				}
			}
			if !slices.Contains(rule.APIGroups, "admissionregistration.k8s.io") {
				continue
			}
			for _, resource := range rule.Resources {
				// A subresource of "*" is the resource itself, too.
				registration := strings.TrimSuffix(strings.ToLower(resource), "/*")
				if forbiddenRegistrations[registration] {
					findings = append(findings, fmt.Sprintf("%s: %s %q has a rule for resource %q of API group admissionregistration.k8s.io, which webhooks of operators must not intercept",
						b.csvFile, w.Type, w.GenerateName, resource))
				}
			}
		}
	}
	slices.Sort(findings)
	return slices.Compact(findings)
}
