package scenarios

import (
	"context"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// managerRole is the name of the ClusterRole with the manager's own permissions.
const managerRole = "platform-operators-manager"

// Promise HRD-T6: If the manager loses a permission to write, the ClusterOperator is Degraded after its inertia and names the permission.
// Within 10 seconds after the permission is back, the write has succeeded.
func TestHRD_T6_LostPermissionIsReportedAndItsReturnNoticed(t *testing.T) {
	t.Parallel()
	runStory(t, "HRD-T6 a lost permission is reported, and denied writes succeed within 10 seconds of its return", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, lost = "lantern", `update "platformoperators/status" in API group "platform.openshift.io"`
		s.publishOperators(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})
		roles := s.Admin.Kubernetes.RbacV1().ClusterRoles()
		complete, err := roles.Get(ctx, managerRole, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		reduced := complete.DeepCopy()
		reduced.Rules = slices.DeleteFunc(reduced.Rules, func(rule rbacv1.PolicyRule) bool { return slices.Contains(rule.Resources, "platformoperators/status") })
		s.Expect(len(reduced.Rules)).To(Equal(len(complete.Rules) - 1))
		s.isManagerDenied.Store(true)
		reduced, err = roles.Update(ctx, reduced, metav1.UpdateOptions{})
		s.Expect(err).NotTo(HaveOccurred())

		s.By("creating a PlatformOperator whose status the manager cannot write")
		s.create(ctx, pkg, "")
		began := time.Now()
		s.eventuallyClusterOperator(ctx, configv1.OperatorDegraded, configv1.ConditionTrue).WithTimeout(4 * time.Minute).Should(And(HavePrefix("Writes_PermissionsMissing: "), ContainSubstring(lost)))
		s.Eventually(time.Since).WithContext(ctx).WithArguments(began).WithTimeout(time.Hour).WithPolling(time.Minute).Should(BeNumerically(">", 15*time.Minute), "until the manager's backoff is minutes long")

		s.By("returning the permission")
		reduced.Rules = complete.Rules
		_, err = roles.Update(ctx, reduced, metav1.UpdateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		returned := time.Now()
		s.Eventually(s.Admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionInstalled, metav1.ConditionTrue, platformv1alpha1.ReasonInstallSuccessful).Should(Succeed())
		s.Expect(time.Since(returned)).To(BeNumerically("<", 10*time.Second))
		s.isManagerDenied.Store(false)
		s.eventuallyClusterOperator(ctx, configv1.OperatorDegraded, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
	})
}
