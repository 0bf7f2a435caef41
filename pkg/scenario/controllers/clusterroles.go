package controllers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	applyrbacv1 "k8s.io/client-go/applyconfigurations/rbac/v1"
	"k8s.io/client-go/kubernetes"
)

// clusterRoles is the controller that sets the rules of ClusterRoles with an aggregationRule.
type clusterRoles struct{ client kubernetes.Interface }

// handle implements controller.
func (c *clusterRoles) handle(ctx context.Context, before, now *object) error {
	either := now
	if either == nil {
		either = before
	}
	if either.resource != rbacv1.SchemeGroupVersion.WithResource("clusterroles") {
		return nil
	}
	all, err := c.client.RbacV1().ClusterRoles().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing ClusterRoles: %w", err)
	}
	for i := range all.Items {
		if all.Items[i].AggregationRule == nil {
			continue
		}
		if err := c.aggregate(ctx, &all.Items[i], all.Items); err != nil {
			return err
		}
	}
	return nil
}

func (c *clusterRoles) aggregate(ctx context.Context, role *rbacv1.ClusterRole, all []rbacv1.ClusterRole) error {
	rules, err := aggregated(role, all)
	if err != nil {
		return fmt.Errorf("aggregating ClusterRole %q: %w", role.Name, err)
	}
	if apiequality.Semantic.DeepEqual(rules, role.Rules) {
		return nil
	}
	apply := applyrbacv1.ClusterRole(role.Name).WithUID(role.UID)
	for _, rule := range rules {
		apply.WithRules(applyrbacv1.PolicyRule().WithVerbs(rule.Verbs...).WithAPIGroups(rule.APIGroups...).
			WithResources(rule.Resources...).WithResourceNames(rule.ResourceNames...).WithNonResourceURLs(rule.NonResourceURLs...))
	}
	options := metav1.ApplyOptions{FieldManager: "clusterrole-aggregation-controller", Force: true}
	if _, err := c.client.RbacV1().ClusterRoles().Apply(ctx, apply, options); err != nil {
		return fmt.Errorf("aggregating ClusterRole %q: %w", role.Name, err)
	}
	return nil
}

// aggregated returns the rules of the ClusterRoles that a ClusterRole aggregates, without duplicates. The rules are ordered by selector,
// and for each selector by the names of the ClusterRoles.
func aggregated(role *rbacv1.ClusterRole, all []rbacv1.ClusterRole) ([]rbacv1.PolicyRule, error) {
	var rules []rbacv1.PolicyRule
	for _, labelSelector := range role.AggregationRule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(&labelSelector)
		if err != nil {
			return nil, err
		}
		selected := slices.DeleteFunc(slices.Clone(all), func(other rbacv1.ClusterRole) bool {
			return other.Name == role.Name || !selector.Matches(labels.Set(other.Labels))
		})
		slices.SortFunc(selected, func(a, b rbacv1.ClusterRole) int { return strings.Compare(a.Name, b.Name) })
		for _, other := range selected {
			for _, rule := range other.Rules {
				if !slices.ContainsFunc(rules, func(known rbacv1.PolicyRule) bool { return apiequality.Semantic.DeepEqual(known, rule) }) {
					rules = append(rules, rule)
				}
			}
		}
	}
	return rules, nil
}
