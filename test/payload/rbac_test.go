package payload

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

const (
	managerRole = "platform-operators-manager"
	bundlesRole = "platform-operators-bundles"

	aggregateLabel = "platform.openshift.io/aggregate-to-bundles"
)

var rbacRules = []rule{
	{"no rule has a wildcard", noWildcards},
	{"no rule permits privilege escalation, with documented exceptions", noEscalation},
	{"the manager's role and the role for bundles do not overlap", separateRoles},
	{"the role for bundles aggregates ClusterRoles by label", bundlesRoleAggregates},
	{"bindings refer to existing roles and to known accounts only", bindings},
}

// roles returns the rules of every role by name. The name of a Role includes its namespace.
func roles(p *payload) (map[string][]rbacv1.PolicyRule, []string) {
	all := map[string][]rbacv1.PolicyRule{}
	violations := allTyped(p, "ClusterRole", func(_ object, role rbacv1.ClusterRole) []string {
		all[role.Name] = role.Rules
		return nil
	})
	return all, append(violations, allTyped(p, "Role", func(_ object, role rbacv1.Role) []string {
		all[role.Namespace+"/"+role.Name] = role.Rules
		return nil
	})...)
}

func eachRule(p *payload, check func(role string, rule rbacv1.PolicyRule) []string) []string {
	all, violations := roles(p)
	for role, rules := range all {
		for _, rule := range rules {
			violations = append(violations, check(role, rule)...)
		}
	}
	return violations
}

func noWildcards(p *payload) []string {
	return eachRule(p, func(role string, rule rbacv1.PolicyRule) (violations []string) {
		for _, values := range [][]string{rule.Verbs, rule.APIGroups, rule.Resources, rule.NonResourceURLs} {
			for _, value := range values {
				expect(&violations, value != "*" && value != "*/*", "role %s: %v has a wildcard", role, rule)
			}
		}
		return violations
	})
}

func noEscalation(p *payload) []string {
	exceptions := map[string][]rbacv1.PolicyRule{
		bundlesRole + "-registryv1": {{APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles", "roles"}, Verbs: []string{"bind", "escalate"}}},
		managerRole: {
			{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, Verbs: []string{"impersonate"}},
			{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"userextras/" + corev1alpha2.ExtraDeployment}, Verbs: []string{"impersonate"}},
		},
	}
	return eachRule(p, func(role string, rule rbacv1.PolicyRule) (violations []string) {
		for _, verb := range []string{"escalate", "bind", "impersonate", "approve", "sign", "use"} {
			allowed := slices.ContainsFunc(exceptions[role], func(each rbacv1.PolicyRule) bool { return each.String() == rule.String() })
			expect(&violations, allowed || !slices.Contains(rule.Verbs, verb), "role %s: %v has verb %s", role, rule, verb)
		}
		for _, resource := range []string{"serviceaccounts/token", "certificatesigningrequests/approval"} {
			expect(&violations, !slices.Contains(rule.Resources, resource), "role %s: %v has resource %s", role, rule, resource)
		}
		// Bundles have webhooks; the manager has none.
		for _, resource := range []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations"} {
			expect(&violations, role == bundlesRole+"-registryv1" || !slices.Contains(rule.Resources, resource), "role %s: %v has resource %s", role, rule, resource)
		}
		return violations
	})
}

func separateRoles(p *payload) []string {
	all, violations := roles(p)
	expect(&violations, len(all[managerRole]) > 0, "there is no ClusterRole %s with rules", managerRole)
	for role, rules := range all {
		if role != bundlesRole+"-registryv1" {
			continue
		}
		for _, forBundles := range rules {
			for _, own := range all[managerRole] {
				for _, resource := range own.Resources {
					if !slices.Equal(own.APIGroups, forBundles.APIGroups) || !slices.Contains(forBundles.Resources, resource) {
						continue
					}
					for _, verb := range own.Verbs {
						expect(&violations, !slices.Contains(forBundles.Verbs, verb), "%s %s is in %s and in %s", verb, resource, managerRole, role)
					}
				}
			}
		}
	}
	return violations
}

func bundlesRoleAggregates(p *payload) []string {
	found := false
	violations := allTyped(p, "ClusterRole", func(o object, role rbacv1.ClusterRole) (violations []string) {
		switch role.Name {
		case bundlesRole:
			found = true
			expect(&violations, role.Rules == nil, "%s: has rules, which the aggregation controller would overwrite", o)
			expect(&violations, role.AggregationRule != nil && len(role.AggregationRule.ClusterRoleSelectors) == 1 &&
				role.AggregationRule.ClusterRoleSelectors[0].MatchLabels[aggregateLabel] == "true", "%s: does not aggregate by label %s", o, aggregateLabel)
		case managerRole:
			expect(&violations, role.Labels[aggregateLabel] == "" && role.AggregationRule == nil, "%s: is aggregated into the role for bundles or aggregates others", o)
		default:
			expect(&violations, role.Labels[aggregateLabel] == "true", "%s: is neither the manager's role nor one for bundles", o)
		}
		return violations
	})
	expect(&violations, found, "there is no ClusterRole %s", bundlesRole)
	return violations
}

func bindings(p *payload) []string {
	all, violations := roles(p)
	check := func(o object, ref rbacv1.RoleRef, subjects []rbacv1.Subject) (violations []string) {
		// Roles that Kubernetes ships.
		known := ref.Name == "system:auth-delegator" || ref.Name == "extension-apiserver-authentication-reader" && o.Obj.GetNamespace() == "kube-system"
		_, isShipped := all[ref.Name]
		if ref.Kind == "Role" {
			_, isShipped = all[o.Obj.GetNamespace()+"/"+ref.Name]
		}
		expect(&violations, known || isShipped, "%s: binds %s %q, which is not in the payload", o, ref.Kind, ref.Name)
		for _, subject := range subjects {
			ourAccount := subject.Name == account && subject.Namespace == namespace
			prometheus := subject.Name == "prometheus-k8s" && subject.Namespace == "openshift-monitoring" && o.Obj.GetName() == "prometheus-k8s"
			expect(&violations, subject.Kind == "ServiceAccount" && (ourAccount || prometheus), "%s: binds %s %s/%s", o, subject.Kind, subject.Namespace, subject.Name)
		}
		return violations
	}
	violations = append(violations, allTyped(p, "ClusterRoleBinding", func(o object, b rbacv1.ClusterRoleBinding) []string {
		return check(o, b.RoleRef, b.Subjects)
	})...)
	return append(violations, allTyped(p, "RoleBinding", func(o object, b rbacv1.RoleBinding) []string {
		return check(o, b.RoleRef, b.Subjects)
	})...)
}
