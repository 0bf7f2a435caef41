package integration

import (
	"context"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// presenceOf is what a BundleDeployment says of its revisions, as "STATE PRESENCE".
func presenceOf(ctx context.Context, name string) (string, error) {
	live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	var told []string
	for _, each := range live.Status.Revisions {
		told = append(told, fmt.Sprintf("%s %s", each.State, each.Presence))
	}
	return strings.Join(told, ", "), nil
}

var _ = Describe("the upgrade gate", func() {
	It("HRD-G1 counts a first installation from its first write until all of it is gone, and not one that never wrote anything", func(ctx context.Context) {
		const pkg, refused = "gatepost", "gatecrash"
		By("one that has written something, and waits for a kind that is not served")
		published(ctx, samples.Operator{Package: pkg, Version: "1.0.0", MaxOpenShiftVersion: `"4.21"`},
			"{apiVersion: console.openshift.io/v1, kind: ConsoleLink, metadata: {name: gatepost}, spec: {text: gatepost}}")
		plopped(ctx, pkg, `"install": {"progressDeadlineSeconds": 10}`)
		gateSaysOf(ctx, pkg, "- gatepost 1.0.0 allows at most 4.21")
		operator, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		Expect(operator.Status.Installed).To(BeNil())
		blocks := metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonIncompatibleOperator}
		conditionSays(ctx, pkg, blocks, "gatepost.v1.0.0 runs on OpenShift 4.21 at most")

		By("the same, held when its deadline is over")
		conditionSays(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonDeadlineExceeded})
		Consistently(gateOf, "1s").WithContext(ctx).WithArguments(pkg).Should(ContainSubstring("- gatepost 1.0.0 allows at most 4.21"))
		conditionSays(ctx, pkg, blocks)

		By("the same, removed")
		remove(ctx, pkg)
		gateSaysOf(ctx, pkg)

		By("one of which the first object is somebody else's")
		foreign := samples.Operator{Package: refused, Version: "1.0.0", MaxOpenShiftVersion: `"4.21"`}
		definition := foreign.Plural() + ".samples.platform.openshift.io"
		_, err = admin.Dynamic.Resource(definitions).Create(ctx, parse(definitions, "CustomResourceDefinition", fmt.Sprintf(`{metadata: {name: %s}, spec: {group: samples.platform.openshift.io, scope: Namespaced,
			names: {kind: %s, plural: %s}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`, definition, foreign.Kind(), foreign.Plural())), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(ignoreNotFound(admin.Dynamic.Resource(definitions).Delete(ctx, definition, metav1.DeleteOptions{}))).To(Succeed())
		})
		createNamespace(ctx, refused)
		deployed(ctx, refused, published(ctx, foreign))
		Eventually(conditionOf).WithContext(ctx).WithArguments(refused, corev1alpha2.ConditionInstalled).Should(ContainSubstring(definition))
		Eventually(presenceOf).WithContext(ctx).WithArguments(refused).Should(Equal("RollingOut Absent"))
		gateSaysOf(ctx, refused)
		Consistently(gateOf, "1s").WithContext(ctx).WithArguments(refused).Should(HavePrefix("True/"))
	})

	It("HRD-B3 is right within a second when the cluster moves, whatever there is to search for remedies", func(ctx context.Context) {
		const pkg = "legion"
		operators := make([]samples.Operator, 0, 800)
		for i := range 800 {
			operator := samples.Operator{Package: pkg, Version: fmt.Sprintf("1.%d.0", i), MaxOpenShiftVersion: `"4.22"`, NoBundle: i > 0}
			if i == 799 {
				operator.MaxOpenShiftVersion = `"4.23"`
			}
			operators = append(operators, operator)
		}
		publishes(ctx, operators...)
		plopped(ctx, pkg, `"package": {"version": "1.0.0"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		gateSays(ctx, configv1.ConditionTrue, "Cluster upgrades to 4.22 are permitted")
		seen := chronicled(ctx)
		DeferCleanup(desired, story.ClusterVersion)
		moved := time.Now()
		desired(ctx, "4.22.0")
		gateSays(ctx, configv1.ConditionFalse, "- legion 1.0.0 allows at most 4.22: update to ≥1.799.0 (allows 4.23)")
		var first *sighting
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
