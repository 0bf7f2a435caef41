package main

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

const (
	// policiesName is the name of the namespace, of the objects, and of the ProvisionerClass and the package, which do not exist: the
	// manager installs nothing.
	policiesName = "policies"
	// tenantAccount has the verbs that the policies require. outsiderAccount has only those that RBAC requires.
	tenantAccount, outsiderAccount = "tenant", "outsider"
)

// policyRequest is a dry-run merge patch.
type policyRequest struct {
	name     string
	resource schema.GroupVersionResource
	patch    string
	count    int // the number of requests with the policies, and of those without them
	// asTenant is the client whose requests the policies admit, and asOutsider the one whose requests they deny.
	asTenant, asOutsider dynamic.Interface
}

func (r policyRequest) send(ctx context.Context, as dynamic.Interface) error {
	_, err := as.Resource(r.resource).Patch(ctx, policiesName, types.MergePatchType, []byte(r.patch), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// preparePolicyRequests creates the objects, the ServiceAccounts and their permissions, and returns the requests.
func (l *live) preparePolicyRequests(ctx context.Context) ([]policyRequest, error) {
	if err := l.createAccount(ctx, policiesName); err != nil {
		return nil, err
	}
	if err := l.createPolicyObjects(ctx); err != nil {
		return nil, err
	}
	patching := rbacv1.PolicyRule{APIGroups: []string{corev1alpha2.GroupName, platformv1alpha1.GroupName}, Resources: []string{"bundledeployments", "platformoperators"}, Verbs: []string{"get", "patch"}}
	tenant, err := l.newUser(ctx, tenantAccount, patching,
		rbacv1.PolicyRule{APIGroups: []string{corev1alpha2.GroupName}, Resources: []string{"provisionerclasses"}, Verbs: []string{"use"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, ResourceNames: []string{deployerAccount}, Verbs: []string{"impersonate"}},
		rbacv1.PolicyRule{APIGroups: []string{corev1alpha2.GroupName}, Resources: []string{"bundledeployments"}, Verbs: []string{"approve"}})
	if err != nil {
		return nil, err
	}
	outsider, err := l.newUser(ctx, outsiderAccount, patching)
	if err != nil {
		return nil, err
	}
	deployments, operators := corev1alpha2.SchemeGroupVersion.WithResource("bundledeployments"), platformv1alpha1.SchemeGroupVersion.WithResource("platformoperators")
	approval := fmt.Sprintf(`{"spec":{"approval":{"planDigest":"sha256:other","approvedBy":%q}}}`, serviceaccount.MakeUsername(policiesName, tenantAccount))
	return []policyRequest{
		{"change of a BundleDeployment", deployments, `{"spec":{"paused":true}}`, policyRequests, tenant, outsider},
		{"approval of a plan", deployments, approval, fewerRequests, tenant, outsider},
		{"change of a PlatformOperator", operators, `{"spec":{"paused":true}}`, fewerRequests, tenant, outsider},
	}, nil
}

// createPolicyObjects creates a BundleDeployment and a PlatformOperator that deployerAccount would install.
func (l *live) createPolicyObjects(ctx context.Context) error {
	deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: policiesName}, Spec: corev1alpha2.BundleDeploymentSpec{
		InstallNamespace: policiesName, ProvisionerClassName: policiesName, ServiceAccountName: deployerAccount,
		Source: corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeImage, Image: &corev1alpha2.ImageSource{Ref: "registry.invalid/policies"}},
	}}
	if _, err := l.admin.Platform.CoreV1alpha2().BundleDeployments().Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
		return err
	}
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: policiesName}}
	operator.Spec.Package.Name = policiesName
	operator.Spec.Install = &platformv1alpha1.Install{Namespace: policiesName, ServiceAccountName: deployerAccount}
	_, err := l.admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, operator, metav1.CreateOptions{})
	return err
}

// newUser creates a ServiceAccount with permissions in the whole cluster, and returns a client that sends its token.
func (l *live) newUser(ctx context.Context, name string, rules ...rbacv1.PolicyRule) (dynamic.Interface, error) {
	client, meta := l.admin.Kubernetes, metav1.ObjectMeta{Name: name}
	if _, err := client.CoreV1().ServiceAccounts(policiesName).Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if _, err := client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	if _, err := client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: policiesName, Name: name}},
	}, metav1.CreateOptions{}); err != nil {
		return nil, err
	}
	token, err := client.CoreV1().ServiceAccounts(policiesName).CreateToken(ctx, name, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(time.Hour / time.Second))},
	}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	config := rest.AnonymousClientConfig(l.Admin)
	config.BearerToken = token.Status.Token
	return dynamic.NewForConfig(config)
}
