package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

// deployer is the ServiceAccount that applies the objects of scoped BundleDeployments.
const deployer = "deployer"

// createDeployer creates a ServiceAccount in a namespace, with the ClusterRole admin in that namespace.
func (s *Story) createDeployer(ctx context.Context, namespace, name string) {
	s.Helper()
	_, err := s.Admin.Kubernetes.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = s.Admin.Kubernetes.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

func TestServiceAccounts(t *testing.T) {
	t.Parallel()
	runStory(t, "ENG-A10 a bundle whose objects all fit the namespace is installed as a ServiceAccount", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "lodger"
		s.createNamespace(ctx, name)
		s.createDeployer(ctx, name, deployer)
		ref := s.publishPlain(ctx, name, configMapText(name+"-more", "us"))
		s.deployScoped(ctx, name, name, deployer, ref)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})
}

// deployScoped creates a BundleDeployment of a plain+v0 bundle that a ServiceAccount applies.
func (s *Story) deployScoped(ctx context.Context, name, namespace, serviceAccount, ref string) {
	s.Helper()
	manifest := bundleDeploymentManifest(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: %s, serviceAccountName: %s, source: {type: image, image: {ref: %q}}}", namespace, plainClass, serviceAccount, ref))
	_, err := s.Admin.Dynamic.Resource(bundleDeployments).Create(ctx, s.parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}
