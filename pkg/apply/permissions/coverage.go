package permissions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/component-helpers/auth/rbac/validation"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// maxAtoms is the maximum number of combinations of verb, group, resource and name in the roles of one set. The comparison of rules, here and
// in the API server, takes time for each of them.
const maxAtoms = 100_000

// coverage finds the permissions that an identity lacks to grant what the roles and bindings of a set grant. The API server refuses a role with
// a permission that its author does not have, unless the author may escalate; and a binding of such a role, unless the author may bind.
type coverage struct {
	checker *Checker
	as      identity.Identity
	// roles are the rules of the roles of the set.
	roles map[roleKey][]rbacv1.PolicyRule
	// own are the rules of the identity, by namespace; empty is the whole cluster.
	own     map[string][]rbacv1.PolicyRule
	missing missingRules
}

// roleKey identifies a role; namespace is empty for a ClusterRole.
type roleKey struct{ kind, namespace, name string }

// missingGrants returns the permissions that an identity lacks to apply the roles and bindings of a set.
func (c *Checker) missingGrants(ctx context.Context, as identity.Identity, set *object.Set) (missingRules, error) {
	search := &coverage{checker: c, as: as, roles: map[roleKey][]rbacv1.PolicyRule{}, own: map[string][]rbacv1.PolicyRule{}, missing: missingRules{}}
	declared := map[string][]*object.Desired{}
	for _, phase := range set.Phases() {
		for _, each := range phase.Objects {
			if each.GVK.Group == rbacv1.GroupName {
				declared[each.GVK.Kind] = append(declared[each.GVK.Kind], each)
			}
		}
	}
	for _, kind := range []string{"ClusterRole", "Role"} {
		for _, each := range declared[kind] {
			if err := search.role(ctx, each); err != nil {
				return nil, err
			}
		}
	}
	for _, kind := range []string{"ClusterRoleBinding", "RoleBinding"} {
		for _, each := range declared[kind] {
			if err := search.binding(ctx, each); err != nil {
				return nil, err
			}
		}
	}
	return search.missing, nil
}

// fullAuthority is what the API server requires for a ClusterRole into which others are aggregated, because its rules are not known yet.
var fullAuthority = []rbacv1.PolicyRule{
	{Verbs: []string{rbacv1.VerbAll}, APIGroups: []string{rbacv1.APIGroupAll}, Resources: []string{rbacv1.ResourceAll}},
	{Verbs: []string{rbacv1.VerbAll}, NonResourceURLs: []string{rbacv1.NonResourceAll}},
}

func (s *coverage) role(ctx context.Context, declared *object.Desired) error {
	var role rbacv1.ClusterRole // a Role has the same fields, without the aggregation rule
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(declared.Object().Object, &role); err != nil {
		return nil // the API server refuses it with a reason
	}
	rules := role.Rules
	if role.AggregationRule != nil {
		rules = fullAuthority
	}
	if err := s.bound(declared.Key, rules); err != nil {
		return err
	}
	key := roleKey{declared.GVK.Kind, declared.Key.Namespace, declared.Key.Name}
	s.roles[key] = rules
	may, err := s.may(ctx, "escalate", key, key.namespace)
	if err != nil || may {
		return err
	}
	own, err := s.rules(ctx, key.namespace)
	if err != nil {
		return err
	}
	_, uncovered := validation.Covers(own, rules)
	for _, each := range uncovered {
		s.missing.add(key.namespace, each)
	}
	return nil
}

// bound returns a Refusal if the rules have too many combinations to compare.
func (s *coverage) bound(key object.Key, rules []rbacv1.PolicyRule) error {
	atoms := 0
	for _, each := range rules {
		atoms += len(each.Verbs) * (len(each.APIGroups)*len(each.Resources)*max(len(each.ResourceNames), 1) + len(each.NonResourceURLs))
		if atoms > maxAtoms {
			return &object.Refusal{Object: key, Err: fmt.Errorf("its rules have more than %d combinations of verbs, resources and names", maxAtoms),
				Remedy: "ask the bundle's author to list fewer of them"}
		}
	}
	return nil
}

func (s *coverage) binding(ctx context.Context, declared *object.Desired) error {
	var binding rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(declared.Object().Object, &binding); err != nil {
		return nil // the API server refuses it with a reason
	}
	namespace, key := declared.Key.Namespace, roleKey{kind: binding.RoleRef.Kind, name: binding.RoleRef.Name}
	if key.kind == "Role" {
		key.namespace = namespace
	}
	may, err := s.may(ctx, "bind", key, namespace)
	if err != nil || may {
		return err
	}
	rules, isKnown := s.roles[key]
	if !isKnown {
		if rules, isKnown, err = s.liveRole(ctx, key); err != nil {
			return err
		}
	}
	own, err := s.rules(ctx, namespace)
	if err != nil {
		return err
	}
	covers, _ := validation.Covers(own, rules)
	if isKnown && covers || s.isReported(key) {
		return nil
	}
	s.missing.add(namespace, rbacv1.PolicyRule{
		Verbs: []string{"bind"}, APIGroups: []string{rbacv1.GroupName}, Resources: []string{resourceOf(key.kind)}, ResourceNames: []string{key.name},
	})
	return nil
}

// isReported reports whether permissions of a role of the set are missing. Whoever grants them also grants the right to bind the role.
func (s *coverage) isReported(key roleKey) bool {
	rules, isDeclared := s.roles[key]
	if !isDeclared {
		return false
	}
	_, uncovered := validation.Covers(s.own[key.namespace], rules)
	return len(uncovered) > 0 && slices.ContainsFunc(uncovered, func(each rbacv1.PolicyRule) bool { return s.missing.has(key.namespace, each) })
}

// liveRole returns the rules of a role that the set does not declare, as the manager reads it. exists is false if there is no such role, or the
// manager may not read it.
func (s *coverage) liveRole(ctx context.Context, key roleKey) (rules []rbacv1.PolicyRule, exists bool, err error) {
	resource := rbacv1.SchemeGroupVersion.WithResource(resourceOf(key.kind))
	live, err := s.checker.manager.Dynamic.Resource(resource).Namespace(key.namespace).Get(ctx, key.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || apierrors.IsForbidden(err) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("reading %s %q, which the bundle binds: %w", key.kind, key.name, err)
	}
	var role rbacv1.ClusterRole
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &role); err != nil {
		return nil, false, fmt.Errorf("decoding %s %q: %w", key.kind, key.name, err)
	}
	if err := s.bound(object.KeyOf(live), role.Rules); err != nil {
		return nil, false, nil //nolint:nilerr // it is not compared, so the identity needs the right to bind it
	}
	return role.Rules, true, nil
}

// may reports whether the identity has a verb on a role, in a namespace or in the whole cluster.
func (s *coverage) may(ctx context.Context, verb string, key roleKey, namespace string) (bool, error) {
	resource := schema.GroupResource{Group: rbacv1.GroupName, Resource: resourceOf(key.kind)}
	return s.checker.isPermitted(ctx, s.as, permission{s.as.Name, resource, verb, namespace, key.name})
}

// rules returns the rules of the identity in a namespace, or in the whole cluster.
func (s *coverage) rules(ctx context.Context, namespace string) ([]rbacv1.PolicyRule, error) {
	if own, known := s.own[namespace]; known {
		return own, nil
	}
	own, err := rulesreview.AskIn(ctx, s.as.Dynamic, namespace)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("asking for the rules of %s", s.as.Name), err)
	}
	s.own[namespace] = own
	return own, nil
}

// resourceOf returns the resource of a kind of role.
func resourceOf(kind string) string {
	if kind == "Role" {
		return "roles"
	}
	return "clusterroles"
}

// missingRule is what the verbs of a missing permission are for.
type missingRule struct{ namespace, group, resource, name, url string }

// missingRules are the missing verbs, by what they are for.
type missingRules map[missingRule][]string

// keysOf returns what a rule with one resource or URL, as Covers returns it, is for.
func keyOf(namespace string, rule rbacv1.PolicyRule) missingRule {
	first := func(list []string) string {
		if len(list) == 0 {
			return ""
		}
		return list[0]
	}
	return missingRule{namespace, first(rule.APIGroups), first(rule.Resources), first(rule.ResourceNames), first(rule.NonResourceURLs)}
}

func (m missingRules) add(namespace string, rule rbacv1.PolicyRule) {
	key := keyOf(namespace, rule)
	for _, verb := range rule.Verbs {
		if !slices.Contains(m[key], verb) {
			m[key] = append(m[key], verb)
		}
	}
}

func (m missingRules) has(namespace string, rule rbacv1.PolicyRule) bool {
	return slices.ContainsFunc(rule.Verbs, func(verb string) bool { return slices.Contains(m[keyOf(namespace, rule)], verb) })
}

// maxVerbs is the maximum length of MissingPermission.Verbs.
const maxVerbs = 16

// permissions returns the missing rules of a ServiceAccount, in no particular order.
func (m missingRules) permissions(serviceAccount string) []corev1alpha2.MissingPermission {
	var all []corev1alpha2.MissingPermission
	for key, verbs := range m {
		slices.Sort(verbs)
		for chunk := range slices.Chunk(verbs, maxVerbs) {
			each := corev1alpha2.MissingPermission{Verbs: chunk, Group: key.group, Resource: key.resource, Namespace: key.namespace, ServiceAccountName: serviceAccount}
			if key.name != "" {
				each.ResourceNames = []string{key.name}
			}
			if key.url != "" {
				each.NonResourceURLs = []string{key.url}
			}
			all = append(all, each)
		}
	}
	return all
}
