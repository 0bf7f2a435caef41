package registryv1

import (
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

const rbacAPIVersion = "rbac.authorization.k8s.io/v1"

// namespaceReader is the rule that OLM v0 adds to permissions that it promotes to cluster scope, because an operator that watches all
// namespaces must be able to list namespaces.
var namespaceReader = rbacv1.PolicyRule{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{""}, Resources: []string{"namespaces"}}

// renderRBAC renders the roles and bindings of each ServiceAccount. Cluster permissions become a ClusterRole. Namespaced permissions become
// a Role in each watched namespace or, if the operator watches all namespaces, a part of the ClusterRole. As in OLM v0, the install
// namespace gets the Role even if it is not watched, for leases and the like. All roles of an account have one name, without the version,
// so that an upgrade changes them in place.
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
	if err := checkRoles(len(somewhere), len(namespaces)); err != nil {
		return nil, err
	}
	var objects []unstructured.Unstructured
	for _, account := range serviceAccounts(r.Bundle) {
		name := roleName(r.meta.Package, r.opts.InstallNamespace, account)
		subject := map[string]any{"kind": rbacv1.ServiceAccountKind, "namespace": r.opts.InstallNamespace, "name": account}
		if rules, ok := everywhere[account]; ok {
			objects = append(objects, newRole("ClusterRole", "", name, rules), newBinding("ClusterRole", "", name, subject))
		}
		if rules, ok := somewhere[account]; ok {
			for _, ns := range namespaces {
				objects = append(objects, newRole("Role", ns, name, rules), newBinding("Role", ns, name, subject))
			}
		}
	}
	return objects, nil
}

// checkRoles returns an error if a Role and a RoleBinding for each account in each namespace are more objects than a bundle may have. If
// there are several namespaces, the error is a *bundle.ConfigError, because the configuration can name fewer.
func checkRoles(accounts, namespaces int) error {
	objects := 2 * accounts * namespaces
	switch {
	case objects <= bundle.MaxObjects:
		return nil
	case namespaces > 1:
		return &bundle.ConfigError{Err: fmt.Errorf("%s: %d ServiceAccounts in %d namespaces require %d roles and bindings, "+
			"but a bundle may have at most %d objects; watch fewer namespaces",
			watchNamespacePath, accounts, namespaces, objects, bundle.MaxObjects)}
	}
	return fmt.Errorf("%d ServiceAccounts require %d roles and bindings, but a bundle may have at most %d objects; "+
		"remove ServiceAccounts from the install strategy", accounts, objects, bundle.MaxObjects)
}

func newRole(kind, namespace, name string, rules []any) unstructured.Unstructured {
	o := newObject(rbacAPIVersion, kind, namespace, name)
	o.Object["rules"] = rules
	return o
}

// newBinding returns a binding that has the same name as its role. subject receives the permissions.
func newBinding(roleKind, namespace, name string, subject map[string]any) unstructured.Unstructured {
	o := newObject(rbacAPIVersion, roleKind+"Binding", namespace, name)
	o.Object["roleRef"] = map[string]any{"apiGroup": rbacv1.GroupName, "kind": roleKind, "name": name}
	o.Object["subjects"] = []any{subject}
	return o
}

func ruleList(rules []rbacv1.PolicyRule) []any {
	list := make([]any, 0, len(rules))
	for _, r := range rules {
		m := make(map[string]any, 3)
		// The API requires verbs, even in a rule that grants nothing.
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
