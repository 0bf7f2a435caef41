package scenarios

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// setClusterInstalling makes the ClusterVersion report that no installation has completed.
func (s *Story) setClusterInstalling(ctx context.Context) {
	s.Helper()
	client := s.Admin.Config.ConfigV1().ClusterVersions()
	live, err := client.Get(ctx, "version", metav1.GetOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	for i := range live.Status.History {
		live.Status.History[i].State, live.Status.History[i].CompletionTime = configv1.PartialUpdate, nil
	}
	_, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// setPodsReadyAndWait sets whether the Pods of a sample operator are ready, and waits until the operator's health follows.
func (s *Story) setPodsReadyAndWait(ctx context.Context, pkg string, ready bool) {
	s.Helper()
	status, reason := metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy
	if ready {
		status, reason = metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected
	}
	s.setPodsReady(ctx, pkg, status)
	s.Eventually(s.Admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionHealthy, status, reason).Should(Succeed())
}

func TestClusterInstallation(t *testing.T) {
	t.Parallel()
	// Promise CLU-O2: While the cluster is being installed, Available is False and names the operators that have not been ready yet,
	// except paused ones and those that await approval.
	runStory(t, "CLU-O2 HRD-T5 the installation waits for its platform operators by name, except paused ones and those that await approval", defaultOperators, func(ctx context.Context, s *Story) {
		const bedrock, misspelt, asleep, hesitant = "bedrock", "misspelt", "asleep", "hesitant"
		publish := func(versions ...string) {
			s.Helper()
			all := []samples.Operator{{Package: bedrock, Version: "1.0.0", NeverReady: true}, {Package: bedrock, Version: "1.1.0"}, {Package: asleep, Version: "1.0.0"}}
			for _, version := range versions {
				all = append(all, samples.Operator{Package: hesitant, Version: version, NeverReady: true})
			}
			s.Expect(s.Admin.Publish(ctx, all...)).To(Succeed())
		}
		publish("1.0.0")
		seen := s.recordClusterOperator(ctx)
		s.setClusterInstalling(ctx)
		waitForOperators := func(words OmegaMatcher) {
			s.Helper()
			s.eventuallyClusterOperator(ctx, configv1.OperatorAvailable, configv1.ConditionFalse).Should(And(HavePrefix("PlatformOperators_WaitingForOperators: "), words))
		}
		waitForAvailable := func() {
			s.Helper()
			s.eventuallyClusterOperator(ctx, configv1.OperatorAvailable, configv1.ConditionTrue).Should(HavePrefix("AsExpected: "))
		}

		s.By("installing an operator with manual approval")
		s.createWithSpec(ctx, hesitant, `"upgrades": {"approval": "Manual"}`)
		waitForOperators(And(ContainSubstring("waits for 1 platform operator."), ContainSubstring(" "+hesitant+": ")))
		s.Eventually(s.runningPods).WithContext(ctx).WithArguments(hesitant).Should(Equal(1))
		s.setPodsReady(ctx, hesitant, metav1.ConditionTrue)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(hesitant, "1.0.0").Should(Succeed())
		waitForAvailable()
		s.Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True", "False", "True"}))
		for _, state := range seen.upToNow(ctx) {
			if condition := conditionIn(state.ClusterOperator, configv1.OperatorAvailable); condition.Status == configv1.ConditionFalse {
				s.Expect(condition.Message).To(And(ContainSubstring("waits for 1 platform operator."), ContainSubstring(" "+hesitant+": ")))
			}
		}

		s.By("making it unhealthy while it awaits approval, and creating a paused one")
		seen.reset(ctx)
		publish("1.0.0", "1.1.0")
		s.waitForProgressing(ctx, hesitant, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")
		s.setPodsReadyAndWait(ctx, hesitant, false)
		paused := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: asleep},
			Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: asleep}, Paused: true}}
		_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, paused, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.waitForProgressing(ctx, asleep, metav1.ConditionFalse, platformv1alpha1.ReasonPaused)
		s.Consistently(seen.statuses, "1s").WithContext(ctx).WithArguments(configv1.OperatorAvailable).Should(Equal([]string{"True"}))

		s.By("creating an operator that never becomes ready, and one that does not exist")
		s.create(ctx, bedrock, "1.0.x")
		s.create(ctx, misspelt, "")
		s.waitForRefusal(ctx, misspelt, platformv1alpha1.ReasonSourceFailed, misspelt)
		s.waitForProgressing(ctx, bedrock, metav1.ConditionTrue, platformv1alpha1.ReasonInstalling, "0 of 1 updated replicas available")
		waitForOperators(And(ContainSubstring("waits for 2 platform operators."), ContainSubstring(" "+bedrock+": "), ContainSubstring("; "+misspelt+": SourceFailed: "),
			ContainSubstring("0 of 1 updated replicas available"), Not(ContainSubstring(asleep)), Not(ContainSubstring(hesitant))))
		seen.reset(ctx)
		s.Consistently(seen.statuses, "1s").WithContext(ctx).WithArguments(configv1.OperatorAvailable).Should(Equal([]string{"False"}))

		// Promise HRD-T5: The first 200 characters of the message have the whole remedy for an operator that holds up the installation.
		condition, err := s.Admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionFalse)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(condition.Message[:200]).To(And(ContainSubstring("correct its spec, "), ContainSubstring("set its spec.paused to true to continue without it.")))

		s.By("correcting both")
		s.Expect(s.Admin.Limit(ctx, bedrock, "1.1.x")).To(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(bedrock, "1.1.0").Should(Succeed())
		waitForOperators(And(ContainSubstring("waits for 1 platform operator."), ContainSubstring(" "+misspelt+": ")))
		s.remove(ctx, misspelt)
		waitForAvailable()
		s.Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"False", "True"}))
		s.Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))
	})
}
