package integration

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/localcatalog"
	"github.com/openshift/platform-operators/test/samples"
)

// versions of an operator of which the second never gets ready.
func goodAndBad(ctx context.Context, registry *localcatalog.Registry, name string) (good, bad string) {
	GinkgoHelper()
	good = rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-good"}, func(string) {})
	bad = rewritten(ctx, registry, samples.Operator{Package: name, Version: "1.1.0", NeverReady: true, ExtraConfigMap: name + "-bad"}, func(string) {})
	return good, bad
}

var _ = Describe("a version that never gets healthy", func() {
	limited := func(onFailure corev1alpha2.OnFailure, ref string) func(*corev1alpha2.BundleDeploymentSpec) {
		return func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.OnFailure, spec.ProgressDeadlineSeconds, spec.Source = onFailure, ptr.To[int32](10), fromImage(ref)
		}
	}

	It("ENG-D8 is held after its deadline, or rolled back and not tried again before the spec changes", func(ctx context.Context) {
		registry := registryOfItsOwn(false)
		heldGood, heldBad := goodAndBad(ctx, registry, "held")
		good, bad := goodAndBad(ctx, registry, "rolledback")
		specified(ctx, "held", limited(corev1alpha2.OnFailureHold, heldGood))
		specified(ctx, "rolledback", limited(corev1alpha2.OnFailureRollback, good))
		for _, name := range []string{"held", "rolledback"} {
			says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "version 1.0.0")
		}
		movedTo(ctx, "held", heldBad)
		movedTo(ctx, "rolledback", bad)
		says(ctx, "rolledback", corev1alpha2.ConditionProgressing, "DeadlineExceeded", "Revision 2 (version 1.1.0)", "10s", "replicas",
			"revision 1 (version 1.0.0) is active again", "not tried again before the spec changes")

		By("looking at the one that is held")
		says(ctx, "held", corev1alpha2.ConditionProgressing, "False DeadlineExceeded", "Revision 2 (version 1.1.0)", "10s", "replicas", "held")
		Expect(statusOf(ctx, "held").Revisions).To(ContainElement(And(HaveField("Number", int64(2)), HaveField("State", corev1alpha2.RevisionRollingOut))))
		Expect(configMapExists(ctx, "held", "held-good")).To(Succeed())
		Expect(configMapExists(ctx, "held", "held-bad")).To(Succeed())

		By("looking at the one that was rolled back")
		status := statusOf(ctx, "rolledback")
		Expect(status.ActiveRevision).To(BeEquivalentTo(1))
		live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, "rolledback", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(status.Revisions).To(ContainElement(And(HaveField("Number", int64(2)), HaveField("State", corev1alpha2.RevisionFailed),
			HaveField("FailedGeneration", live.Generation), HaveField("StartedTime", Not(BeNil())))))
		Expect(configMapExists(ctx, "rolledback", "rolledback-bad")).To(beNotFound())
		Expect(configMapExists(ctx, "rolledback", "rolledback-good")).To(Succeed())
		Expect(conditionOf(ctx, "rolledback", corev1alpha2.ConditionInstalled)).To(HavePrefix("True"))
		says(ctx, "rolledback", corev1alpha2.ConditionHealthy, "True Healthy")
		Eventually(eventsOf).WithContext(ctx).WithArguments("rolledback").Should(ContainElements(
			HavePrefix("Warning DeadlineExceeded"), HavePrefix("Warning RollingBack"), HavePrefix("Warning RolledBack")))

		By("restarting the manager, which remembers both")
		was, err := conditionOf(ctx, "rolledback", corev1alpha2.ConditionProgressing)
		Expect(err).NotTo(HaveOccurred())
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Consistently(conditionOf).WithContext(ctx).WithArguments("rolledback", corev1alpha2.ConditionProgressing).Should(Equal(was))
		Expect(conditionOf(ctx, "held", corev1alpha2.ConditionProgressing)).To(HavePrefix("False DeadlineExceeded"))
		Expect(configMapExists(ctx, "rolledback", "rolledback-bad")).To(beNotFound())

		By("changing something else of the spec, upon which it is tried again")
		changed(ctx, "rolledback", `{"spec":{"progressDeadlineSeconds":3600}}`)
		Eventually(configMapExists).WithContext(ctx).WithArguments("rolledback", "rolledback-bad").Should(Succeed())
		says(ctx, "rolledback", corev1alpha2.ConditionProgressing, "True RollingOut", "version 1.1.0")

		By("going back to what is healthy")
		movedTo(ctx, "rolledback", good)
		movedTo(ctx, "held", heldGood)
		for _, name := range []string{"held", "rolledback"} {
			says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "Revision 1 (version 1.0.0)")
			Expect(configMapExists(ctx, name, name+"-bad")).To(beNotFound())
		}
	})

	It("is held when it is the first one, and says that there is nothing to roll back to", func(ctx context.Context) {
		registry := registryOfItsOwn(false)
		_, bad := goodAndBad(ctx, registry, "firstbad")
		specified(ctx, "firstbad", limited(corev1alpha2.OnFailureRollback, bad))
		says(ctx, "firstbad", corev1alpha2.ConditionProgressing, "False DeadlineExceeded", "no earlier revision to roll back to", "held")
		Expect(configMapExists(ctx, "firstbad", "firstbad-bad")).To(Succeed())
	})
})
