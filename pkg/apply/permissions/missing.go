package permissions

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// Options are the options of Missing. The zero value is for a set that is applied for the first time.
type Options struct {
	// Replaced are the sets that the set replaces. A permission that only ClusterRoles of the replaced sets grant counts as missing,
	// because these ClusterRoles are removed after the set is applied.
	Replaced []*object.Set
	// Applied is true after the ClusterRoles of the set were applied. The permissions that they grant are then included in the check.
	Applied bool
	// Reported are the permissions that were missing in an earlier call. Those that the ClusterRoles of the set grant are checked again.
	Reported []corev1alpha2.MissingPermission
	// ServiceAccount is the name of the ServiceAccount that is the identity; empty for the manager.
	ServiceAccount string
}

// Missing returns, sorted, all permissions that an identity lacks to apply a set, and those that the manager lacks to watch the objects of
// the set. If the manager may not impersonate the identity, it returns only that permission. If it returns an error, the result is
// incomplete. Each call checks again what was not permitted before. A granted permission of the manager is cached for some minutes, or until
// Invalidate. Those of another identity are checked in each call: its owner may revoke them at any time, for example between a plan and its
// approval, and then nothing may be written.
func (c *Checker) Missing(
	ctx context.Context, as identity.Identity, set *object.Set, options Options,
) ([]corev1alpha2.MissingPermission, error) {
	if missing, err := c.missingImpersonation(ctx, as); missing != nil || err != nil {
		return missing, err // as the ServiceAccount, nothing can be asked
	}
	c.forget(as)
	needs := c.needs(ctx, set, options)
	sorted := slices.SortedFunc(maps.Keys(needs), func(a, b scope) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.namespace, b.namespace))
	})
	c.readRules(ctx, as, needs)
	lacking, errs := make([]missingVerbs, len(sorted)), make([]error, len(sorted))
	replacement, err := c.replacementOf(ctx, set, options.Replaced, needs)
	if err != nil {
		return nil, err
	}
	pacing.Each(len(sorted), func(i int) {
		lacking[i], errs[i] = c.missingIn(ctx, as, sorted[i], needs[sorted[i]], replacement)
	})
	if err := object.Foremost(errs); err != nil {
		return permissionsOf(sorted, lacking, options.ServiceAccount, nil), err
	}
	grants := missingRules{}
	if as.Name != c.manager.Name {
		grants, err = c.missingGrants(ctx, as, set)
	}
	return permissionsOf(sorted, lacking, options.ServiceAccount, grants), err
}

// missingImpersonation returns the permission to impersonate a ServiceAccount, if the manager lacks it; nil for the manager itself.
func (c *Checker) missingImpersonation(ctx context.Context, as identity.Identity) ([]corev1alpha2.MissingPermission, error) {
	namespace, name, err := serviceaccount.SplitUsername(as.Name)
	if err != nil {
		return nil, nil // it is not a ServiceAccount
	}
	permitted, err := c.isPermitted(ctx, c.manager, permission{c.manager.Name, serviceAccounts, impersonate, namespace, name})
	if err != nil || permitted {
		return nil, err
	}
	return []corev1alpha2.MissingPermission{{Verbs: []string{impersonate}, Resource: serviceAccounts.Resource, ResourceNames: []string{name}, Namespace: namespace}}, nil
}

// missingVerbs holds the verbs in a scope that the manager and the identity lack.
type missingVerbs struct{ manager, identity []string }

// permissionsOf returns what is missing in scopes, and the permissions that an identity lacks to grant others, sorted. An empty name of a
// ServiceAccount means that the identity is the manager.
func permissionsOf(scopes []scope, lacking []missingVerbs, serviceAccount string, grants missingRules) []corev1alpha2.MissingPermission {
	missing := grants
	if missing == nil {
		missing = missingRules{}
	}
	var all []corev1alpha2.MissingPermission
	for i, in := range scopes {
		manager := lacking[i].manager
		if serviceAccount == "" {
			manager = append(manager, lacking[i].identity...)
			slices.Sort(manager)
		} else if len(lacking[i].identity) > 0 {
			missing.add(in.namespace, rbacv1.PolicyRule{APIGroups: []string{in.Group}, Resources: []string{in.Resource}, Verbs: lacking[i].identity})
		}
		if len(manager) > 0 {
			all = append(all, corev1alpha2.MissingPermission{Verbs: manager, Group: in.Group, Resource: in.Resource, Namespace: in.namespace})
		}
	}
	all = append(all, missing.permissions(serviceAccount)...)
	slices.SortStableFunc(all, func(a, b corev1alpha2.MissingPermission) int {
		return cmp.Or(cmp.Compare(len(a.NonResourceURLs), len(b.NonResourceURLs)), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.ServiceAccountName, b.ServiceAccountName), slices.Compare(a.ResourceNames, b.ResourceNames),
			slices.Compare(a.NonResourceURLs, b.NonResourceURLs), slices.Compare(a.Verbs, b.Verbs))
	})
	return all
}

// missingIn returns the verbs that are not permitted in a scope, or that the replacement will remove.
func (c *Checker) missingIn(ctx context.Context, as identity.Identity, in scope, verbs []string, by replacement) (missingVerbs, error) {
	var found missingVerbs
	for _, verb := range verbs {
		user := c.userOf(verb, as)
		isManager := user.Name == c.manager.Name
		if !isManager || !by.removes(verb, in.GroupResource) {
			permitted, err := c.isPermitted(ctx, user, permission{user.Name, in.GroupResource, verb, in.namespace, ""})
			if err != nil {
				return missingVerbs{}, err
			}
			if permitted {
				continue
			}
		}
		if isManager {
			found.manager = append(found.manager, verb)
		} else {
			found.identity = append(found.identity, verb)
		}
	}
	return found, nil
}

// readRules caches the permissions of the manager that a rules review lists, so that only the other permissions need an access review.
func (c *Checker) readRules(ctx context.Context, as identity.Identity, needs map[scope][]string) {
	unknown := map[string][]permission{}
	for in, verbs := range needs {
		for _, verb := range verbs {
			user := c.userOf(verb, as).Name
			everywhere := permission{user, in.GroupResource, verb, "", ""}
			if !c.isRemembered(everywhere) && !c.isRemembered(permission{user, in.GroupResource, verb, in.namespace, ""}) {
				unknown[user] = append(unknown[user], everywhere)
			}
		}
	}
	c.readRulesOf(ctx, c.manager, unknown[c.manager.Name])
}

// readRulesOf caches the unknown permissions that the rules review of one user lists. It does nothing for fewer than two permissions, or if
// a denial has shown that the rules may be wrong. The rules may be incomplete, because an authorizer can permit more than it lists.
func (c *Checker) readRulesOf(ctx context.Context, user identity.Identity, unknown []permission) {
	if len(unknown) < 2 || c.wasInvalidated() {
		return
	}
	rules, err := rulesreview.Ask(ctx, user.Dynamic)
	if err != nil {
		return // access reviews answer instead, or fail with the same error
	}
	for _, each := range unknown {
		if rules.Permit(each.verb, each.GroupResource) {
			c.remember(each)
		}
	}
}

// NotPermitted returns a Refusal for the BundleDeployment named owner that names the first missing permission and the number of the others;
// nil if none is missing. If a ServiceAccount lacks all of them, namespace is its namespace.
func NotPermitted(owner, namespace string, missing []corev1alpha2.MissingPermission) error {
	if len(missing) == 0 {
		return nil
	}
	first, account := missing[0], missing[0].ServiceAccountName
	user, remedy := "the manager", "grant the permissions with a ClusterRole that has the label "+corev1alpha2.LabelAggregateToBundles+`: "true"`
	if account != "" {
		user, remedy = fmt.Sprintf("ServiceAccount %s/%s", namespace, account), "grant it the permissions: the last ConfigMap of status.plan has a Role or ClusterRole with all of them under permissions.yaml"
	}
	if account == "" && slices.Contains(first.Verbs, impersonate) {
		remedy = fmt.Sprintf("permit the manager to impersonate the ServiceAccount, for example: kubectl create rolebinding platform-operators -n %s "+
			"--clusterrole=platform-operators-namespace --serviceaccount=openshift-platform-operators:platform-operators", first.Namespace)
	}
	where := ""
	if first.Namespace != "" {
		where = fmt.Sprintf(" in namespace %q", first.Namespace)
	}
	more := ""
	if others := len(missing) - 1; others == 1 {
		more = ", and lacks one more permission, which the plan of the BundleDeployment lists"
	} else if others > 1 {
		more = fmt.Sprintf(", and lacks %d more permissions, which the plan of the BundleDeployment lists", others)
	}
	return &object.Refusal{
		Object: object.Key{GroupKind: schema.GroupKind{Group: corev1alpha2.GroupName, Kind: "BundleDeployment"}, Name: owner},
		Err:    fmt.Errorf("%s has no permission for %s%s (%s)%s", user, target(first), where, strings.Join(first.Verbs, ", "), more),
		Remedy: remedy,
	}
}

// target returns the resource or the URL that a permission is for.
func target(of corev1alpha2.MissingPermission) string {
	if len(of.NonResourceURLs) > 0 {
		return strings.Join(of.NonResourceURLs, ", ")
	}
	text := schema.GroupResource{Group: of.Group, Resource: of.Resource}.String()
	if len(of.ResourceNames) > 0 {
		text += " " + strings.Join(of.ResourceNames, ", ")
	}
	return text
}
