package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// retry sets annotation platform.openshift.io/retry of a PlatformOperator.
func (s *Story) retry(ctx context.Context, name, value string) {
	s.Helper()
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:%q}}}`, platformv1alpha1.AnnotationRetry, value)
	_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

func TestRetries(t *testing.T) {
	t.Parallel()
	const failed = platformv1alpha1.ReasonDeadlineExceeded

	// Promise HRD-U4: A change of spec.install.config is a step with its own entry in history: while it is rolled out, the PlatformOperator
	// is Progressing, and all messages name spec.install, not a move to another version.
	runStory(t, "HRD-U3 HRD-U4 another configuration that fails is rolled back, named as such, and tried again by the annotation only", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "mallet"
		configure := func(colour string) {
			s.patchOperatorSpec(ctx, pkg, `"install": {"config": {"deploymentConfig": {"env": [{"name": "COLOUR", "value": "`+colour+`"}]}}}`)
		}
		s.offerVersions(ctx, pkg, "", "1.0.0")
		s.createWithSpec(ctx, pkg, `"install": {"onFailure": "Rollback", "progressDeadlineSeconds": 30}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())

		s.By("changing the configuration while no Pod can start")
		s.setUnschedulable(ctx, true)
		configure("red")
		s.waitForProgressing(ctx, pkg, metav1.ConditionTrue, platformv1alpha1.ReasonUpgrading, "Applying the changed spec.install to version 1.0.0: ")
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.0.0 Installing by InstallChange", "1.0.0 Ready by Installation"}))
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, failed, "The changed spec.install of version 1.0.0 failed. Revision 2", "annotation platform.openshift.io/retry")
		rolledBack := []string{"1.0.0 RolledBack by InstallChange", "1.0.0 Ready by Installation"}
		s.Expect(s.historyOf(ctx, pkg)).To(Equal(rolledBack))
		s.Expect(s.eventsAbout(ctx, platformv1alpha1.EventUpgradeStarted, pkg)).To(ConsistOf(`PlatformOperator "mallet": Applying the changed spec.install to version 1.0.0`))
		s.Expect(s.eventsAbout(ctx, platformv1alpha1.EventUpgradeFailed, pkg)).To(ConsistOf(
			HavePrefix(`PlatformOperator "mallet": the changed spec.install of version 1.0.0 missed its deadline and was rolled back to the former one`)))

		s.By("making changes that are no reason to try it again")
		s.setUnschedulable(ctx, false)
		for _, spec := range []string{`"paused": true`, `"paused": null`, `"package": {"version": ">=1.0.0"}`, `"install": {"drift": {"policy": "Report"}}`} {
			s.patchOperatorSpec(ctx, pkg, spec)
			s.Settle()
		}
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, failed)
		s.Expect(s.historyOf(ctx, pkg)).To(Equal(rolledBack))

		s.By("requesting another attempt")
		s.retry(ctx, pkg, "1")
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal(append([]string{"1.0.0 Ready by Retry"}, rolledBack...)))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.Expect(s.eventsAbout(ctx, platformv1alpha1.EventUpgradeStarted, pkg)).To(ContainElement(`PlatformOperator "mallet": Trying version 1.0.0 again`))

		s.By("changing the configuration again, with success")
		configure("blue")
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(HaveExactElements("1.0.0 Ready by InstallChange", "1.0.0 Ready by Retry", HavePrefix("1.0.0 RolledBack"), HavePrefix("1.0.0 Ready")))
		s.Expect(s.eventsAbout(ctx, platformv1alpha1.EventUpgradeSucceeded, pkg)).To(ContainElement(HavePrefix(`PlatformOperator "mallet" is installed with the changed spec.install at version 1.0.0, which is complete and healthy`)))
	})
}
