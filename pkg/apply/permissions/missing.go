package permissions

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

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
}

// Missing returns, sorted, all permissions that an identity lacks to apply a set, and those that the manager lacks to watch the objects of
// the set. If it returns an error, the result is incomplete. Each call checks again what was not permitted before. A granted permission is
// cached for some minutes, or until Invalidate.
func (c *Checker) Missing(
	ctx context.Context, as identity.Identity, set *object.Set, options Options,
) ([]corev1alpha2.MissingPermission, error) {
	needs := c.needs(ctx, set, options)
	sorted := slices.SortedFunc(maps.Keys(needs), func(a, b scope) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.namespace, b.namespace))
	})
	c.readRules(ctx, as, needs)
	missing, errs := make([]corev1alpha2.MissingPermission, len(sorted)), make([]error, len(sorted))
	replacement, err := c.replacementOf(ctx, set, options.Replaced, needs)
	if err != nil {
		return nil, err
	}
	pacing.Each(len(sorted), func(i int) {
		missing[i], errs[i] = c.missingIn(ctx, as, sorted[i], needs[sorted[i]], replacement)
	})
	return slices.DeleteFunc(missing, func(each corev1alpha2.MissingPermission) bool { return len(each.Verbs) == 0 }), object.Foremost(errs)
}

// missingIn returns the verbs that are not permitted in a scope, or that the replacement will remove. Verbs is empty if all verbs remain
// permitted.
func (c *Checker) missingIn(
	ctx context.Context, as identity.Identity, in scope, verbs []string, by replacement,
) (corev1alpha2.MissingPermission, error) {
	missing := corev1alpha2.MissingPermission{Group: in.Group, Resource: in.Resource, Namespace: in.namespace}
	for _, verb := range verbs {
		if by.removes(verb, in.GroupResource) {
			missing.Verbs = append(missing.Verbs, verb)
			continue
		}
		user := c.userOf(verb, as)
		permitted, err := c.isPermitted(ctx, user, permission{user.Name, in.GroupResource, verb, in.namespace})
		if err != nil {
			return corev1alpha2.MissingPermission{}, err
		}
		if !permitted {
			missing.Verbs = append(missing.Verbs, verb)
		}
	}
	return missing, nil
}

// readRules caches the permissions that a rules review lists, so that only the other permissions need an access review.
func (c *Checker) readRules(ctx context.Context, as identity.Identity, needs map[scope][]string) {
	unknown := map[string][]permission{}
	for in, verbs := range needs {
		for _, verb := range verbs {
			user := c.userOf(verb, as).Name
			everywhere := permission{user, in.GroupResource, verb, ""}
			if !c.isRemembered(everywhere) && !c.isRemembered(permission{user, in.GroupResource, verb, in.namespace}) {
				unknown[user] = append(unknown[user], everywhere)
			}
		}
	}
	c.readRulesOf(ctx, as, unknown[as.Name])
	if as.Name != c.manager.Name {
		c.readRulesOf(ctx, c.manager, unknown[c.manager.Name])
	}
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
// nil if none is missing.
func NotPermitted(owner string, missing []corev1alpha2.MissingPermission) error {
	if len(missing) == 0 {
		return nil
	}
	first := missing[0]
	where := ""
	if first.Namespace != "" {
		where = fmt.Sprintf(" in namespace %q", first.Namespace)
	}
	more := ""
	if len(missing) > 1 {
		more = fmt.Sprintf(", and lacks %d more permissions, which the plan of the BundleDeployment lists", len(missing)-1)
	}
	return &object.Refusal{
		Object: object.Key{GroupKind: schema.GroupKind{Group: corev1alpha2.GroupName, Kind: "BundleDeployment"}, Name: owner},
		Err: fmt.Errorf("the manager has no permission for %s%s (%s)%s", schema.GroupResource{Group: first.Group, Resource: first.Resource},
			where, strings.Join(first.Verbs, ", "), more),
		Remedy: "grant the permissions with a ClusterRole that has the label " + corev1alpha2.LabelAggregateToBundles + `: "true"`,
	}
}
