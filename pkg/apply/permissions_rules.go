package apply

import (
	"context"
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var rulesReviews = schema.GroupVersionResource{Group: "authorization.k8s.io", Version: "v1", Resource: "selfsubjectrulesreviews"}

// noNamespace is the namespace of rules reviews. The API server requires one, and adds its RoleBindings' rules to those that hold
// everywhere. No namespace has this name, because of the dot, so that no RoleBinding is in it.
const noNamespace = "no.namespace"

// learn remembers those rights that one rules review lists, so that an access review is needed only for each of the others. A list
// says nothing about what it does not contain: an authorizer may grant more than it lists.
func (p *permissions) learn(ctx context.Context, needs map[need][]string) {
	var unknown []right
	for of, verbs := range needs {
		for _, verb := range verbs {
			everywhere := right{of.GroupResource, verb, ""}
			if !p.remembered(everywhere) && !p.remembered(right{of.GroupResource, verb, of.namespace}) {
				unknown = append(unknown, everywhere)
			}
		}
	}
	if len(unknown) < 2 || p.doubted() {
		return
	}
	rules, err := p.rules(ctx)
	if err != nil {
		return // access reviews answer instead, or fail with the same error
	}
	for _, each := range unknown {
		if slices.ContainsFunc(rules, func(rule authorizationv1.ResourceRule) bool { return permits(rule, each) }) {
			p.remember(each)
		}
	}
}

// rules are those that the API server lists for the manager in all namespaces.
func (p *permissions) rules(ctx context.Context) ([]authorizationv1.ResourceRule, error) {
	answer, err := p.client.Resource(rulesReviews).Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": rulesReviews.GroupVersion().String(), "kind": "SelfSubjectRulesReview",
		"spec": map[string]any{"namespace": noNamespace},
	}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	var review authorizationv1.SelfSubjectRulesReview
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(answer.Object, &review); err != nil {
		return nil, err
	}
	return review.Status.ResourceRules, nil
}

// permits says whether a rule gives a right to all objects of a resource.
func permits(rule authorizationv1.ResourceRule, wanted right) bool {
	has := func(list []string, name string) bool {
		return slices.Contains(list, name) || slices.Contains(list, "*")
	}
	return len(rule.ResourceNames) == 0 && has(rule.Verbs, wanted.verb) && has(rule.APIGroups, wanted.Group) && has(rule.Resources, wanted.Resource)
}

// doubted says whether something that was remembered as granted was denied lately. An authorizer that denies what another one
// lists is known by access reviews only.
func (p *permissions) doubted() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.doubtedAt.IsZero() && p.clock.Since(p.doubtedAt) < grantedTime
}
