package furniture

import "slices"

// refusedRules returns the CEL rules in upstream CRDs that Kubernetes' API server rejects, because their estimated cost exceeds its budget.
// OpenShift's API server estimates differently. Only these rules are removed, so that any new rejected rule causes an error.
func refusedRules() []string {
	return []string{
		// Infrastructure, spec.platformSpec.ibmcloud.serviceEndpoints[].url. A local cluster has no cloud provider.
		`matches((url(self).getEscapedPath()), '^/(api/)?v[0-9]+/{0,1}$')`,
	}
}

// withoutRefusedRules removes the refused rules from a schema in place and returns the number of removed rules.
func withoutRefusedRules(value any) int {
	removed := 0
	switch v := value.(type) {
	case map[string]any:
		for _, inner := range v {
			removed += withoutRefusedRules(inner)
		}
		if rules, ok := v["x-kubernetes-validations"].([]any); ok {
			kept := slices.DeleteFunc(rules, func(r any) bool {
				rule, _ := r.(map[string]any)
				text, _ := rule["rule"].(string)
				return slices.Contains(refusedRules(), text)
			})
			removed += len(rules) - len(kept)
			v["x-kubernetes-validations"] = kept
			if len(kept) == 0 {
				delete(v, "x-kubernetes-validations")
			}
		}
	case []any:
		for _, inner := range v {
			removed += withoutRefusedRules(inner)
		}
	}
	return removed
}
