package integration

import (
	"context"
	"os"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/story"
)

// expectedStatus has the statuses of the ClusterOperator's conditions while nothing is installed.
var expectedStatus = map[configv1.ClusterStatusConditionType]configv1.ConditionStatus{
	configv1.OperatorAvailable: configv1.ConditionTrue, configv1.OperatorProgressing: configv1.ConditionFalse,
	configv1.OperatorDegraded: configv1.ConditionFalse, configv1.OperatorUpgradeable: configv1.ConditionTrue,
}

func isAsExpected(clusterOperator *configv1.ClusterOperator) bool {
	for kind, status := range expectedStatus {
		if condition := conditionIn(clusterOperator, kind); condition.Status != status || condition.Reason != "AsExpected" {
			return false
		}
	}
	return true
}

// waitForLease waits until a process holds the manager's lease, and returns the time at which the process acquired it. That time can be
// compared with the test's, because all processes run on one machine.
func waitForLease(ctx context.Context) time.Time {
	GinkgoHelper()
	var held *coordinationv1.Lease
	Eventually(func(g Gomega, ctx context.Context) {
		leases, err := admin.Kubernetes.CoordinationV1().Leases(environment.Namespace).List(ctx, metav1.ListOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(leases.Items).To(HaveLen(1))
		held = &leases.Items[0]
		g.Expect(held.Spec.HolderIdentity).To(HaveValue(Not(BeEmpty())))
	}).WithContext(ctx).Should(Succeed())
	return held.Spec.AcquireTime.Time
}

// expectNoFailures checks that a log has no failed sync after an offset, as library-go logs it (HRD-T7).
func expectNoFailures(logFile string, offset int64) {
	GinkgoHelper()
	content, err := os.ReadFile(logFile)
	Expect(err).NotTo(HaveOccurred())
	Expect(content[offset:]).NotTo(BeEmpty())
	var failures []string
	for line := range strings.Lines(string(content[offset:])) {
		if strings.Contains(line, "Unhandled Error") {
			failures = append(failures, line)
		}
	}
	Expect(failures).To(BeEmpty())
}

var _ = Describe("the ClusterOperator of a manager that has nothing to do", func() {
	// Promise CLU-O1: Without PlatformOperators the ClusterOperator is Available and Upgradeable, not Progressing and not Degraded,
	// within ten seconds after the manager acquires its lease, and never anything else.
	It("CLU-O1 has all conditions as expected within ten seconds of the lease, and never any others", func(ctx context.Context) {
		operators, err := admin.Platform.PlatformV1alpha1().PlatformOperators().List(ctx, metav1.ListOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(operators.Items).To(BeEmpty(), "a spec has left them behind")
		clusterOperators := admin.Config.ConfigV1().ClusterOperators()
		before, err := clusterOperators.Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())

		Expect(env.Manager.Stop()).To(Succeed())
		leading := env.Manager.With("--leader-elect=true")
		DeferCleanup(func() {
			Expect(leading.Stop()).To(Succeed())
			Expect(env.Manager.Start()).To(Succeed())
		})
		By("creating what the CVO creates before the manager runs for the first time")
		Expect(admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Delete(ctx, operatorv1alpha1.PlatformOperatorManagerName, metav1.DeleteOptions{})).To(Succeed())
		Expect(clusterOperators.Delete(ctx, story.ClusterOperatorName, metav1.DeleteOptions{})).To(Succeed())
		Expect(admin.Kubernetes.CoordinationV1().Leases(environment.Namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})).To(Succeed())
		created, err := clusterOperators.Create(ctx, &configv1.ClusterOperator{ObjectMeta: metav1.ObjectMeta{Name: before.Name, Annotations: before.Annotations}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		created.Status.RelatedObjects = before.Status.RelatedObjects
		_, err = clusterOperators.UpdateStatus(ctx, created, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())
		seen := recordStatus(ctx)
		log, err := os.Stat(leading.LogFile)
		Expect(err).NotTo(HaveOccurred())
		Expect(leading.Start()).To(Succeed())

		since := waitForLease(ctx)
		Eventually(func(g Gomega, ctx context.Context) {
			states := seen.upToNow(ctx)
			g.Expect(isAsExpected(states[len(states)-1].ClusterOperator)).To(BeTrue())
		}).WithContext(ctx).Should(Succeed())
		first := true
		for _, state := range seen.upToNow(ctx) {
			if len(state.Status.Conditions) == 0 {
				continue // the status that the spec created
			}
			if first {
				took := state.at.Sub(since)
				AddReportEntry("from the lease to the ClusterOperator", took.String())
				Expect(took).To(BeNumerically("<", 10*time.Second))
				first = false
			}
			Expect(isAsExpected(state.ClusterOperator)).To(BeTrue(), "conditions %+v", state.Status.Conditions)
		}
		Expect(seen.deleted).To(BeZero())
		Expect(seen.faults()).To(BeEmpty())
		expectNoFailures(leading.LogFile, log.Size())

		By("starting it again")
		Expect(leading.Stop()).To(Succeed())
		log, err = os.Stat(leading.LogFile)
		Expect(err).NotTo(HaveOccurred())
		Expect(leading.Start()).To(Succeed())
		Eventually(waitForLease).WithContext(ctx).Should(BeTemporally(">", since))
		Consistently(readVersionStatus, "3s").WithContext(ctx).ShouldNot(BeNil())
		expectNoFailures(leading.LogFile, log.Size())
	})
})
