package registryv1

import "fmt"

// validateDeploymentDuplicates refuses duplicate deployments in the strategy.
func validateDeploymentDuplicates(b *Bundle) []string {
	var findings []string
	count := map[string]int{}
	for _, d := range b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs {
		if count[d.Name]++; count[d.Name] == 2 {
			findings = append(findings, fmt.Sprintf("%s: deployment %q is defined twice in the install strategy; remove one", b.csvFile, d.Name))
		}
	}
	return findings
}
