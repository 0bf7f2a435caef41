package integration

import (
	"context"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// setDesiredVersion sets the version to which the cluster is being updated.
func setDesiredVersion(ctx context.Context, version string) {
	GinkgoHelper()
	clusterVersion, err := admin.Config.ConfigV1().ClusterVersions().Get(ctx, "version", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	clusterVersion.Status.Desired.Version = version
	_, err = admin.Config.ConfigV1().ClusterVersions().UpdateStatus(ctx, clusterVersion, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// This test is no scenario, because computing takes no virtual time in scenarios.
var _ = Describe("the upgrade gate", func() {
	// Promise HRD-B3: When the cluster's version moves, the ClusterOperator has the right verdict within a second, also with a package of
	// 800 versions. Until the remedy of a blocker is known, its line says so.
	It("HRD-B3 has the right status within a second after the cluster version changed, however long the search for remedies takes", func(ctx context.Context) {
		const pkg = "legion"
		operators := make([]samples.Operator, 0, 800)
		for i := range 800 {
			operator := samples.Operator{Package: pkg, Version: fmt.Sprintf("1.%d.0", i), MaxOpenShiftVersion: `"4.22"`, NoBundle: i > 0}
			if i == 799 {
				operator.MaxOpenShiftVersion = `"4.23"`
			}
			operators = append(operators, operator)
		}
		Expect(admin.Publish(ctx, operators...)).To(Succeed())
		createWithSpec(ctx, pkg, `"package": {"version": "1.0.0"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		expectUpgradeable(ctx, configv1.ConditionTrue, "OpenShift 4.22")
		seen := recordStatus(ctx)
		DeferCleanup(setDesiredVersion, story.ClusterVersion)
		moved := time.Now()
		setDesiredVersion(ctx, "4.22.0")
		expectUpgradeable(ctx, configv1.ConditionFalse, "- legion 1.0.0 allows at most 4.22: update to >=1.799.0 (allows 4.23)")
		var first *recordedStatus
		for _, state := range seen.upToNow(ctx) {
			condition := conditionIn(state.ClusterOperator, configv1.OperatorUpgradeable)
			if condition.Status != configv1.ConditionFalse {
				continue
			}
			if first == nil {
				first = &state
			}
			Expect(condition.Message).To(ContainSubstring("- legion 1.0.0 allows at most 4.22: "))
		}
		Expect(first.at.Sub(moved)).To(BeNumerically("<", time.Second))
		Expect(conditionIn(first.ClusterOperator, configv1.OperatorUpgradeable).Message).To(ContainSubstring("- legion 1.0.0 allows at most 4.22: remedy not known yet"))
	})
})
