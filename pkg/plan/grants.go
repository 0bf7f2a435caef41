package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Grant is a binding of a revision: a role and who has its permissions.
type Grant struct {
	// Role is the kind and name of the role, such as "ClusterRole memo-manager".
	Role string
	// Namespace is the namespace in which the permissions are granted; empty for the whole cluster.
	Namespace string
	// Subjects are the users, groups and ServiceAccounts, such as "ServiceAccount memo/controller".
	Subjects []string
	// Rules are the rules of the role; nil if the revision does not declare the role, or other roles are aggregated into it.
	Rules []rbacv1.PolicyRule
	// IsDeclared is true if the revision declares the role.
	IsDeclared bool
}

// IsUnlimited reports whether the binding grants all verbs on all resources: by its rules, or as ClusterRole cluster-admin.
func (g Grant) IsUnlimited() bool {
	if !g.IsDeclared {
		return g.Role == "ClusterRole cluster-admin"
	}
	return slices.ContainsFunc(g.Rules, func(rule rbacv1.PolicyRule) bool {
		return slices.Contains(rule.Verbs, rbacv1.VerbAll) && slices.Contains(rule.APIGroups, rbacv1.APIGroupAll) &&
			slices.Contains(rule.Resources, rbacv1.ResourceAll) && len(rule.ResourceNames) == 0
	})
}

// String returns a clause such as "grants ClusterRole memo-manager in the whole cluster to ServiceAccount memo/controller".
func (g Grant) String() string {
	where := "in the whole cluster"
	if g.Namespace != "" {
		where = "in namespace " + g.Namespace
	}
	return fmt.Sprintf("grants %s %s to %s", g.Role, where, strings.Join(g.Subjects, ", "))
}

// grantsOf returns the bindings among the objects, sorted by role and namespace. A binding that is not a valid object grants nothing: the
// API server refuses it.
func grantsOf(objects []Object) []Grant {
	rules, grants := map[string][]rbacv1.PolicyRule{}, []Grant(nil)
	for _, each := range objects {
		if each.Group != rbacv1.GroupName {
			continue
		}
		switch each.Kind {
		case "Role", "ClusterRole":
			var role rbacv1.ClusterRole // a Role has the same fields, without the aggregation rule
			if runtime.DefaultUnstructuredConverter.FromUnstructured(each.Content(), &role) == nil {
				rules[roleKey(each.Kind, each.Namespace, each.Name)] = role.Rules
			}
		case "RoleBinding", "ClusterRoleBinding":
			var binding rbacv1.RoleBinding
			if runtime.DefaultUnstructuredConverter.FromUnstructured(each.Content(), &binding) == nil {
				grants = append(grants, grantOf(binding, each.Namespace))
			}
		}
	}
	for i := range grants {
		namespace := grants[i].Namespace
		kind, name, _ := strings.Cut(grants[i].Role, " ")
		if kind == "ClusterRole" {
			namespace = ""
		}
		grants[i].Rules, grants[i].IsDeclared = rules[roleKey(kind, namespace, name)], hasKey(rules, roleKey(kind, namespace, name))
	}
	slices.SortStableFunc(grants, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Namespace, b.Namespace), slices.Compare(a.Subjects, b.Subjects))
	})
	return grants
}

func grantOf(binding rbacv1.RoleBinding, namespace string) Grant {
	grant := Grant{Role: binding.RoleRef.Kind + " " + binding.RoleRef.Name, Namespace: namespace}
	for _, each := range binding.Subjects {
		name := each.Name
		if each.Namespace != "" {
			name = each.Namespace + "/" + name
		}
		grant.Subjects = append(grant.Subjects, each.Kind+" "+name)
	}
	return grant
}

func roleKey(kind, namespace, name string) string { return kind + " " + namespace + "/" + name }

func hasKey(rules map[string][]rbacv1.PolicyRule, key string) bool {
	_, exists := rules[key]
	return exists
}
