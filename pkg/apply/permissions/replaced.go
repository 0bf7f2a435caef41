package permissions

import (
	"context"
	"fmt"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// lostGrants returns the resources that ClusterRoles of the replaced sets grant and that none of the set does.
func lostGrants(set *object.Set, replaced []*object.Set) map[schema.GroupResource]bool {
	lost := map[schema.GroupResource]bool{}
	for _, each := range replaced {
		for _, resource := range each.Grants() {
			lost[resource] = true
		}
	}
	for _, resource := range set.Grants() {
		delete(lost, resource)
	}
	return lost
}

// clusterRoles is the resource of ClusterRoles.
var clusterRoles = rbacv1.SchemeGroupVersion.WithResource("clusterroles")

// remainingGrants returns, for each needed resource that ClusterRoles of the replaced sets grant and that none of the set does, the rules
// of the other ClusterRoles with the label. Access reviews still permit what the former grant, because they are removed only after the set
// is applied. Without the other ClusterRoles, the manager could then neither repair nor delete the set's objects.
//
// The result is nil without such a resource, and no request is sent. Permissions from a ClusterRole without the label are not in the
// result.
func (c *Checker) remainingGrants(
	ctx context.Context, set *object.Set, replaced []*object.Set, needs map[scope][]string,
) (map[schema.GroupResource]rulesreview.Rules, error) {
	lost := lostGrants(set, replaced)
	for resource := range lost {
		if needs[scope{resource, ""}] == nil {
			delete(lost, resource)
		}
	}
	if len(lost) == 0 {
		return nil, nil
	}
	others, err := c.manager.Dynamic.Resource(clusterRoles).List(ctx, metav1.ListOptions{
		LabelSelector: corev1alpha2.LabelAggregateToBundles + "=true," + corev1alpha2.LabelOwnerName + "!=" + set.Owner().Name,
	})
	if err != nil {
		return nil, fmt.Errorf("listing the ClusterRoles that grant permissions to the manager: %w", err)
	}
	rules := rulesreview.Rules{} // not nil: without any rule, nothing is permitted
	for i := range others.Items {
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(others.Items[i].Object, &role); err != nil {
			return nil, fmt.Errorf("decoding ClusterRole %q: %w", others.Items[i].GetName(), err)
		}
		for _, rule := range role.Rules {
			rules = append(rules, authorizationv1.ResourceRule{
				Verbs: rule.Verbs, APIGroups: rule.APIGroups, Resources: rule.Resources, ResourceNames: rule.ResourceNames,
			})
		}
	}
	remaining := map[schema.GroupResource]rulesreview.Rules{}
	for resource := range lost {
		remaining[resource] = rules
	}
	return remaining, nil
}
