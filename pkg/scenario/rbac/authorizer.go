package rbac

import (
	"context"
	"errors"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	rbacinformers "k8s.io/client-go/informers/rbac/v1"
	rbaclisters "k8s.io/client-go/listers/rbac/v1"
)

// Authorizer authorizes requests according to the roles and bindings in informers' caches. As in a real cluster, a binding takes effect
// shortly after it is created.
type Authorizer struct {
	roles               rbaclisters.RoleLister
	roleBindings        rbaclisters.RoleBindingLister
	clusterRoles        rbaclisters.ClusterRoleLister
	clusterRoleBindings rbaclisters.ClusterRoleBindingLister
}

var (
	_ authorizer.Authorizer   = &Authorizer{}
	_ authorizer.RuleResolver = &Authorizer{}
)

// New returns an authorizer that reads from the informers. The caller must start them.
func New(informers rbacinformers.Interface) *Authorizer {
	return &Authorizer{
		roles: informers.Roles().Lister(), roleBindings: informers.RoleBindings().Lister(),
		clusterRoles: informers.ClusterRoles().Lister(), clusterRoleBindings: informers.ClusterRoleBindings().Lister(),
	}
}

// Authorize implements authorizer.Authorizer. Its decision is allow or no opinion, never deny.
func (a *Authorizer) Authorize(_ context.Context, request authorizer.Attributes) (authorizer.Decision, string, error) {
	var reason string
	err := a.visit(request.GetUser(), request.GetNamespace(), func(source string, rule rbacv1.PolicyRule) bool {
		if !Allows(rule, request) {
			return true
		}
		reason = fmt.Sprintf("RBAC: allowed by %s", source)
		return false
	})
	if reason != "" {
		return authorizer.DecisionAllow, reason, nil
	}
	if err != nil {
		reason = fmt.Sprintf("RBAC: %v", err)
	}
	return authorizer.DecisionNoOpinion, reason, nil
}

// RulesFor implements authorizer.RuleResolver.
func (a *Authorizer) RulesFor(_ context.Context, who user.Info, namespace string) (resources []authorizer.ResourceRuleInfo, paths []authorizer.NonResourceRuleInfo, incomplete bool, err error) {
	rules, err := a.Rules(who, namespace)
	for _, rule := range rules {
		if len(rule.Resources) > 0 {
			resources = append(resources, &authorizer.DefaultResourceRuleInfo{
				Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources, ResourceNames: rule.ResourceNames,
			})
		}
		if len(rule.NonResourceURLs) > 0 {
			paths = append(paths, &authorizer.DefaultNonResourceRuleInfo{Verbs: rule.Verbs, NonResourceURLs: rule.NonResourceURLs})
		}
	}
	return resources, paths, err != nil, err
}

// Rules returns all rules that apply to a user in a namespace. For an empty namespace it returns the rules that apply cluster-wide. If it
// cannot read all rules, it returns an error together with the rules that it could read.
func (a *Authorizer) Rules(who user.Info, namespace string) ([]rbacv1.PolicyRule, error) {
	var rules []rbacv1.PolicyRule
	err := a.visit(who, namespace, func(_ string, rule rbacv1.PolicyRule) bool {
		rules = append(rules, rule)
		return true
	})
	return rules, err
}

// visit calls the function visit with each rule that applies to a user, until the function returns false. source describes the rule's
// binding. The method returns the errors that it finds in bindings, such as a reference to a role that does not exist.
func (a *Authorizer) visit(who user.Info, namespace string, visit func(source string, rule rbacv1.PolicyRule) bool) error {
	var errs []error
	visitAll := func(source string, rules []rbacv1.PolicyRule, err error) bool {
		if err != nil {
			errs = append(errs, err)
			return true
		}
		for _, rule := range rules {
			if !visit(source, rule) {
				return false
			}
		}
		return true
	}
	bindings, err := a.clusterRoleBindings.List(labels.Everything())
	if err != nil {
		return err
	}
	for _, binding := range bindings {
		if !appliesTo(binding.Subjects, who, "") {
			continue
		}
		rules, err := a.RulesOf(binding.RoleRef, "")
		if !visitAll(fmt.Sprintf("ClusterRoleBinding %q of %s %q", binding.Name, binding.RoleRef.Kind, binding.RoleRef.Name), rules, err) {
			return errors.Join(errs...)
		}
	}
	if namespace == "" {
		return errors.Join(errs...)
	}
	roleBindings, err := a.roleBindings.RoleBindings(namespace).List(labels.Everything())
	if err != nil {
		return err
	}
	for _, binding := range roleBindings {
		if !appliesTo(binding.Subjects, who, namespace) {
			continue
		}
		rules, err := a.RulesOf(binding.RoleRef, namespace)
		if !visitAll(fmt.Sprintf("RoleBinding \"%s/%s\" of %s %q", binding.Namespace, binding.Name, binding.RoleRef.Kind, binding.RoleRef.Name), rules, err) {
			return errors.Join(errs...)
		}
	}
	return errors.Join(errs...)
}

// RulesOf returns the rules of the referenced ClusterRole, or of the referenced Role in the namespace. It returns an error if the role does
// not exist.
func (a *Authorizer) RulesOf(ref rbacv1.RoleRef, namespace string) ([]rbacv1.PolicyRule, error) {
	switch ref.Kind {
	case "Role":
		role, err := a.roles.Roles(namespace).Get(ref.Name)
		if err != nil {
			return nil, err
		}
		return role.Rules, nil
	case "ClusterRole":
		role, err := a.clusterRoles.Get(ref.Name)
		if err != nil {
			return nil, err
		}
		return role.Rules, nil
	}
	return nil, fmt.Errorf("a binding refers to a %q, which is not a kind of role", ref.Kind)
}
