package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/cli/exit"
	"github.com/openshift/platform-operators/pkg/scenario"
	"github.com/openshift/platform-operators/test/samples"
)

// blockedReasons returns the blockedReason of each available update of a PlatformOperator, newest first.
func (s *Story) blockedReasons(ctx context.Context, name string) (reasons []platformv1alpha1.BlockedReason, err error) {
	operator, err := s.Admin.Operator(ctx, name)
	if err != nil {
		return nil, err
	}
	for _, update := range operator.Status.AvailableUpdates {
		reasons = append(reasons, update.BlockedReason)
	}
	return reasons, nil
}

func TestHRD_T9_CommandsOfTheGateApproveAVersionAndItsPlan(t *testing.T) {
	t.Parallel()
	runStory(t, "HRD-T9 the gate's commands approve the version that unblocks the upgrade, and then its plan", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "lantern"
		s.offerUpTo(ctx, name, "1.0.0 4.21")
		s.create(ctx, name, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.0.0").Should(Succeed())
		s.patchOperatorSpec(ctx, name, `"upgrades": {"approval": "Manual"}, "install": {"approval": {"mode": "Required"}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "True ApprovalNotNeeded")
		s.offerUpTo(ctx, name, "1.0.0 4.21", "1.1.0 4.22")

		s.By("approving the version")
		s.waitForGateOf(ctx, name, `set spec.upgrades.approvedVersion to "1.1.0" (allows 4.22).`)
		s.Expect(s.blockedReasons(ctx, name)).To(HaveExactElements(platformv1alpha1.BlockedAwaitingApproval))
		s.runCommand(ctx, s.nextStep(ctx, name))

		s.By("approving its plan")
		plan := s.waitForPlan(ctx, name, 2)
		s.waitForGateOf(ctx, name, "update to >=1.1.0 (allows 4.22); approve the plan of version 1.1.0", `"oc platform approve lantern"`)
		s.Eventually(s.blockedReasons).WithContext(ctx).WithArguments(name).Should(HaveExactElements(platformv1alpha1.BlockedAwaitingPlanApproval))
		result := s.runPlugin(ctx, scenario.AdminUser, &answers{}, "explain", "upgrade", "-o", "json")
		s.Expect(result.Code).To(Equal(exit.Blocked), result.ErrOut)
		s.Expect(result.Out).To(ContainSubstring(`"command": "oc platform approve lantern"`))
		command := s.nextStep(ctx, name)
		s.Expect(command).To(ContainSubstring(plan.Digest))
		s.runCommand(ctx, command)
		s.waitForGateOf(ctx, name)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name, "1.1.0").Should(Succeed())
		operator, err := s.Admin.Operator(ctx, name)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(operator.Status.History[0].ApprovedBy).To(Equal(scenario.AdminUser))
	})

	runStory(t, "HRD-T9 the gate's command approves the plan of a BundleDeployment without a PlatformOperator", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "mallet"
		var refs []string
		for i, version := range []string{"1.0.0", "1.1.0", "1.2.0"} {
			operator := samples.Operator{Package: name, Version: version, MaxOpenShiftVersion: fmt.Sprintf(`"4.%d"`, 20+max(1, i))}
			refs = append(refs, s.publishBundle(ctx, operator))
		}
		s.deployWith(ctx, name, name, refs[0], "")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.patchDeployment(ctx, name, `{"spec":{"approval":{"mode":"Required"}}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "True ApprovalNotNeeded")

		s.By("waiting for a version that does not permit the upgrade either")
		s.setImage(ctx, name, refs[1])
		s.waitForPlan(ctx, name, 2)
		s.waitForGateOf(ctx, "BundleDeployment "+name, "set its spec.source to a version that allows 4.22")

		s.By("waiting for one that does")
		s.setImage(ctx, name, refs[2])
		s.waitForPlan(ctx, name, 3)
		s.waitForGateOf(ctx, "BundleDeployment "+name, "approve the plan of version 1.2.0 (allows 4.22)")
		s.runCommand(ctx, s.nextStep(ctx, name))
		s.waitForGateOf(ctx, name)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionApproved, "True Approved", "approved by "+scenario.AdminUser)
	})
}
