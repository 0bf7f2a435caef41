package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// MissingRoles returns the permissions that a ServiceAccount lacks as YAML that can be applied as it is: a Role for each namespace, a
// ClusterRole for the whole cluster, and their bindings. It is empty if no ServiceAccount lacks a permission. The names of the roles depend on
// the permissions, so that applying them does not replace roles with permissions that were granted before.
func MissingRoles(deployment, namespace string, missing []corev1alpha2.MissingPermission) (string, error) {
	byNamespace, account := map[string][]rbacv1.PolicyRule{}, ""
	for _, each := range missing {
		if each.ServiceAccountName == "" {
			continue // an admin grants the manager its permissions in another way
		}
		account = each.ServiceAccountName
		rule := rbacv1.PolicyRule{Verbs: each.Verbs, ResourceNames: each.ResourceNames, NonResourceURLs: each.NonResourceURLs}
		if each.Resource != "" {
			rule.APIGroups, rule.Resources = []string{each.Group}, []string{each.Resource}
		}
		byNamespace[each.Namespace] = append(byNamespace[each.Namespace], rule)
	}
	var text strings.Builder
	for _, in := range slices.Sorted(maps.Keys(byNamespace)) {
		rules := merged(byNamespace[in])
		name, err := roleName(deployment, rules)
		if err != nil {
			return "", err
		}
		subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: account}
		for _, each := range rolesFor(in, name, rules, subject) {
			encoded, err := yaml.Marshal(each)
			if err != nil {
				return "", fmt.Errorf("encoding the permissions that ServiceAccount %s/%s lacks: %w", namespace, account, err)
			}
			text.WriteString("---\n" + strings.Replace(string(encoded), "  creationTimestamp: null\n", "", 1))
		}
	}
	return text.String(), nil
}

// rolesFor returns a role and its binding for a namespace, or for the whole cluster if the namespace is empty.
func rolesFor(namespace, name string, rules []rbacv1.PolicyRule, subject rbacv1.Subject) []any {
	kind := func(kind string) metav1.TypeMeta {
		return metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: kind}
	}
	meta := metav1.ObjectMeta{Name: name, Namespace: namespace}
	if namespace == "" {
		return []any{
			rbacv1.ClusterRole{TypeMeta: kind("ClusterRole"), ObjectMeta: meta, Rules: rules},
			rbacv1.ClusterRoleBinding{TypeMeta: kind("ClusterRoleBinding"), ObjectMeta: meta, Subjects: []rbacv1.Subject{subject},
				RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name}},
		}
	}
	return []any{
		rbacv1.Role{TypeMeta: kind("Role"), ObjectMeta: meta, Rules: rules},
		rbacv1.RoleBinding{TypeMeta: kind("RoleBinding"), ObjectMeta: meta, Subjects: []rbacv1.Subject{subject},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name}},
	}
}

// merged returns rules in which the resources of one API group with equal verbs and names are in one rule, sorted.
func merged(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	at, result := map[string]int{}, []rbacv1.PolicyRule(nil)
	for _, each := range rules {
		key := fmt.Sprintf("%q %q %q %t", each.APIGroups, each.Verbs, each.ResourceNames, len(each.NonResourceURLs) > 0)
		if i, exists := at[key]; exists {
			result[i].Resources = append(result[i].Resources, each.Resources...)
			result[i].NonResourceURLs = append(result[i].NonResourceURLs, each.NonResourceURLs...)
			continue
		}
		at[key] = len(result)
		each.Resources, each.NonResourceURLs = slices.Clone(each.Resources), slices.Clone(each.NonResourceURLs)
		result = append(result, each)
	}
	for _, each := range result {
		slices.Sort(each.Resources)
		slices.Sort(each.NonResourceURLs)
	}
	slices.SortStableFunc(result, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(slices.Compare(a.APIGroups, b.APIGroups), slices.Compare(a.Resources, b.Resources), slices.Compare(a.ResourceNames, b.ResourceNames),
			slices.Compare(a.NonResourceURLs, b.NonResourceURLs), slices.Compare(a.Verbs, b.Verbs))
	})
	return result
}

// roleName returns the name of a role with these rules.
func roleName(deployment string, rules []rbacv1.PolicyRule) (string, error) {
	encoded, err := json.Marshal(rules)
	if err != nil {
		return "", fmt.Errorf("encoding the permissions for BundleDeployment %q: %w", deployment, err)
	}
	sum := sha256.Sum256(encoded)
	return "bundledeployment:" + deployment + ":" + hex.EncodeToString(sum[:4]), nil
}
