package payload

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
)

const (
	managerRole = "platform-operators-manager"
	bundlesRole = "platform-operators-bundles"

	aggregateLabel = "platform.openshift.io/aggregate-to-bundles"
)

var rbacRules = []rule{
	{"no rule has a wildcard", noWildcards},
	{"no rule lets anybody become more than they are, but for one documented exception", noEscalation},
	{"the manager's role and the one for what bundles need are apart", rolesApart},
	{"admins extend the role for what bundles need by label", bundlesRoleAggregates},
	{"bindings bind existing roles, never a default account or an admin", bindings},
}

// roles returns the rules of every role, by name. Roles of a namespace are named with it.
func roles(p *payload) (map[string][]rbacv1.PolicyRule, []string) {
	all := map[string][]rbacv1.PolicyRule{}
	faults := allTyped(p, "ClusterRole", func(_ object, role rbacv1.ClusterRole) []string {
		all[role.Name] = role.Rules
		return nil
	})
	return all, append(faults, allTyped(p, "Role", func(_ object, role rbacv1.Role) []string {
		all[role.Namespace+"/"+role.Name] = role.Rules
		return nil
	})...)
}

func eachRule(p *payload, check func(role string, rule rbacv1.PolicyRule) []string) []string {
	all, faults := roles(p)
	for role, rules := range all {
		for _, rule := range rules {
			faults = append(faults, check(role, rule)...)
		}
	}
	return faults
}

func noWildcards(p *payload) []string {
	return eachRule(p, func(role string, rule rbacv1.PolicyRule) (faults []string) {
		for _, values := range [][]string{rule.Verbs, rule.APIGroups, rule.Resources, rule.NonResourceURLs} {
			for _, value := range values {
				expect(&faults, value != "*" && value != "*/*", "role %s: %v has a wildcard", role, rule)
			}
		}
		return faults
	})
}

func noEscalation(p *payload) []string {
	exception := rbacv1.PolicyRule{
		APIGroups: []string{rbacv1.GroupName}, Resources: []string{"clusterroles", "roles"}, Verbs: []string{"bind", "escalate"},
	}
	return eachRule(p, func(role string, rule rbacv1.PolicyRule) (faults []string) {
		for _, verb := range []string{"escalate", "bind", "impersonate", "approve", "sign", "use"} {
			allowed := role == bundlesRole+"-registryv1" && rule.String() == exception.String()
			expect(&faults, allowed || !slices.Contains(rule.Verbs, verb), "role %s: %v has verb %s", role, rule, verb)
		}
		for _, resource := range []string{"serviceaccounts/token", "certificatesigningrequests/approval"} {
			expect(&faults, !slices.Contains(rule.Resources, resource), "role %s: %v has resource %s", role, rule, resource)
		}
		// Bundles have webhooks; the manager itself has none.
		for _, resource := range []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations"} {
			expect(&faults, role == bundlesRole+"-registryv1" || !slices.Contains(rule.Resources, resource), "role %s: %v has resource %s", role, rule, resource)
		}
		return faults
	})
}

func rolesApart(p *payload) []string {
	all, faults := roles(p)
	expect(&faults, len(all[managerRole]) > 0, "there is no ClusterRole %s with rules", managerRole)
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
						expect(&faults, !slices.Contains(forBundles.Verbs, verb), "%s %s is in %s and in %s", verb, resource, managerRole, role)
					}
				}
			}
		}
	}
	return faults
}

func bundlesRoleAggregates(p *payload) []string {
	found := false
	faults := allTyped(p, "ClusterRole", func(o object, role rbacv1.ClusterRole) (faults []string) {
		switch role.Name {
		case bundlesRole:
			found = true
			expect(&faults, role.Rules == nil, "%s: has rules of its own, which would be written over", o)
			expect(&faults, role.AggregationRule != nil && len(role.AggregationRule.ClusterRoleSelectors) == 1 &&
				role.AggregationRule.ClusterRoleSelectors[0].MatchLabels[aggregateLabel] == "true", "%s: does not aggregate by label %s", o, aggregateLabel)
		case managerRole:
			expect(&faults, role.Labels[aggregateLabel] == "" && role.AggregationRule == nil, "%s: is mixed with the role for bundles", o)
		default:
			expect(&faults, role.Labels[aggregateLabel] == "true", "%s: is neither the manager's role nor one for bundles", o)
		}
		return faults
	})
	expect(&faults, found, "there is no ClusterRole %s", bundlesRole)
	return faults
}

func bindings(p *payload) []string {
	all, faults := roles(p)
	check := func(o object, ref rbacv1.RoleRef, subjects []rbacv1.Subject) (faults []string) {
		// Roles that Kubernetes itself ships.
		known := ref.Name == "system:auth-delegator" || ref.Name == "extension-apiserver-authentication-reader" && o.Obj.GetNamespace() == "kube-system"
		_, ours := all[ref.Name]
		if ref.Kind == "Role" {
			_, ours = all[o.Obj.GetNamespace()+"/"+ref.Name]
		}
		expect(&faults, known || ours, "%s: binds %s %q, which is not in the payload", o, ref.Kind, ref.Name)
		for _, subject := range subjects {
			ourAccount := subject.Name == account && subject.Namespace == namespace
			prometheus := subject.Name == "prometheus-k8s" && subject.Namespace == "openshift-monitoring" && o.Obj.GetName() == "prometheus-k8s"
			expect(&faults, subject.Kind == "ServiceAccount" && (ourAccount || prometheus), "%s: binds %s %s/%s", o, subject.Kind, subject.Namespace, subject.Name)
		}
		return faults
	}
	faults = append(faults, allTyped(p, "ClusterRoleBinding", func(o object, b rbacv1.ClusterRoleBinding) []string {
		return check(o, b.RoleRef, b.Subjects)
	})...)
	return append(faults, allTyped(p, "RoleBinding", func(o object, b rbacv1.RoleBinding) []string {
		return check(o, b.RoleRef, b.Subjects)
	})...)
}
