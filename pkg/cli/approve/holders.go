package approve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/openshift/platform-operators/pkg/cli/cluster"
)

// holdersOf returns the users, groups and ServiceAccounts to whom ClusterRoleBindings grant a permission, each with its ClusterRole. Those of
// the system come last.
func holdersOf(roles []rbacv1.ClusterRole, bindings []rbacv1.ClusterRoleBinding, of cluster.Permission) []string {
	granting := map[string]bool{}
	for _, role := range roles {
		if slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool { return grants(rule, of) }) {
			granting[role.Name] = true
		}
	}
	var holders []string
	for _, binding := range bindings {
		if !granting[binding.RoleRef.Name] {
			continue
		}
		for _, subject := range binding.Subjects {
			name := subject.Name
			if subject.Namespace != "" {
				name = subject.Namespace + "/" + name
			}
			holders = append(holders, fmt.Sprintf("%s %s (ClusterRole %s)", subject.Kind, name, binding.RoleRef.Name))
		}
	}
	slices.SortFunc(holders, func(a, b string) int { return cmp.Or(cmp.Compare(ofSystem(a), ofSystem(b)), cmp.Compare(a, b)) })
	return slices.Compact(holders)
}

// ofSystem returns 1 for a holder that is part of the cluster, and 0 for any other one.
func ofSystem(holder string) int {
	_, name, _ := strings.Cut(holder, " ")
	for _, prefix := range []string{"system:", "kube-", "openshift-"} {
		if strings.HasPrefix(name, prefix) {
			return 1
		}
	}
	return 0
}

// grants reports whether a rule grants a permission.
func grants(rule rbacv1.PolicyRule, of cluster.Permission) bool {
	has := func(values []string, value string) bool {
		return slices.Contains(values, "*") || slices.Contains(values, value)
	}
	return has(rule.Verbs, of.Verb) && has(rule.APIGroups, of.Group) && has(rule.Resources, of.Resource) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, of.Name))
}
