package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// presenceOf returns the revisions in the status of a BundleDeployment, each as "STATE PRESENCE".
func (s *Story) presenceOf(ctx context.Context, name string) (string, error) {
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	var revisions []string
	for _, each := range live.Status.Revisions {
		revisions = append(revisions, fmt.Sprintf("%s %s", each.State, each.Presence))
	}
	return strings.Join(revisions, ", "), nil
}

func TestUpgradeGateInstallations(t *testing.T) {
	t.Parallel()
	// Promise HRD-G1: An operator counts at the upgrade gate from the first write of its installation until the last object that its
	// removal deletes is gone. An installation that wrote nothing does not count.
	runStory(t, "HRD-G1 a first installation counts from its first write until it is removed, and not if it never wrote anything", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, refused = "gatepost", "gatecrash"
		s.By("creating an operator that waits for a kind after its first writes")
		s.publishBundle(ctx, samples.Operator{Package: pkg, Version: "1.0.0", MaxOpenShiftVersion: `"4.21"`},
			"{apiVersion: console.openshift.io/v1, kind: ConsoleLink, metadata: {name: gatepost}, spec: {text: gatepost}}")
		s.createWithSpec(ctx, pkg, `"install": {"progressDeadlineSeconds": 10}`)
		s.waitForGateOf(ctx, pkg, "- gatepost 1.0.0 allows at most 4.21")
		operator, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(operator.Status.Installed).To(BeNil())
		blocks := metav1.Condition{Type: platformv1alpha1.ConditionUpgradeable, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonIncompatibleOperator}
		s.waitForOperatorCondition(ctx, pkg, blocks, "gatepost.v1.0.0 runs on OpenShift up to 4.21")

		s.By("waiting for its deadline")
		s.waitForOperatorCondition(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: platformv1alpha1.ReasonDeadlineExceeded})
		s.Consistently(s.gateOf, "1s").WithContext(ctx).WithArguments(pkg).Should(ContainSubstring("- gatepost 1.0.0 allows at most 4.21"))
		s.proveReporting(ctx)
		s.waitForOperatorCondition(ctx, pkg, blocks)

		s.By("removing it")
		s.remove(ctx, pkg)
		s.waitForGateOf(ctx, pkg)

		s.By("creating an operator whose first object belongs to a user")
		foreign := samples.Operator{Package: refused, Version: "1.0.0", MaxOpenShiftVersion: `"4.21"`}
		definition := foreign.Plural() + ".samples.platform.openshift.io"
		_, err = s.Admin.Dynamic.Resource(definitions).Create(ctx, s.parse(definitions, "CustomResourceDefinition", fmt.Sprintf(`{metadata: {name: %s}, spec: {group: samples.platform.openshift.io, scope: Namespaced,
			names: {kind: %s, plural: %s}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`, definition, foreign.Kind(), foreign.Plural())), metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.createNamespace(ctx, refused)
		s.deploy(ctx, refused, s.publishBundle(ctx, foreign))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(refused, corev1alpha2.ConditionInstalled).Should(ContainSubstring(definition))
		s.Eventually(s.presenceOf).WithContext(ctx).WithArguments(refused).Should(Equal("RollingOut Absent"))
		s.waitForGateOf(ctx, refused)
		s.Consistently(s.gateOf, "1s").WithContext(ctx).WithArguments(refused).Should(HavePrefix("True/"))
		s.proveReporting(ctx)
	})
}
