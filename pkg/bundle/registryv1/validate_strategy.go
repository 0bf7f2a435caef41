package registryv1

import (
	"fmt"
	"strings"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/api/validation"
)

// validateStrategy checks the ClusterServiceVersion's install strategy: its kind, and its deployments' names.
func validateStrategy(b *Bundle) []string {
	if got := b.csv.Spec.InstallStrategy.StrategyName; got != v1alpha1.InstallStrategyNameDeployment {
		return []string{fmt.Sprintf("install strategy %q is not known; use %q", got, v1alpha1.InstallStrategyNameDeployment)}
	}
	var findings []string
	seen := map[string]bool{}
	for _, d := range b.csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs {
		if problems := validation.NameIsDNSSubdomain(d.Name, false); len(problems) > 0 {
			findings = append(findings, fmt.Sprintf("deployment name %q: %s", d.Name, strings.Join(problems, ", ")))
		}
		if seen[d.Name] {
			findings = append(findings, fmt.Sprintf("deployment %q is defined twice in the install strategy", d.Name))
		}
		seen[d.Name] = true
	}
	return findings
}
