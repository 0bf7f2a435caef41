package admission

import (
	"context"
	"fmt"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// Right is a verb on an object, or on all objects of a resource if Name is empty.
type Right struct {
	Verb, Group, Resource string
	// Namespace is set for a right that holds in one namespace only.
	Namespace string
	Name      string
}

// use, deployUnscoped and approve return rights to one object. An empty name means all objects.
func use(class string) Right {
	return Right{Verb: "use", Group: corev1alpha2.GroupName, Resource: "provisionerclasses", Name: class}
}

func deployUnscoped(class string) Right {
	return Right{Verb: "deploy-unscoped", Group: corev1alpha2.GroupName, Resource: "provisionerclasses", Name: class}
}

func approve(deployment string) Right {
	return Right{Verb: "approve", Group: corev1alpha2.GroupName, Resource: "bundledeployments", Name: deployment}
}

// impersonate returns the right to impersonate a ServiceAccount of a namespace.
func impersonate(namespace, account string) Right {
	return Right{Verb: "impersonate", Resource: "serviceaccounts", Namespace: namespace, Name: account}
}

// everything is the right of a cluster admin.
var everything = Right{Verb: "*", Group: "*", Resource: "*"}

// writeRights are the rights to write the payload's objects. Every user of a table has them, so that RBAC denies no request of a table.
func writeRights() []rbacv1.PolicyRule {
	return []rbacv1.PolicyRule{{
		APIGroups: []string{corev1alpha2.GroupName, platformv1alpha1.GroupName}, Resources: []string{"bundledeployments", "platformoperators"},
		Verbs: []string{"get", "create", "update", "patch", "delete", "deletecollection"},
	}}
}

func (r Right) rule() rbacv1.PolicyRule {
	rule := rbacv1.PolicyRule{Verbs: []string{r.Verb}, APIGroups: []string{r.Group}, Resources: []string{r.Resource}}
	if r.Name != "" {
		rule.ResourceNames = []string{r.Name}
	}
	return rule
}

// grant creates the roles of a user, and waits until they are in effect. role is the name of the roles and of the bindings.
func (c Cluster) grant(ctx context.Context, role, user string, rights []Right) error {
	meta, subjects := metav1.ObjectMeta{Name: role}, []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}}
	clusterRules, rules := writeRights(), map[string][]rbacv1.PolicyRule{}
	for _, right := range rights {
		if right.Namespace == "" {
			clusterRules = append(clusterRules, right.rule())
		} else {
			rules[right.Namespace] = append(rules[right.Namespace], right.rule())
		}
	}
	client := c.Admin.RbacV1()
	for namespace := range rules {
		if _, err := client.Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules[namespace]}, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("granting user %q rights in namespace %s: %w", user, namespace, err)
		}
		binding := &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: role}}
		if _, err := client.RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("granting user %q rights in namespace %s: %w", user, namespace, err)
		}
	}
	if _, err := client.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: clusterRules}, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("granting user %q rights: %w", user, err)
	}
	binding := &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role}}
	if _, err := client.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("granting user %q rights: %w", user, err)
	}
	if c.GrantsAtOnce {
		return nil
	}
	for _, right := range append(rights, Right{Verb: "deletecollection", Group: platformv1alpha1.GroupName, Resource: "platformoperators"}) {
		if err := c.waitForRight(ctx, user, right); err != nil {
			return err
		}
	}
	return nil
}

// waitForRight waits until the API server's authorizer has seen a right of a user.
func (c Cluster) waitForRight(ctx context.Context, user string, right Right) error {
	const interval, timeout = 50 * time.Millisecond, 30 * time.Second
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{
		Verb: right.Verb, Group: right.Group, Resource: right.Resource, Namespace: right.Namespace, Name: right.Name,
	}}}
	err := wait.PollUntilContextTimeout(ctx, interval, timeout, true, func(ctx context.Context) (bool, error) {
		answer, err := c.Admin.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return err == nil && answer.Status.Allowed, err
	})
	if err != nil {
		return fmt.Errorf("waiting until user %q has %+v: %w", user, right, err)
	}
	return nil
}

// revoke deletes the roles and bindings that grant created.
func (c Cluster) revoke(ctx context.Context, role string, rights []Right) error {
	client := c.Admin.RbacV1()
	deletions := []func(context.Context, string, metav1.DeleteOptions) error{client.ClusterRoleBindings().Delete, client.ClusterRoles().Delete}
	for _, right := range rights {
		if right.Namespace != "" {
			deletions = append(deletions, client.RoleBindings(right.Namespace).Delete, client.Roles(right.Namespace).Delete)
		}
	}
	for _, deleteRole := range deletions {
		if err := deleteRole(ctx, role, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("revoking the rights of role %s: %w", role, err)
		}
	}
	return nil
}
