package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/component-helpers/auth/rbac/validation"
)

// Grants authorizes requests and returns the permissions of users. The registries of RBAC kinds use it to prevent privilege escalation.
type Grants interface {
	authorizer.Authorizer
	// Rules returns the rules that apply to a user in a namespace, or cluster-wide if namespace is empty. It may return an error together
	// with the rules that could be read.
	Rules(who user.Info, namespace string) ([]rbacv1.PolicyRule, error)
	// RulesOf returns the rules of the referenced ClusterRole, or of the referenced Role in the namespace.
	RulesOf(ref rbacv1.RoleRef, namespace string) ([]rbacv1.PolicyRule, error)
}

// grantREST is the registry of an RBAC kind. It refuses to let users grant permissions that they do not have. A user with the verb "escalate"
// on a role, or "bind" on the role that a binding refers to, may grant the permissions anyway.
type grantREST struct {
	resourceREST
	grants Grants
}

// Create implements rest.Creater.
func (r grantREST) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	if err := r.check(ctx, object, nil); err != nil {
		return nil, err
	}
	return r.resourceREST.Create(ctx, object, validate, options)
}

// Update implements rest.Updater.
//
//nolint:revive // rest.Updater has that many arguments
func (r grantREST) Update(ctx context.Context, name string, object rest.UpdatedObjectInfo, validateCreate rest.ValidateObjectFunc,
	validateUpdate rest.ValidateObjectUpdateFunc, create bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	checked := rest.WrapUpdatedObjectInfo(object, func(ctx context.Context, object, old runtime.Object) (runtime.Object, error) {
		return object, r.check(ctx, object, old)
	})
	return r.resourceREST.Update(ctx, name, checked, validateCreate, validateUpdate, create, options)
}

// check returns an error if the user may not grant the permissions in an object. It allows all updates of a role that change neither its
// rules nor its aggregationRule. old is nil or empty for a new object.
func (r grantREST) check(ctx context.Context, object, old runtime.Object) error {
	who, isKnown := request.UserFrom(ctx)
	if !isKnown {
		return errors.New("no user on context")
	}
	if slices.Contains(who.GetGroups(), user.SystemPrivilegedGroup) {
		return nil
	}
	namespace := metadata(object).Namespace
	if requested, found := request.NamespaceFrom(ctx); found {
		namespace = requested
	}
	switch object := object.(type) {
	case *rbacv1.Role:
		if old, replaces := old.(*rbacv1.Role); replaces && apiequality.Semantic.DeepEqual(old.Rules, object.Rules) {
			return nil
		}
		return r.checkRole(ctx, who, namespace, object.Name, object.Rules)
	case *rbacv1.ClusterRole:
		if old, replaces := old.(*rbacv1.ClusterRole); replaces && apiequality.Semantic.DeepEqual(old.Rules, object.Rules) &&
			apiequality.Semantic.DeepEqual(old.AggregationRule, object.AggregationRule) {
			return nil
		}
		if object.AggregationRule != nil && !r.holdsEverything(who) {
			return apierrors.NewForbidden(r.group(), object.Name, errors.New("must have cluster-admin privileges to use an aggregationRule"))
		}
		return r.checkRole(ctx, who, "", object.Name, object.Rules)
	case *rbacv1.RoleBinding:
		return r.checkBinding(ctx, who, namespace, object.Name, object.RoleRef)
	case *rbacv1.ClusterRoleBinding:
		return r.checkBinding(ctx, who, "", object.Name, object.RoleRef)
	}
	return nil
}

func (r grantREST) group() schema.GroupResource {
	return r.kind.WithResource(r.kind.Resource).GroupResource()
}

// holdsEverything reports whether a user has all permissions in the whole cluster.
func (r grantREST) holdsEverything(who user.Info) bool {
	all := []string{rbacv1.VerbAll}
	missing, err := r.missing(who, "", []rbacv1.PolicyRule{{Verbs: all, APIGroups: all, Resources: all}, {Verbs: all, NonResourceURLs: all}})
	return err == nil && len(missing) == 0
}

func (r grantREST) missing(who user.Info, namespace string, granted []rbacv1.PolicyRule) ([]rbacv1.PolicyRule, error) {
	held, err := r.grants.Rules(who, namespace)
	covered, missing := validation.Covers(held, granted)
	if covered {
		return nil, nil // even if other rules could not be read
	}
	return missing, err
}

func (r grantREST) checkRole(ctx context.Context, who user.Info, namespace, name string, rules []rbacv1.PolicyRule) error {
	escalate := authorizer.AttributesRecord{
		User: who, Verb: "escalate", APIGroup: rbacv1.GroupName, APIVersion: "*", Resource: r.kind.Resource, Name: name, Namespace: namespace, ResourceRequest: true,
	}
	return r.checkGrant(ctx, escalate, name, rules)
}

func (r grantREST) checkBinding(ctx context.Context, who user.Info, namespace, name string, ref rbacv1.RoleRef) error {
	bind := authorizer.AttributesRecord{
		User: who, Verb: "bind", APIGroup: ref.APIGroup, APIVersion: "*", Resource: strings.ToLower(ref.Kind) + "s", Name: ref.Name, Namespace: namespace, ResourceRequest: true,
	}
	if r.allows(ctx, bind) {
		return nil
	}
	rules, err := r.grants.RulesOf(ref, namespace)
	if err != nil {
		return err
	}
	return r.checkGrant(ctx, bind, name, rules)
}

func (r grantREST) allows(ctx context.Context, attributes authorizer.Attributes) bool {
	decision, _, err := r.grants.Authorize(ctx, attributes)
	return err == nil && decision == authorizer.DecisionAllow
}

// checkGrant returns a Forbidden error unless the user has all granted permissions, or the request in right is allowed. The verb of right
// is "escalate" or "bind". name is the name of the object that the error mentions.
func (r grantREST) checkGrant(ctx context.Context, right authorizer.AttributesRecord, name string, granted []rbacv1.PolicyRule) error {
	if r.allows(ctx, right) {
		return nil
	}
	missing, err := r.missing(right.User, right.Namespace, granted)
	if len(missing) == 0 {
		return nil
	}
	return apierrors.NewForbidden(r.group(), name, newEscalationError(right.User, missing, err))
}

// newEscalationError returns kube-apiserver's error for users who try to grant permissions that they do not have. rulesErr is the error for
// rules that could not be read, or nil.
func newEscalationError(who user.Info, missing []rbacv1.PolicyRule, rulesErr error) error {
	var rules []string
	for _, rule := range compact(missing) {
		rules = append(rules, describe(rule))
	}
	slices.SortFunc(rules, cmp.Compare[string])
	message := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s", who.GetName(), who.GetGroups(), strings.Join(rules, "\n"))
	if rulesErr != nil {
		message += fmt.Sprintf("; resolution errors: %v", rulesErr)
	}
	return errors.New(message)
}

// compact merges rules that differ only in their verbs, except rules for non-resource URLs.
func compact(rules []rbacv1.PolicyRule) []rbacv1.PolicyRule {
	var joined []rbacv1.PolicyRule
	for _, rule := range rules {
		same := slices.IndexFunc(joined, func(other rbacv1.PolicyRule) bool {
			other.Verbs = rule.Verbs
			return apiequality.Semantic.DeepEqual(other, rule)
		})
		if same < 0 || len(rule.NonResourceURLs) > 0 {
			joined = append(joined, *rule.DeepCopy())
			continue
		}
		joined[same].Verbs = append(joined[same].Verbs, rule.Verbs...)
	}
	return joined
}

func describe(rule rbacv1.PolicyRule) string {
	var fields []string
	for _, field := range []struct {
		name   string
		values []string
	}{
		{"APIGroups", rule.APIGroups}, {"Resources", rule.Resources}, {"NonResourceURLs", rule.NonResourceURLs},
		{"ResourceNames", rule.ResourceNames}, {"Verbs", rule.Verbs},
	} {
		if len(field.values) > 0 {
			fields = append(fields, fmt.Sprintf("%s:%q", field.name, field.values))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}
