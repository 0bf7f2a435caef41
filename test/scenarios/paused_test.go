package scenarios

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

func TestPausedBundleDeployment(t *testing.T) {
	t.Parallel()
	runStory(t, "edits during a pause are reverted when the pause ends", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "rester"
		s.deployWithDriftPolicy(ctx, name, "{}")
		s.patchDeployment(ctx, name, `{"spec":{"paused":true}}`)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(HavePrefix("False Paused: "))
		s.patchSettings(ctx, name, "someone", `{"data":{"a":"evil"}}`)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(
			And(ContainSubstring("True DriftReported"), ContainSubstring("spec.paused")))
		s.Expect(s.settingsOf(ctx, name)).To(HaveKeyWithValue("a", "evil"))

		s.patchDeployment(ctx, name, `{"spec":{"paused":false}}`)
		s.Eventually(s.settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("a", "1"))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(ContainSubstring("False AsExpected"))
		s.Eventually(s.driftOf).WithContext(ctx).WithArguments(name).Should(ConsistOf(
			record(corev1alpha2.DriftEdited, corev1alpha2.DriftRepaired, "someone", "/data/a")))
	})

	runStory(t, "edits during a pause are reported by a manager that was restarted, and left after the pause if the policy is Report", defaultOperators,
		func(ctx context.Context, s *Story) {
			const name = "rester"
			s.deployWithDriftPolicy(ctx, name, `{"policy":"Report"}`)
			s.patchDeployment(ctx, name, `{"spec":{"paused":true}}`)
			s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(HavePrefix("False Paused: "))
			s.patchSettings(ctx, name, "someone", `{"data":{"a":"evil"}}`)
			s.KillManager()
			s.StartManager()
			s.Settle()
			reported := And(ContainSubstring("True DriftReported"), ContainSubstring(`"someone"`))
			s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(reported)

			s.KillManager()
			s.patchDeployment(ctx, name, `{"spec":{"paused":false}}`)
			s.StartManager()
			s.Settle()
			s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionDrifted)).To(reported)
			s.Expect(s.settingsOf(ctx, name)).To(HaveKeyWithValue("a", "evil"))
		})
}
