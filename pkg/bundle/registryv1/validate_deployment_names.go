package registryv1

import (
	"fmt"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
)

// validateDeploymentNames checks the names of the strategy's deployments.
func validateDeploymentNames(b *Bundle) []string {
	var findings []string
	for _, d := range b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs {
		if problems := utilvalidation.IsDNS1123Subdomain(d.Name); len(problems) > 0 {
			findings = append(findings, fmt.Sprintf("%s: deployment name %q: %s", b.csvFile, d.Name, strings.Join(problems, ", ")))
		}
	}
	return findings
}
