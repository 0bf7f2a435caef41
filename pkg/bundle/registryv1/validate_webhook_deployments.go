package registryv1

import (
	"fmt"
	"slices"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// validateWebhookDeployments checks that each webhook is served by a deployment of the strategy.
func validateWebhookDeployments(b *Bundle) []string {
	var findings []string
	for _, w := range b.csv.Spec.WebhookDefinitions {
		served := slices.ContainsFunc(b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs,
			func(d v1alpha1.StrategyDeploymentSpec) bool { return d.Name == w.DeploymentName })
		if !served {
			findings = append(findings, fmt.Sprintf("%s: %s %q is served by deployment %q, which the install strategy does not have; "+
				"correct deploymentName, or add the deployment", b.csvFile, w.Type, w.GenerateName, w.DeploymentName))
		}
	}
	return findings
}
