package cluster

import (
	"context"
	"encoding/json"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/operators"
	"github.com/openshift/platform-operators/pkg/pager"
)

// maxRolePages is the maximum number of pages of ClusterRoles and of ClusterRoleBindings that are read. They hold thousands of objects.
const maxRolePages = 10

// Permission is a verb on one object of the cluster.
type Permission struct{ Verb, Group, Resource, Name string }

// User returns the name of the user, as admission policies see it.
func (c *Connection) User(ctx context.Context) (string, error) {
	review, err := c.authentication.SelfSubjectReviews().Create(ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
	if err != nil {
		return "", c.explain(err, subject{"the name of the user", "create", "selfsubjectreviews.authentication.k8s.io"})
	}
	return review.Status.UserInfo.Username, nil
}

// IsPermitted reports whether the user has a permission.
func (c *Connection) IsPermitted(ctx context.Context, asked Permission) (bool, error) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: asked.Verb, Group: asked.Group, Resource: asked.Resource, Name: asked.Name},
	}}
	answer, err := c.authorization.SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return false, c.explain(err, subject{"the permissions of the user", "create", "selfsubjectaccessreviews.authorization.k8s.io"})
	}
	return answer.Status.Allowed, nil
}

// ManagerConfigMap returns a ConfigMap of the manager's namespace.
func (c *Connection) ManagerConfigMap(ctx context.Context, name string) (*corev1.ConfigMap, error) {
	found, err := c.core.ConfigMaps(operators.ManagerNamespace).Get(ctx, name, metav1.GetOptions{})
	return found, c.explain(err, subject{fmt.Sprintf("ConfigMap %q", name), "get", "configmaps/" + name + " -n " + operators.ManagerNamespace})
}

// Roles returns the ClusterRoles and the ClusterRoleBindings. isComplete is false if there are more, which are not read.
func (c *Connection) Roles(ctx context.Context) (roles []rbacv1.ClusterRole, bindings []rbacv1.ClusterRoleBinding, isComplete bool, err error) {
	isComplete = true
	hasMore := func(page int, token string) bool {
		isComplete = isComplete && (page < maxRolePages || token == "")
		return page < maxRolePages
	}
	pages := 0
	err = pager.Each(ctx, c.rbac.ClusterRoles().List, metav1.ListOptions{}, func(page *rbacv1.ClusterRoleList) (bool, error) {
		pages++
		roles = append(roles, page.Items...)
		return hasMore(pages, page.Continue), nil
	})
	if err != nil {
		return nil, nil, false, err
	}
	pages = 0
	err = pager.Each(ctx, c.rbac.ClusterRoleBindings().List, metav1.ListOptions{}, func(page *rbacv1.ClusterRoleBindingList) (bool, error) {
		pages++
		bindings = append(bindings, page.Items...)
		return hasMore(pages, page.Continue), nil
	})
	return roles, bindings, isComplete, err
}

// PatchDeployment merges fields into the spec of a BundleDeployment. It returns an error for which IsConflict is true if the object is not
// the one that was read, or has changed since.
func (c *Connection) PatchDeployment(ctx context.Context, read *corev1alpha2.BundleDeployment, fields map[string]any) error {
	patch, err := patchOf(read, fields)
	if err != nil {
		return err
	}
	_, err = c.bundles.BundleDeployments().Patch(ctx, read.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return c.explainPatch(err, fmt.Sprintf("BundleDeployment %q", read.Name), "bundledeployments.core.rukpak.io/"+read.Name)
}

// PatchOperator merges fields into the spec of a PlatformOperator. It returns an error for which IsConflict is true if the object is not
// the one that was read, or has changed since.
func (c *Connection) PatchOperator(ctx context.Context, read *platformv1alpha1.PlatformOperator, fields map[string]any) error {
	patch, err := patchOf(read, fields)
	if err != nil {
		return err
	}
	_, err = c.platform.PlatformOperators().Patch(ctx, read.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return c.explainPatch(err, fmt.Sprintf("PlatformOperator %q", read.Name), "platformoperators.platform.openshift.io/"+read.Name)
}

// patchOf returns a merge patch of the spec with the preconditions that the object is the one that was read, and has not changed since.
func patchOf(read metav1.Object, fields map[string]any) ([]byte, error) {
	return json.Marshal(map[string]any{
		"metadata": map[string]any{"uid": read.GetUID(), "resourceVersion": read.GetResourceVersion()}, "spec": fields,
	})
}

// explainPatch is explain for a patch. resource is the resource with the name of the object.
func (c *Connection) explainPatch(err error, text, resource string) error {
	switch {
	case err == nil:
		return nil
	case apierrors.IsForbidden(err):
		return fmt.Errorf("changing %s: %w; check the permission with: %s auth can-i patch %s", text, err, c.kubectl, resource)
	}
	return fmt.Errorf("changing %s: %w", text, err)
}

// IsConflict reports whether an object has changed since it was read.
func IsConflict(err error) bool { return apierrors.IsConflict(err) }
