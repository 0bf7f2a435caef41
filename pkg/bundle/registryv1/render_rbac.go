package registryv1

import (
	"crypto/sha256"
	"math/big"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const rbacAPIVersion = "rbac.authorization.k8s.io/v1"

// namespaceReader is what OLM v0 adds to permissions that it promotes to cluster scope: who watches all namespaces must be
// able to list them.
var namespaceReader = rbacv1.PolicyRule{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{""}, Resources: []string{"namespaces"}}

// renderRBAC gives each ServiceAccount one ClusterRole with all it was granted. For an operator that watches all namespaces,
// namespaced permissions are promoted to cluster scope. One role an account, named without the version, means that an upgrade
// changes the role in place: the running version never loses a right because the next one's role has another name.
func renderRBAC(b *Bundle, opts Options) ([]unstructured.Unstructured, error) {
	strategy := b.csv.Spec.InstallStrategy.StrategySpec
	rules := map[string][]any{}
	for _, p := range strategy.Permissions {
		account := accountName(p.ServiceAccountName)
		rules[account] = append(rules[account], ruleList(p.Rules)...)
	}
	for account := range rules {
		rules[account] = append(rules[account], ruleList([]rbacv1.PolicyRule{namespaceReader})...)
	}
	for _, p := range strategy.ClusterPermissions {
		account := accountName(p.ServiceAccountName)
		rules[account] = append(rules[account], ruleList(p.Rules)...)
	}
	objects := make([]unstructured.Unstructured, 0, 2*len(rules))
	for _, account := range serviceAccounts(b) {
		granted, ok := rules[account]
		if !ok {
			continue
		}
		name := roleName(b.meta.Package, opts.InstallNamespace, account)
		objects = append(objects, clusterRole(name, granted), clusterRoleBinding(name, opts.InstallNamespace, account))
	}
	return objects, nil
}

func clusterRole(name string, rules []any) unstructured.Unstructured {
	role := object(rbacAPIVersion, "ClusterRole", "", name)
	role.Object["rules"] = rules
	return role
}

func clusterRoleBinding(name, namespace, account string) unstructured.Unstructured {
	binding := object(rbacAPIVersion, "ClusterRoleBinding", "", name)
	binding.Object["roleRef"] = map[string]any{"apiGroup": rbacv1.GroupName, "kind": "ClusterRole", "name": name}
	binding.Object["subjects"] = []any{
		map[string]any{"kind": rbacv1.ServiceAccountKind, "namespace": namespace, "name": account},
	}
	return binding
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

// maxNameLength keeps names usable as label values and in derived names.
const maxNameLength = 63

// roleName names the role of one account of one installed package. The hash tells apart what the readable part, cut to
// length, may not: package, namespace and account are hashed with separators that none of them can contain.
func roleName(pkg, namespace, account string) string {
	sum := sha256.Sum256([]byte(pkg + "\x00" + namespace + "\x00" + account))
	hash := new(big.Int).SetBytes(sum[:8]).Text(36)
	readable := pkg + "-" + account
	if limit := maxNameLength - 1 - len(hash); len(readable) > limit {
		readable = strings.TrimRight(readable[:limit], "-.")
	}
	return readable + "-" + hash
}
