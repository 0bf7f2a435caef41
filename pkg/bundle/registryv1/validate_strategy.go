package registryv1

import (
	"fmt"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
)

// validateStrategy checks the name of the ClusterServiceVersion's install strategy.
func validateStrategy(b *Bundle) []string {
	if got := b.csv.Spec.InstallStrategy.StrategyName; got != v1alpha1.InstallStrategyNameDeployment {
		return []string{fmt.Sprintf("%s: install strategy %q is not known; use %q", b.csvFile, got, v1alpha1.InstallStrategyNameDeployment)}
	}
	return nil
}
