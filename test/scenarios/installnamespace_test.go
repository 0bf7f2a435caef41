package scenarios

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestExistingNamespace(t *testing.T) {
	t.Parallel()
	// Promise HRD-S1: An operator is installed in a namespace that the manager did not create only when the spec names it, and with a
	// warning. Else nothing is written, and the message names the namespace, its requester and the field to set.
	runStory(t, "HRD-S1 an existing namespace is used only if spec names it, with a warning, and cannot be changed later", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "squatted"
		_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
			Name: name, Annotations: map[string]string{"openshift.io/requester": "alice"}}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.offerVersions(ctx, name, "", "1.0.0")
		s.createWithSpec(ctx, name, "")
		s.waitForOperatorCondition(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionInstalled, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonInstallFailed},
			"Namespace squatted", `requested by "alice"`, `set spec.install.namespace of the PlatformOperator to "squatted"`)
		accounts, err := s.Admin.Kubernetes.CoreV1().ServiceAccounts(name).List(ctx, metav1.ListOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		for _, each := range accounts.Items {
			s.Expect(each.Name).To(Equal("default"))
		}
		s.Expect(s.isCRDMissing(ctx, name)).To(BeTrue(), "nothing is written")

		s.patchOperatorSpec(ctx, name, `"install":{"namespace":"squatted"}`)
		s.waitForOperatorCondition(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionInstalled, Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonInstallSuccessful}, name)
		s.Eventually(func(ctx context.Context) ([]string, error) {
			live, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Get(ctx, name, metav1.GetOptions{})
			return live.Status.Warnings, err
		}).WithContext(ctx).Should(ContainElement(HavePrefix("Namespace squatted: it was not created by the manager")))
		_, err = s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType,
			[]byte(`{"spec":{"install":{"namespace":"elsewhere"}}}`), metav1.PatchOptions{})
		s.Expect(err).To(MatchError(ContainSubstring("install.namespace is immutable")))
	})
}

// isCRDMissing reports whether the CustomResourceDefinition of a sample operator does not exist.
func (s *Story) isCRDMissing(ctx context.Context, pkg string) (bool, error) {
	_, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, pkg+"s.samples.platform.openshift.io", metav1.GetOptions{})
	if err == nil {
		return false, nil
	}
	return true, ignoreNotFound(err)
}
