package rbac

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

const (
	// Namespace and Account identify the manager's ServiceAccount.
	Namespace, Account = "openshift-platform-operators", "platform-operators"
	// User is the manager's user name in audit events.
	User = "system:serviceaccount:" + Namespace + ":" + Account
	// Aggregate is the label of ClusterRoles whose rules are aggregated into BundlesRole.
	Aggregate = "platform.openshift.io/aggregate-to-bundles"
	// NamespaceRole is the name of the ClusterRole of manifests-scoped/ that users bind to the manager in the namespaces into which it installs.
	NamespaceRole = "platform-operators-namespace"
	// BundlesRole is the name of the aggregated ClusterRole with the rules that bundles need, and of its ClusterRoleBinding.
	BundlesRole = "platform-operators-bundles"
)

// Right is the permission to use one verb on one resource; with Name, only on the object of that name.
type Right struct {
	// Role is the role that grants the right, as "ClusterRole name" or "Role namespace/name".
	Role string
	// Namespace is the namespace in which the right is granted; empty means all namespaces.
	Namespace string
	// Resource includes the group and the subresource, as in "deployments.apps/scale".
	Resource string
	Verb     string
	// Name is the name of the object; empty means any object.
	Name string
}

// String returns the role, the verb and the resource, with the object's name if the right has one.
func (r Right) String() string {
	text := fmt.Sprintf("%s: %s %s", r.Role, r.Verb, r.Resource)
	if r.Name != "" {
		text += fmt.Sprintf(" %q", r.Name)
	}
	return text
}

// allows reports whether the right covers a request.
func (r Right) allows(request Request) bool {
	return r.Verb == request.Verb && r.Resource == request.Resource &&
		(r.Namespace == "" || r.Namespace == request.Namespace) && (r.Name == "" || r.Name == request.Name)
}

// isCoveredBy reports whether the right is superfluous: it is for one namespace, and the other right grants the same in all namespaces.
func (r Right) isCoveredBy(other Right) bool {
	return r.Namespace != "" && other.Namespace == "" && r.Resource == other.Resource && r.Verb == other.Verb && (other.Name == "" || other.Name == r.Name)
}

// grantsAll reports whether the right grants everything that the other right does.
func (r Right) grantsAll(other Right) bool {
	return r.Namespace == "" && r.Name == "" && r.Resource == other.Resource && r.Verb == other.Verb
}

// ShippedRoles are the manager's roles in a manifests folder.
type ShippedRoles struct {
	// Own are the rights that the manager needs for itself, independent of the installed bundles.
	Own []Right
	// ForBundles are the rules that bundles need, keyed by Right.Role.
	ForBundles map[string][]rbacv1.PolicyRule
	// ForNamespaces are the rights of the ClusterRole NamespaceRole, which users bind to the manager in single namespaces.
	ForNamespaces []Right
	// FromKubernetes are the rights from roles that Kubernetes ships and that are bound to the manager. The manager must use at least one
	// right of each such role.
	FromKubernetes []Right
	// Rules are the rules of all shipped roles, keyed by Right.Role.
	Rules map[string][]rbacv1.PolicyRule
}

// kubernetesRoles are the rules of the roles that Kubernetes ships and that are bound to the manager, keyed by Right.Role. A server needs
// these roles to authorize clients of its metrics.
var kubernetesRoles = map[string][]rbacv1.PolicyRule{
	"ClusterRole system:auth-delegator": {
		{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}, Verbs: []string{"create"}},
		{APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}, Verbs: []string{"create"}},
	},
	"Role kube-system/extension-apiserver-authentication-reader": {{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"extension-apiserver-authentication"},
		Verbs: []string{"get", "list", "watch"},
	}},
}

// document holds the fields of a role or a binding.
type document struct {
	Kind     string `json:"kind"`
	Metadata struct {
		Name      string            `json:"name"`
		Namespace string            `json:"namespace"`
		Labels    map[string]string `json:"labels"`
	} `json:"metadata"`
	Rules           []rbacv1.PolicyRule     `json:"rules"`
	AggregationRule *rbacv1.AggregationRule `json:"aggregationRule"`
	RoleRef         rbacv1.RoleRef          `json:"roleRef"`
	Subjects        []rbacv1.Subject        `json:"subjects"`
}

func (d document) role() string {
	if d.Kind == "Role" {
		return "Role " + d.Metadata.Namespace + "/" + d.Metadata.Name
	}
	return "ClusterRole " + d.Metadata.Name
}

// roleRef returns the role that a binding refers to, as "ClusterRole name" or "Role namespace/name".
func (d document) roleRef() string {
	if d.RoleRef.Kind == "Role" {
		return "Role " + d.Metadata.Namespace + "/" + d.RoleRef.Name
	}
	return "ClusterRole " + d.RoleRef.Name
}

func (d document) bindsManager() bool {
	return strings.HasSuffix(d.Kind, "Binding") && slices.ContainsFunc(d.Subjects, func(each rbacv1.Subject) bool {
		return each.Kind == rbacv1.ServiceAccountKind && each.Namespace == Namespace && each.Name == Account
	})
}

// ReadShippedRoles reads the roles and bindings in a manifests folder. It returns an error if the manager is bound to no role, or to a
// role whose rules are unknown.
func ReadShippedRoles(folder string) (ShippedRoles, error) {
	documents, err := readDocuments(folder)
	if err != nil {
		return ShippedRoles{}, fmt.Errorf("reading the roles in %q: %w", folder, err)
	}
	shipped := ShippedRoles{ForBundles: map[string][]rbacv1.PolicyRule{}, Rules: map[string][]rbacv1.PolicyRule{}}
	for _, each := range documents {
		if strings.HasSuffix(each.Kind, "Role") {
			shipped.Rules[each.role()] = each.Rules
		}
		if each.Metadata.Labels[Aggregate] == "true" {
			shipped.ForBundles[each.role()] = each.Rules
		}
	}
	for _, rule := range shipped.Rules["ClusterRole "+NamespaceRole] {
		shipped.ForNamespaces = append(shipped.ForNamespaces, rightsFromRule("ClusterRole "+NamespaceRole, "", rule)...)
	}
	for _, each := range documents {
		if !each.bindsManager() || each.RoleRef.Name == BundlesRole {
			continue
		}
		namespace := ""
		if each.Kind == "RoleBinding" {
			namespace = each.Metadata.Namespace
		}
		rules, isShipped := shipped.Rules[each.roleRef()]
		fromKubernetes, isKnown := kubernetesRoles[each.roleRef()]
		if !isShipped && !isKnown {
			return ShippedRoles{}, fmt.Errorf("reading the roles in %q: %s %q refers to %s, whose rules are unknown", folder, each.Kind, each.Metadata.Name, each.roleRef())
		}
		for _, rule := range rules {
			shipped.Own = append(shipped.Own, rightsFromRule(each.roleRef(), namespace, rule)...)
		}
		for _, rule := range fromKubernetes {
			shipped.FromKubernetes = append(shipped.FromKubernetes, rightsFromRule(each.roleRef(), namespace, rule)...)
		}
	}
	if len(shipped.Own) == 0 {
		return ShippedRoles{}, fmt.Errorf("reading the roles in %q: no role is bound to ServiceAccount %s/%s", folder, Namespace, Account)
	}
	return shipped, nil
}

// isOwnRight reports whether a role of the manager for itself permits a request.
func (s ShippedRoles) isOwnRight(request Request) bool {
	return slices.ContainsFunc(slices.Concat(s.Own, s.FromKubernetes), func(each Right) bool { return each.allows(request) })
}

// bundleRights returns the rights of the roles for bundles, sorted by role.
func (s ShippedRoles) bundleRights() (rights []Right) {
	for _, role := range slices.Sorted(maps.Keys(s.ForBundles)) {
		for _, rule := range s.ForBundles[role] {
			rights = append(rights, rightsFromRule(role, "", rule)...)
		}
	}
	return rights
}

func readDocuments(folder string) ([]document, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var documents []document
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var read document
		if err := yaml.Unmarshal(content, &read); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		documents = append(documents, read)
	}
	return documents, nil
}

// rightsFromRule returns the rights that a rule grants. It does not expand wildcards, which therefore cover no request. The manager's roles
// must not have wildcards.
func rightsFromRule(role, namespace string, rule rbacv1.PolicyRule) []Right {
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	var rights []Right
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				for _, name := range names {
					rights = append(rights, Right{Role: role, Namespace: namespace, Resource: resourceName(group, resource), Verb: verb, Name: name})
				}
			}
		}
	}
	return rights
}

// resourceName returns a resource with its group before the subresource, as in Right.Resource.
func resourceName(group, resource string) string {
	if group == "" {
		return resource
	}
	resource, subresource, found := strings.Cut(resource, "/")
	if found {
		return resource + "." + group + "/" + subresource
	}
	return resource + "." + group
}
