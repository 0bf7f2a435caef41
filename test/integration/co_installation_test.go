package integration

import (
	"context"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// beingInstalled has the ClusterVersion say, until the spec ends, that no installation has ever completed.
func beingInstalled(ctx context.Context) {
	GinkgoHelper()
	client := admin.Config.ConfigV1().ClusterVersions()
	before, err := client.Get(ctx, "version", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	put := func(ctx context.Context, history []configv1.UpdateHistory) {
		GinkgoHelper()
		live, err := client.Get(ctx, "version", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		live.Status.History = history
		_, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())
	}
	history := before.DeepCopy().Status.History
	for i := range history {
		history[i].State, history[i].CompletionTime = configv1.PartialUpdate, nil
	}
	put(ctx, history)
	DeferCleanup(put, before.Status.History)
}

// podsTold has the Pods of a sample operator say whether they are ready, and waits until it is judged by that.
func podsTold(ctx context.Context, pkg string, ready bool) {
	GinkgoHelper()
	status, reason := metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy
	if ready {
		status, reason = metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected
	}
	podsAre(ctx, pkg, status)
	Eventually(admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionHealthy, status, reason).Should(Succeed())
}

var _ = Describe("a cluster that is being installed", func() {
	It("CLU-O2 waits for its platform operators by name, until each was ready once, and for none that waits for a word itself", func(ctx context.Context) {
		const bedrock, misspelt, asleep, hesitant = "bedrock", "misspelt", "asleep", "hesitant"
		publish := func(versions ...string) {
			GinkgoHelper()
			all := []samples.Operator{{Package: bedrock, Version: "1.0.0", NeverReady: true}, {Package: bedrock, Version: "1.1.0"}, {Package: asleep, Version: "1.0.0"}}
			for _, version := range versions {
				all = append(all, samples.Operator{Package: hesitant, Version: version, NeverReady: true})
			}
			Expect(admin.Publish(ctx, all...)).To(Succeed())
		}
		publish("1.0.0")
		seen := chronicled(ctx)
		beingInstalled(ctx)
		waits := func(words OmegaMatcher) {
			GinkgoHelper()
			clusterOperatorSays(ctx, configv1.OperatorAvailable, configv1.ConditionFalse).Should(And(HavePrefix("PlatformOperators_WaitingForOperators: "), words))
		}
		goesOn := func() {
			GinkgoHelper()
			clusterOperatorSays(ctx, configv1.OperatorAvailable, configv1.ConditionTrue).Should(HavePrefix("AsExpected: "))
		}

		By("installing one whose moves need approval")
		plopped(ctx, hesitant, `"upgrades": {"approval": "Manual"}`)
		waits(ContainSubstring("waits for 1 platform operator: " + hesitant))
		Eventually(started).WithContext(ctx).WithArguments(hesitant).Should(Equal(1))
		podsAre(ctx, hesitant, metav1.ConditionTrue)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(hesitant, "1.0.0").Should(Succeed())
		goesOn()
		Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True", "False", "True"}))
		for _, state := range seen.upToNow(ctx) {
			if condition := conditionIn(state.ClusterOperator, configv1.OperatorAvailable); condition.Status == configv1.ConditionFalse {
				Expect(condition.Message).To(ContainSubstring("waits for 1 platform operator: " + hesitant))
			}
		}

		By("leaving it to wait for approval, and having it lose its workload; another is paused from the beginning")
		seen.since(ctx)
		publish("1.0.0", "1.1.0")
		progressingSays(ctx, hesitant, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")
		podsTold(ctx, hesitant, false)
		paused := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: asleep},
			Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: asleep}, Paused: true}}
		_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, paused, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(remove, asleep)
		progressingSays(ctx, asleep, metav1.ConditionFalse, platformv1alpha1.ReasonPaused)
		Consistently(seen.statuses, "1s").WithContext(ctx).WithArguments(configv1.OperatorAvailable).Should(Equal([]string{"True"}))

		By("giving it one that never gets ready, and one that does not exist")
		create(ctx, bedrock, "1.0.x")
		create(ctx, misspelt, "")
		refusedWith(ctx, misspelt, platformv1alpha1.ReasonSourceFailed, misspelt)
		progressingSays(ctx, bedrock, metav1.ConditionTrue, platformv1alpha1.ReasonInstalling, "0 of 1 updated replicas available")
		waits(And(ContainSubstring("waits for 2 platform operators: "+bedrock+": "), ContainSubstring("; "+misspelt+": SourceFailed: "),
			ContainSubstring("0 of 1 updated replicas available"), Not(ContainSubstring(asleep)), Not(ContainSubstring(hesitant))))
		seen.since(ctx)
		Consistently(seen.statuses, "1s").WithContext(ctx).WithArguments(configv1.OperatorAvailable).Should(Equal([]string{"False"}))

		By("making both good")
		Expect(admin.Limit(ctx, bedrock, "1.1.x")).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(bedrock, "1.1.0").Should(Succeed())
		waits(ContainSubstring("waits for 1 platform operator: " + misspelt + ": "))
		remove(ctx, misspelt)
		goesOn()
		Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"False", "True"}))
		Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))
	})
})
