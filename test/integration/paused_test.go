package integration

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
)

var _ = Describe("a deployment that was paused", func() {
	It("has what was edited meanwhile put back when it goes on", func(ctx context.Context) {
		const name = "rester"
		drifting(ctx, name, "{}")
		patchDeployment(ctx, name, `{"spec":{"paused":true}}`)
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("Paused"))
		patched(ctx, name, "someone", `{"data":{"a":"evil"}}`)
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(
			And(ContainSubstring("True DriftReported"), ContainSubstring("spec.paused")))
		Expect(settingsOf(ctx, name)).To(HaveKeyWithValue("a", "evil"))

		patchDeployment(ctx, name, `{"spec":{"paused":false}}`)
		Eventually(settingsOf).WithContext(ctx).WithArguments(name).Should(HaveKeyWithValue("a", "1"))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionDrifted).Should(ContainSubstring("False AsExpected"))
		Eventually(driftOf).WithContext(ctx).WithArguments(name).Should(ConsistOf(
			record(corev1alpha2.DriftEdited, corev1alpha2.DriftRepaired, "someone", "/data/a")))
	})
})
