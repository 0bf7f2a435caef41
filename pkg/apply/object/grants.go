package object

import (
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// grantsOf returns the rules that an object grants the manager. Only a ClusterRole with the label that aggregates it to the manager's
// ClusterRole grants rules. For every other object, grantsOf returns nil.
func grantsOf(declared *unstructured.Unstructured) rulesreview.Rules {
	if !isClusterRole(KeyOf(declared)) || declared.GetLabels()[corev1alpha2.LabelAggregateToBundles] != "true" {
		return nil
	}
	var role rbacv1.ClusterRole
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(declared.Object, &role); err != nil {
		return nil // the API server refuses it with a reason
	}
	if role.AggregationRule != nil {
		return nil // its rules are not applied
	}
	return RulesOf(role)
}

// RulesOf converts the rules of a ClusterRole to ResourceRules, without the rules' non-resource URLs.
func RulesOf(role rbacv1.ClusterRole) rulesreview.Rules {
	var rules rulesreview.Rules
	for _, rule := range role.Rules {
		rules = append(rules, authorizationv1.ResourceRule{
			Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources, ResourceNames: rule.ResourceNames,
		})
	}
	return rules
}

// Grants returns the rules that the bundle's ClusterRoles grant the manager.
func (s *Set) Grants() rulesreview.Rules {
	var granted rulesreview.Rules
	for _, phase := range s.phases {
		for _, desired := range phase.Objects {
			if !desired.IsAdded {
				granted = append(granted, desired.grants...)
			}
		}
	}
	return granted
}

// SelfGranted returns the kinds of custom resources for which the set itself grants the manager all of bundle.Verbs, each with the
// ClusterRoles that grant them. The set also contains the CustomResourceDefinition of each such kind. The ClusterRoles are applied before
// the custom resources, and removed after them. No other kinds are returned: an admin decides whether the manager may write objects of
// kinds that the set does not define.
func (s *Set) SelfGranted() map[schema.GroupKind][]*Desired {
	rules := s.Grants()
	if len(rules) == 0 {
		return nil
	}
	granted := map[schema.GroupKind][]*Desired{}
	for _, phase := range s.phases {
		for _, desired := range phase.Objects {
			if d := desired.Defines; d != nil {
				resource := schema.GroupResource{Group: d.Kind.Group, Resource: d.Plural}
				if !slices.ContainsFunc(bundle.Verbs, func(verb string) bool { return !rules.Permit(verb, resource) }) {
					granted[d.Kind] = s.granting(resource)
				}
			}
		}
	}
	return granted
}

// granting returns the bundle's ClusterRoles that grant the manager at least one of bundle.Verbs on a resource.
func (s *Set) granting(resource schema.GroupResource) []*Desired {
	var roles []*Desired
	for _, phase := range s.phases {
		for _, desired := range phase.Objects {
			if !desired.IsAdded && slices.ContainsFunc(bundle.Verbs, func(verb string) bool { return desired.grants.Permit(verb, resource) }) {
				roles = append(roles, desired)
			}
		}
	}
	return roles
}
