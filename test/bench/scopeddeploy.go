package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// deployerAccount is the ServiceAccount that applies the objects of a scoped BundleDeployment.
const deployerAccount = "deployer"

// deployIntoNamespace creates a namespace with a ServiceAccount that is an admin of it, and a BundleDeployment for an image. The namespace has
// the BundleDeployment's name. The ServiceAccount applies the objects if isScoped is true, and the manager if it is false.
func (l *live) deployIntoNamespace(ctx context.Context, name, ref string, isScoped bool) error {
	if err := l.createAccount(ctx, name); err != nil {
		return fmt.Errorf("preparing namespace %q: %w", name, err)
	}
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1alpha2.BundleDeploymentSpec{
		InstallNamespace: name, ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry,
		Source: corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: ref}},
	}}
	if isScoped {
		deployment.Spec.ServiceAccountName = deployerAccount
	}
	_, err := l.admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, deployment, metav1.CreateOptions{})
	return err
}

// createAccount creates a namespace, and in it deployerAccount with ClusterRole admin.
func (l *live) createAccount(ctx context.Context, namespace string) error {
	client, account := l.admin.Kubernetes, metav1.ObjectMeta{Name: deployerAccount}
	if _, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := client.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: account}, metav1.CreateOptions{}); err != nil {
		return err
	}
	_, err := client.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: account,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: deployerAccount}},
	}, metav1.CreateOptions{})
	return err
}
