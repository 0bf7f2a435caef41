package registryv1

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

const rbacAPIVersion = "rbac.authorization.k8s.io/v1"

// namespaceReader is what OLM v0 adds to permissions that it promotes to cluster scope: who watches all namespaces must be
// able to list them.
var namespaceReader = rbacv1.PolicyRule{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{""}, Resources: []string{"namespaces"}}

// renderRBAC gives each ServiceAccount what it was granted, in one role for each place: one ClusterRole, and for an operator that
// watches some namespaces also a Role in each of them. As OLM v0 does, the install namespace has the Role too, even when it is not
// watched: leases and the like are kept there. For an operator that watches all namespaces, namespaced permissions are promoted
// to cluster scope. One role an account, named without the version, means that an upgrade changes the role in place.
func renderRBAC(r *rendering) ([]unstructured.Unstructured, error) {
	strategy := r.csv.Spec.InstallStrategy.StrategySpec
	everywhere, somewhere := map[string][]any{}, map[string][]any{}
	all := watchesAll(r.targets)
	for _, p := range strategy.Permissions {
		account := accountName(p.ServiceAccountName)
		somewhere[account] = append(somewhere[account], ruleList(p.Rules)...)
	}
	if all {
		everywhere, somewhere = somewhere, nil
		for account := range everywhere {
			everywhere[account] = append(everywhere[account], ruleList([]rbacv1.PolicyRule{namespaceReader})...)
		}
	}
	for _, p := range strategy.ClusterPermissions {
		account := accountName(p.ServiceAccountName)
		everywhere[account] = append(everywhere[account], ruleList(p.Rules)...)
	}
	namespaces := slices.Compact(slices.Sorted(slices.Values(append([]string{r.opts.InstallNamespace}, r.targets...))))
	if !all && 2*len(somewhere)*len(namespaces) > bundle.MaxObjects {
		return nil, fmt.Errorf("%d ServiceAccounts in %d namespaces need more than the %d objects that a bundle may have; watch fewer namespaces",
			len(somewhere), len(namespaces), bundle.MaxObjects)
	}
	var objects []unstructured.Unstructured
	for _, account := range serviceAccounts(r.Bundle) {
		name := roleName(r.meta.Package, r.opts.InstallNamespace, account)
		subject := map[string]any{"kind": rbacv1.ServiceAccountKind, "namespace": r.opts.InstallNamespace, "name": account}
		if rules, ok := everywhere[account]; ok {
			objects = append(objects, role("ClusterRole", "", name, rules), binding("ClusterRole", "", name, subject))
		}
		if rules, ok := somewhere[account]; ok {
			for _, ns := range namespaces {
				objects = append(objects, role("Role", ns, name, rules), binding("Role", ns, name, subject))
			}
		}
	}
	return objects, nil
}

func role(kind, namespace, name string, rules []any) unstructured.Unstructured {
	o := object(rbacAPIVersion, kind, namespace, name)
	o.Object["rules"] = rules
	return o
}

// binding binds the role of its name and kind.
func binding(roleKind, namespace, name string, subject map[string]any) unstructured.Unstructured {
	o := object(rbacAPIVersion, roleKind+"Binding", namespace, name)
	o.Object["roleRef"] = map[string]any{"apiGroup": rbacv1.GroupName, "kind": roleKind, "name": name}
	o.Object["subjects"] = []any{subject}
	return o
}

func ruleList(rules []rbacv1.PolicyRule) []any {
	list := make([]any, 0, len(rules))
	for _, r := range rules {
		m := make(map[string]any, 3)
		// The API demands verbs, also of a rule that grants nothing.
		m["verbs"] = texts(r.Verbs)
		for field, values := range map[string][]string{
			"apiGroups": r.APIGroups, "resources": r.Resources, "resourceNames": r.ResourceNames, "nonResourceURLs": r.NonResourceURLs,
		} {
			if len(values) > 0 {
				m[field] = texts(values)
			}
		}
		list = append(list, m)
	}
	return list
}

func texts(values []string) []any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return list
}
