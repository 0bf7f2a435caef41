package object

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/bundle"
)

// grantsOf returns the resources on which an object grants the manager all of bundle.Verbs: those of a ClusterRole with the label that aggregates it
// to the manager's. It returns nil for every other object.
func grantsOf(declared *unstructured.Unstructured) []schema.GroupResource {
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
	var granted []schema.GroupResource
	for _, rule := range role.Rules {
		if len(rule.ResourceNames) > 0 || slices.ContainsFunc(bundle.Verbs, func(verb string) bool { return !slices.Contains(rule.Verbs, verb) }) {
			continue
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				granted = append(granted, schema.GroupResource{Group: group, Resource: resource})
			}
		}
	}
	return granted
}

// Grants returns the resources on which ClusterRoles of the set grant the manager all of bundle.Verbs, in no order, possibly more than
// once.
func (s *Set) Grants() []schema.GroupResource {
	var granted []schema.GroupResource
	for _, phase := range s.phases {
		for _, desired := range phase.Objects {
			granted = append(granted, desired.grants...)
		}
	}
	return granted
}

// SelfGranted returns the kinds of custom resources for which the set has both the CustomResourceDefinition and a ClusterRole that grants
// the manager all of bundle.Verbs, with these ClusterRoles. They are applied before the custom resources, and removed after them. Other
// kinds are not in the result: an admin decides whether the manager may write objects of kinds that the set does not define.
func (s *Set) SelfGranted() map[schema.GroupKind][]*Desired {
	roles := map[schema.GroupResource][]*Desired{}
	for _, phase := range s.phases {
		for _, desired := range phase.Objects {
			for _, resource := range desired.grants {
				roles[resource] = append(roles[resource], desired)
			}
		}
	}
	if len(roles) == 0 {
		return nil
	}
	granted := map[schema.GroupKind][]*Desired{}
	for _, phase := range s.phases {
		for _, desired := range phase.Objects {
			if d := desired.Defines; d != nil {
				if found := roles[schema.GroupResource{Group: d.Kind.Group, Resource: d.Plural}]; found != nil {
					granted[d.Kind] = found
				}
			}
		}
	}
	return granted
}
