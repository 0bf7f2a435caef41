// Package rbac is an RBAC authorizer: it authorizes requests according to a cluster's Roles, ClusterRoles and bindings, as kube-apiserver
// does.
package rbac

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Allows reports whether a rule allows a request.
func Allows(rule rbacv1.PolicyRule, request authorizer.Attributes) bool {
	if !matches(rule.Verbs, request.GetVerb()) {
		return false
	}
	if !request.IsResourceRequest() {
		return slices.ContainsFunc(rule.NonResourceURLs, func(pattern string) bool { return coversPath(pattern, request.GetPath()) })
	}
	return matches(rule.APIGroups, request.GetAPIGroup()) &&
		matchesResource(rule.Resources, request.GetResource(), request.GetSubresource()) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, request.GetName()))
}

func matches(allowed []string, asked string) bool {
	return slices.Contains(allowed, "*") || slices.Contains(allowed, asked)
}

// matchesResource reports whether a rule's resources include a resource or subresource. "*/scale" matches the subresource of every resource.
// "*" matches all resources and subresources.
func matchesResource(allowed []string, resource, subresource string) bool {
	if subresource == "" {
		return matches(allowed, resource)
	}
	return matches(allowed, resource+"/"+subresource) || slices.Contains(allowed, "*/"+subresource)
}

// coversPath reports whether a rule's pattern matches a path. A "*" at the end of the pattern matches any suffix.
func coversPath(pattern, path string) bool {
	prefix, isPrefix := strings.CutSuffix(pattern, "*")
	return pattern == path || isPrefix && strings.HasPrefix(path, prefix)
}

// appliesTo reports whether the subjects of a binding include the user. namespace is the namespace of a RoleBinding, or empty for a
// ClusterRoleBinding.
func appliesTo(subjects []rbacv1.Subject, who user.Info, namespace string) bool {
	return slices.ContainsFunc(subjects, func(subject rbacv1.Subject) bool {
		switch subject.Kind {
		case rbacv1.UserKind:
			return subject.Name == who.GetName()
		case rbacv1.GroupKind:
			return slices.Contains(who.GetGroups(), subject.Name)
		case rbacv1.ServiceAccountKind:
			subjectNamespace := subject.Namespace
			if subjectNamespace == "" {
				subjectNamespace = namespace
			}
			return subjectNamespace != "" && serviceaccount.MatchesUsername(subjectNamespace, subject.Name, who.GetName())
		}
		return false
	})
}
