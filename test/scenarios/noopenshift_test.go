package scenarios

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// Promise HRD-U11: On a cluster without OpenShift's kinds, a PlatformOperator reports at once what is missing, and BundleDeployments are
// installed, repaired and removed. When the kinds are served, the PlatformOperator is installed without a restart.
func TestHRD_U11_WithoutOpenShift(t *testing.T) {
	t.Parallel()
	runStory(t, "HRD-U11 PlatformOperators report what is missing, and BundleDeployments work", defaultOperators, func(ctx context.Context, s *Story) {
		s.KillManager()
		definitionsOfOpenShift := s.removeOpenShift(ctx)
		s.Settle()
		s.StartManager()

		s.create(ctx, "sleeper", "")
		created := time.Now()
		s.waitForRefusal(ctx, "sleeper", platformv1alpha1.ReasonValidationFailed, "does not serve clusterversions.config.openshift.io", "PlatformOperators need OpenShift", "create a BundleDeployment")
		s.Expect(time.Since(created)).To(BeNumerically("<", 5*time.Second))
		s.waitForProgressing(ctx, "sleeper", metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "clusterversions.config.openshift.io")

		s.By("installing, repairing and removing a BundleDeployment")
		s.deploy(ctx, "plainly", s.publishBundle(ctx, samples.Operator{Package: "plainly", Version: "1.0.0", ExtraConfigMap: "plainly-settings"}))
		s.waitForCondition(ctx, "plainly", corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps("plainly").Delete(ctx, "plainly-settings", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.configMapExists).WithContext(ctx).WithArguments("plainly", "plainly-settings").Should(Succeed())

		s.By("waiting for longer than library-go waits for caches")
		before, err := s.operatorVersions(ctx)
		s.Expect(err).NotTo(HaveOccurred())
		s.Consistently(s.operatorVersions, 25*time.Minute, time.Minute).WithContext(ctx).Should(Equal(before))
		s.undeploy(ctx, "plainly")

		s.By("restoring the kinds")
		for i := range definitionsOfOpenShift {
			_, err := s.Admin.Dynamic.Resource(definitions).Create(ctx, &definitionsOfOpenShift[i], metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		s.waitForOperatorCondition(ctx, "sleeper", metav1.Condition{Type: platformv1alpha1.ConditionInstalled, Status: metav1.ConditionTrue, Reason: platformv1alpha1.ReasonInstallSuccessful})
	})
}

// removeOpenShift deletes OpenShift's CustomResourceDefinitions of group config.openshift.io, and returns them without status. The CVO has
// set an owner reference to ClusterVersion on the payload's objects, so removeOpenShift first removes these references.
func (s *Story) removeOpenShift(ctx context.Context) (removed []unstructured.Unstructured) {
	s.Helper()
	orphan := metav1.DeletePropagationOrphan
	s.Expect(s.Admin.Config.ConfigV1().ClusterVersions().Delete(ctx, "version", metav1.DeleteOptions{PropagationPolicy: &orphan})).To(Succeed())
	s.Settle()
	client := s.Admin.Dynamic.Resource(definitions)
	all, err := client.List(ctx, metav1.ListOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	for _, each := range all.Items {
		if group, _, _ := unstructured.NestedString(each.Object, "spec", "group"); group == configv1.GroupName {
			s.Expect(client.Delete(ctx, each.GetName(), metav1.DeleteOptions{})).To(Succeed())
			each.SetResourceVersion("")
			delete(each.Object, "status")
			removed = append(removed, each)
		}
	}
	s.Expect(len(removed)).To(BeNumerically(">=", 3))
	return removed
}
