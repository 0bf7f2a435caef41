package story

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/rbac"
)

const (
	// deployer is the name of the ServiceAccounts that install operators, and of their ClusterRole.
	deployer = "deployer"
	// bundleRoleFile is the manifest of the ClusterRole with what the manager needs for bundles if it installs them itself.
	bundleRoleFile = "0000_50_platform-operators_26-bundles-registryv1-clusterrole.yaml"
)

// createDeployer creates a namespace, with a ServiceAccount that may install any registry+v1 bundle, and permits the manager to install as it.
// In the payload, the manager has the permissions that the ServiceAccount gets here.
func (a *Admin) createDeployer(ctx context.Context, namespace string) error {
	content, err := os.ReadFile(filepath.Join(a.Environment.Root, "manifests", bundleRoleFile))
	if err != nil {
		return fmt.Errorf("reading the permissions that bundles need: %w", err)
	}
	var shipped rbacv1.ClusterRole
	if err := yaml.Unmarshal(content, &shipped); err != nil {
		return fmt.Errorf("reading the permissions that bundles need: %w", err)
	}
	// The manager's own role grants it to the manager.
	definitions := rbacv1.PolicyRule{APIGroups: []string{"apiextensions.k8s.io"}, Resources: []string{"customresourcedefinitions"}, Verbs: []string{"list", "watch"}}
	_, roleErr := a.Kubernetes.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: deployer}, Rules: append(shipped.Rules, definitions),
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(roleErr) {
		roleErr = nil
	}
	_, namespaceErr := a.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	_, accountErr := a.Kubernetes.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: deployer}}, metav1.CreateOptions{})
	_, grantErr := a.Kubernetes.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: namespace + "-deployer"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: deployer},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: deployer}},
	}, metav1.CreateOptions{})
	_, managerErr := a.Kubernetes.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "platform-operators"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: rbac.NamespaceRole},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: environment.Namespace, Name: environment.ServiceAccount}},
	}, metav1.CreateOptions{})
	return errors.Join(roleErr, namespaceErr, accountErr, grantErr, managerErr)
}
