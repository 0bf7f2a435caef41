package rbac

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

const (
	// Namespace and Account are the manager's.
	Namespace, Account = "openshift-platform-operators", "platform-operators"
	// User is who the manager is to the API server.
	User = "system:serviceaccount:" + Namespace + ":" + Account
	// Aggregate on a ClusterRole adds its rules to what the manager has for the sake of bundles.
	Aggregate = "platform.openshift.io/aggregate-to-bundles"
	// BundlesRole is what all ClusterRoles with that label are added up to, and the binding of it.
	BundlesRole = "platform-operators-bundles"
)

// Right is one verb on one resource, and of one object where the rule names it.
type Right struct {
	// Role holds it, as "ClusterRole name" or "Role namespace/name".
	Role string
	// Namespace is where it holds; empty is everywhere.
	Namespace string
	// Resource has its group and subresource, as in "deployments.apps/scale".
	Resource string
	Verb     string
	// Name is the object's; empty is any.
	Name string
}

// String is how a right is told.
func (r Right) String() string {
	text := fmt.Sprintf("%s: %s %s", r.Role, r.Verb, r.Resource)
	if r.Name != "" {
		text += fmt.Sprintf(" %q", r.Name)
	}
	return text
}

// allows says that a right covers a request.
func (r Right) allows(request Request) bool {
	return r.Verb == request.Verb && r.Resource == request.Resource &&
		(r.Namespace == "" || r.Namespace == request.Namespace) && (r.Name == "" || r.Name == request.Name)
}

// within says that another right gives the same in more namespaces.
func (r Right) within(other Right) bool {
	return r.Namespace != "" && other.Namespace == "" && r.Resource == other.Resource && r.Verb == other.Verb && (other.Name == "" || other.Name == r.Name)
}

// Shipped are the roles in a manifests folder that are the manager's.
type Shipped struct {
	// Own are the rights that the manager has whatever is installed.
	Own []Right
	// ForBundles are the rules that bundles need, by the ClusterRole that ships them.
	ForBundles map[string][]rbacv1.PolicyRule
	// Borrowed are rights by roles that Kubernetes ships, which are not ours to make exact: each role has to be of some use.
	Borrowed []Right
	// Rules are all of all roles, by role as in Right.Role.
	Rules map[string][]rbacv1.PolicyRule
}

// lent are the roles that Kubernetes ships for whoever serves something that only some may ask for: its metrics.
var lent = map[string][]rbacv1.PolicyRule{
	"ClusterRole system:auth-delegator": {
		{APIGroups: []string{"authentication.k8s.io"}, Resources: []string{"tokenreviews"}, Verbs: []string{"create"}},
		{APIGroups: []string{"authorization.k8s.io"}, Resources: []string{"subjectaccessreviews"}, Verbs: []string{"create"}},
	},
	"Role kube-system/extension-apiserver-authentication-reader": {{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, ResourceNames: []string{"extension-apiserver-authentication"},
		Verbs: []string{"get", "list", "watch"},
	}},
}

// document is what any RBAC manifest may have.
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

// bound is the role that a binding gives, as document.role names it.
func (d document) bound() string {
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

// ReadShipped reads the roles, and who is bound to them, from a manifests folder.
func ReadShipped(folder string) (Shipped, error) {
	documents, err := readDocuments(folder)
	if err != nil {
		return Shipped{}, fmt.Errorf("reading the roles in %q: %w", folder, err)
	}
	shipped := Shipped{ForBundles: map[string][]rbacv1.PolicyRule{}, Rules: map[string][]rbacv1.PolicyRule{}}
	for _, each := range documents {
		if strings.HasSuffix(each.Kind, "Role") {
			shipped.Rules[each.role()] = each.Rules
		}
		if each.Metadata.Labels[Aggregate] == "true" {
			shipped.ForBundles[each.role()] = each.Rules
		}
	}
	for _, each := range documents {
		if !each.bindsManager() || each.RoleRef.Name == BundlesRole {
			continue
		}
		where := ""
		if each.Kind == "RoleBinding" {
			where = each.Metadata.Namespace
		}
		rules, ours := shipped.Rules[each.bound()]
		borrowed, known := lent[each.bound()]
		if !ours && !known {
			return Shipped{}, fmt.Errorf("reading the roles in %q: %s %q gives %s, whose rules are not known", folder, each.Kind, each.Metadata.Name, each.bound())
		}
		for _, rule := range rules {
			shipped.Own = append(shipped.Own, rightsOf(each.bound(), where, rule)...)
		}
		for _, rule := range borrowed {
			shipped.Borrowed = append(shipped.Borrowed, rightsOf(each.bound(), where, rule)...)
		}
	}
	if len(shipped.Own) == 0 {
		return Shipped{}, fmt.Errorf("reading the roles in %q: nothing is bound to ServiceAccount %s/%s", folder, Namespace, Account)
	}
	return shipped, nil
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

// rightsOf takes a rule apart. A wildcard stays one, and no request is covered by it: roles must not have any.
func rightsOf(role, namespace string, rule rbacv1.PolicyRule) []Right {
	names := rule.ResourceNames
	if len(names) == 0 {
		names = []string{""}
	}
	var rights []Right
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				for _, name := range names {
					rights = append(rights, Right{Role: role, Namespace: namespace, Resource: resourceIn(group, resource), Verb: verb, Name: name})
				}
			}
		}
	}
	return rights
}

// resourceIn puts the group between resource and subresource.
func resourceIn(group, resource string) string {
	if group == "" {
		return resource
	}
	resource, sub, is := strings.Cut(resource, "/")
	if is {
		return resource + "." + group + "/" + sub
	}
	return resource + "." + group
}
