package scenario

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/client-go/kubernetes"
)

// systemNamespaces are the Namespaces that kube-apiserver creates in every cluster.
var systemNamespaces = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease}

// discoveryPaths are the non-resource URLs that every authenticated user may read.
var discoveryPaths = []string{"/api", "/api/*", "/apis", "/apis/*", "/healthz", "/livez", "/openapi", "/openapi/*", "/readyz", "/version", "/version/"}

// bootstrapRoles returns the default ClusterRoles of kube-apiserver that operators rely on, and the groups they are bound to. The
// user-facing roles are in userFacingRoles.
func bootstrapRoles() []bootstrapRole {
	return []bootstrapRole{
		{"cluster-admin", user.SystemPrivilegedGroup, []rbacv1.PolicyRule{
			rule("*", "*", "*"), {Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
		}},
		{"system:basic-user", user.AllAuthenticated, []rbacv1.PolicyRule{
			rule("create", "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
			rule("create", "authentication.k8s.io", "selfsubjectreviews"),
		}},
		{"system:discovery", user.AllAuthenticated, []rbacv1.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: discoveryPaths}}},
		{"system:auth-delegator", "", []rbacv1.PolicyRule{
			rule("create", "authentication.k8s.io", "tokenreviews"), rule("create", "authorization.k8s.io", "subjectaccessreviews"),
		}},
	}
}

// bootstrapRole is a default ClusterRole. If group is not empty, a ClusterRoleBinding of the same name binds the role to the group.
type bootstrapRole struct {
	name, group string
	rules       []rbacv1.PolicyRule
}

// bootstrap creates the Namespaces of systemNamespaces, and the ClusterRoles and ClusterRoleBindings of userFacingRoles and bootstrapRoles.
// It returns an error if one of them exists.
func bootstrap(ctx context.Context, client kubernetes.Interface) error {
	for _, name := range systemNamespaces {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if _, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating Namespace %q: %w", name, err)
		}
	}
	for _, role := range userFacingRoles() {
		if _, err := client.RbacV1().ClusterRoles().Create(ctx, &role, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating ClusterRole %q: %w", role.Name, err)
		}
	}
	for _, role := range bootstrapRoles() {
		meta := metav1.ObjectMeta{Name: role.name}
		if _, err := client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: role.rules}, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating ClusterRole %q: %w", role.name, err)
		}
		if role.group == "" {
			continue
		}
		binding := &rbacv1.ClusterRoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.name},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: role.group}},
		}
		if _, err := client.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("creating ClusterRoleBinding %q: %w", role.name, err)
		}
	}
	return nil
}
