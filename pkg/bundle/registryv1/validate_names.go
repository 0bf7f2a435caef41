package registryv1

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
)

// validateNames checks the names in the ClusterServiceVersion that no other validator checks: its own name, the suggested namespace and the
// names of ServiceAccounts.
func validateNames(b *Bundle) []string {
	var findings []string
	check := func(what, name string, problems []string) {
		if len(problems) > 0 {
			findings = append(findings, fmt.Sprintf("%s: %s %q: %s", b.csvFile, what, name, strings.Join(problems, ", ")))
		}
	}
	check("ClusterServiceVersion name", b.csv.Name, utilvalidation.IsDNS1123Subdomain(b.csv.Name))
	if ns := b.meta.SuggestedNamespace; ns != "" {
		check("annotation "+csvSuggestedNamespace, ns, utilvalidation.IsDNS1123Label(ns))
	}
	for _, name := range serviceAccounts(b) {
		check("ServiceAccount name", name, validation.ValidateServiceAccountName(name, false))
	}
	return findings
}
