// Package rulesreview finds out which permissions the manager, or a user that it impersonates, has. It asks the API server with one
// SelfSubjectRulesReview.
//
// A review lists only the rules that RBAC grants. A different authorizer may grant more, or deny what RBAC grants.
package rulesreview

import (
	"cmp"
	"context"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// Resource is the resource of SelfSubjectRulesReviews, which Ask creates.
var Resource = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectrulesreviews"}

// noNamespace is the namespace of each review. The API server requires a namespace, and adds the rules from the namespace's RoleBindings to
// those from ClusterRoleBindings. This name contains a dot, which is not allowed in the name of a namespace. So no such namespace exists,
// and there are no RoleBindings in it.
const noNamespace = "no.namespace"

// Rules are the rules that ClusterRoleBindings grant to the client, in all namespaces.
type Rules []authorizationv1.ResourceRule

// Ask returns the rules for the client's own identity.
func Ask(ctx context.Context, client dynamic.Interface) (Rules, error) {
	review, err := ask(ctx, client, noNamespace)
	if err != nil {
		return nil, err
	}
	return review.Status.ResourceRules, nil
}

func ask(ctx context.Context, client dynamic.Interface, namespace string) (*authorizationv1.SelfSubjectRulesReview, error) {
	answer, err := client.Resource(Resource).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": Resource.GroupVersion().String(), "kind": "SelfSubjectRulesReview",
		"spec": map[string]any{"namespace": namespace},
	}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	review := &authorizationv1.SelfSubjectRulesReview{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object, review); err != nil {
		return nil, err
	}
	return review, nil
}

// AskIn returns the rules for the client's own identity in a namespace, with those for the whole cluster; or, for an empty namespace, only the
// latter. It includes the rules for single objects and for URLs.
func AskIn(ctx context.Context, client dynamic.Interface, namespace string) ([]rbacv1.PolicyRule, error) {
	review, err := ask(ctx, client, cmp.Or(namespace, noNamespace))
	if err != nil {
		return nil, err
	}
	var rules []rbacv1.PolicyRule
	for _, each := range review.Status.ResourceRules {
		rules = append(rules, rbacv1.PolicyRule{Verbs: each.Verbs, APIGroups: each.APIGroups, Resources: each.Resources, ResourceNames: each.ResourceNames})
	}
	for _, each := range review.Status.NonResourceRules {
		rules = append(rules, rbacv1.PolicyRule{Verbs: each.Verbs, NonResourceURLs: each.NonResourceURLs})
	}
	return rules, nil
}

// Permit reports whether a rule permits a verb on all objects of a resource. It ignores rules for single objects.
func (r Rules) Permit(verb string, resource schema.GroupResource) bool {
	has := func(list []string, name string) bool {
		return slices.Contains(list, name) || slices.Contains(list, "*")
	}
	return slices.ContainsFunc(r, func(rule authorizationv1.ResourceRule) bool {
		return len(rule.ResourceNames) == 0 && has(rule.Verbs, verb) && has(rule.APIGroups, resource.Group) && has(rule.Resources, resource.Resource)
	})
}
