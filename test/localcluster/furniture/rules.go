package furniture

import "slices"

// refusedRules are CEL rules of upstream CRDs that an unpatched API server does not accept, because it estimates their
// cost beyond its budget; OpenShift's own build of it has another estimate. Only these texts are taken out: any other
// rule a later version of openshift/api brings is refused loudly, and looked at by a person.
func refusedRules() []string {
	return []string{
		// Infrastructure, spec.platformSpec.ibmcloud.serviceEndpoints[].url: a local cluster has no cloud.
		`matches((url(self).getEscapedPath()), '^/(api/)?v[0-9]+/{0,1}$')`,
	}
}

// withoutRefusedRules takes the refused rules out of value, wherever in a schema they stand, and says how many it found.
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
