package permissions

import (
	"context"
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/rulesreview"
)

// clusterRoles is the resource of ClusterRoles.
var clusterRoles = rbacv1.SchemeGroupVersion.WithResource("clusterroles")

// replacement holds the rules that labeled ClusterRoles grant the manager before and after a set replaces others. Access reviews do not
// show the difference, because the ClusterRoles of the replaced sets are removed only after the set is applied.
type replacement struct {
	// former are the rules of the replaced sets. remaining are the rules of the new set. If former grants a needed permission that the new
	// set does not grant, remaining also contains the rules of all other labeled ClusterRoles.
	former, remaining rulesreview.Rules
}

// removes reports whether only ClusterRoles of the replaced sets grant a permission. Without that permission, the manager could neither
// repair nor delete the set's objects.
func (r replacement) removes(verb string, resource schema.GroupResource) bool {
	return r.former.Permit(verb, resource) && !r.remaining.Permit(verb, resource)
}

// replacementOf returns the replacement of the given sets by set. It lists ClusterRoles only if the set needs a permission that the
// replaced sets grant and the set itself does not. Permissions from a ClusterRole without the label do not count.
func (c *Checker) replacementOf(
	ctx context.Context, set *object.Set, replaced []*object.Set, needs map[scope][]string,
) (replacement, error) {
	found := replacement{remaining: set.Grants()}
	for _, each := range replaced {
		found.former = append(found.former, each.Grants()...)
	}
	if !found.removesAny(needs) {
		return found, nil
	}
	others, err := c.manager.Dynamic.Resource(clusterRoles).List(ctx, metav1.ListOptions{
		LabelSelector: corev1alpha2.LabelAggregateToBundles + "=true," + corev1alpha2.LabelOwnerName + "!=" + set.Owner().Name,
	})
	if err != nil {
		return replacement{}, fmt.Errorf("listing the ClusterRoles that grant permissions to the manager: %w", err)
	}
	for i := range others.Items {
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(others.Items[i].Object, &role); err != nil {
			return replacement{}, fmt.Errorf("decoding ClusterRole %q: %w", others.Items[i].GetName(), err)
		}
		found.remaining = append(found.remaining, object.RulesOf(role)...)
	}
	return found, nil
}

// removesAny reports whether only ClusterRoles of the replaced sets grant one of the needed permissions.
func (r replacement) removesAny(needs map[scope][]string) bool {
	for in, verbs := range needs {
		for _, verb := range verbs {
			if r.removes(verb, in.GroupResource) {
				return true
			}
		}
	}
	return false
}
