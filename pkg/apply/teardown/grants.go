package teardown

import (
	"context"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/openshift/platform-operators/pkg/apply/object"
)

// removedGrant returns the name of a ClusterRole of the set that permitted the manager to delete a custom resource that it may not read, if
// no such ClusterRole exists. It returns an empty string if one exists, or if the set has none. A removal deletes these ClusterRoles after
// the custom resource. So the manager has probably deleted the custom resource before a restart, and waiting for permissions would never
// end. It is also possible that a user deleted the ClusterRoles.
//
// While the owner's ReaderRole permits the manager to read the custom resource, a denied request has a different reason, and the result is
// empty. A removal deletes the ReaderRole last.
func (t *teardown) removedGrant(ctx context.Context, desired *object.Desired, of schema.GroupResource) string {
	roles := t.set.SelfGranted()[desired.Key.GroupKind]
	for _, role := range roles {
		if live, err := t.clusterRole(ctx, role.Key.Name); live != nil || err != nil {
			return ""
		}
	}
	if len(roles) == 0 {
		return ""
	}
	if reader, err := t.clusterRole(ctx, object.ReaderRoleName(t.owner)); err != nil || reader != nil && permitsGet(reader, of) {
		return ""
	}
	return roles[0].Key.String()
}

// clusterRole returns a ClusterRole, or nil if it does not exist.
func (t *teardown) clusterRole(ctx context.Context, name string) (*unstructured.Unstructured, error) {
	live, err := t.manager.Resource(rbacv1.SchemeGroupVersion.WithResource("clusterroles")).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return live, err
}

// permitsGet reports whether a ClusterRole permits the verb get on a resource in a rule that names the resource. It returns true if the
// ClusterRole cannot be decoded.
func permitsGet(live *unstructured.Unstructured, resource schema.GroupResource) bool {
	var role rbacv1.ClusterRole
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &role); err != nil {
		return true
	}
	return slices.ContainsFunc(role.Rules, func(rule rbacv1.PolicyRule) bool {
		return slices.Contains(rule.APIGroups, resource.Group) && slices.Contains(rule.Resources, resource.Resource) &&
			slices.Contains(rule.Verbs, "get")
	})
}
