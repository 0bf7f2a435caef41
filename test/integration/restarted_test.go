package integration

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/leadership"
	"github.com/openshift/platform-operators/test/story"
)

const (
	// takeoverWithin is the maximum time until a restarted process acquires the lease of the previous process in its pod.
	takeoverWithin = 5 * time.Second
	// reactsWithin is the maximum time after that until the ClusterOperator is correct, on a busy machine.
	reactsWithin = 10 * time.Second
)

// newManagerInPod returns a manager in a pod that takes part in leader election, without starting it. It stops the manager after the spec.
func newManagerInPod(ctx context.Context, name string, pod environment.Pod, args ...string) *environment.Manager {
	GinkgoHelper()
	manager, err := env.Another(context.WithoutCancel(ctx), environment.AnotherOptions{Name: name, Pod: &pod, Args: args})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(manager.Stop)
	return manager
}

// newPod returns a pod with a new UID and its own volume. All pods have the same name.
func newPod() environment.Pod {
	return environment.Pod{Name: "platform-operators-5d8c6b7f9-x7v2q", UID: uuid.NewUUID(), Dir: GinkgoT().TempDir()}
}

// deleteLease deletes the leader election lease, because a manager that an earlier spec killed may still hold it.
func deleteLease(ctx context.Context) {
	GinkgoHelper()
	leases := admin.Kubernetes.CoordinationV1().Leases(environment.Namespace)
	Expect(ignoreNotFound(leases.Delete(ctx, leadership.LeaseName, metav1.DeleteOptions{}))).To(Succeed())
}

// restartContainer starts a killed process again, and waits until it holds the lease. It returns the time of the start and the lease.
func restartContainer(ctx context.Context, manager *environment.Manager, before leadership.Lease) (started time.Time, now leadership.Lease) {
	GinkgoHelper()
	started = time.Now()
	Expect(manager.Start()).To(Succeed())
	now = waitForHolder(ctx, before.Holder, takeoverWithin)
	took := now.Acquired.Sub(started)
	AddReportEntry("from the start of the process to the lease", took.String())
	Expect(took).To(BeNumerically("<", takeoverWithin))
	Expect(now.Transitions).To(Equal(before.Transitions + 1))
	return started, now
}

var _ = Describe("a manager whose container is started again in its pod", func() {
	// With the payload's timings, by which the lease lasts for 137 seconds.
	//
	// Promise HRD-G4: A restarted container takes its own lease back within five seconds and closes a gate that was open meanwhile; other
	// processes and Pods stay out. A late write of the ended process fails with a conflict.
	It("HRD-G4 acquires its lease again within five seconds and closes a gate that was open meanwhile; other processes and pods cannot", func(ctx context.Context) {
		const pkg = "sentry"
		publishWithLimits(ctx, pkg, "1.0.0 4.21")
		createWithSpec(ctx, pkg, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		stopManagerForSpec()
		deleteLease(ctx)
		pod := newPod()
		one := newManagerInPod(ctx, "manager-restarted", pod)
		Expect(one.Start()).To(Succeed())
		led := waitForHolder(ctx, "", 0)
		Expect(led.Duration).To(Equal(leadership.HighlyAvailable.Lease))
		Expect(led.Holder).To(HavePrefix(pod.Name + "_" + string(pod.UID) + "_"))

		By("letting an override expire and deleting the ClusterOperator while no manager runs")
		expires := time.Now().Add(8 * time.Second).UTC().Truncate(time.Second)
		patchSpec(ctx, pkg, fmt.Sprintf(`"compatibilityOverrides": [{"openShiftVersion": "4.22", "reason": "Ada, ticket 7", "expires": %q}]`, expires.Format(time.RFC3339)))
		expectUpgradeable(ctx, configv1.ConditionTrue, "sentry 1.0.0 allows at most 4.21: overridden until")
		Expect(one.Kill()).To(Succeed())
		Expect(admin.Config.ConfigV1().ClusterOperators().Delete(ctx, story.ClusterOperatorName, metav1.DeleteOptions{})).To(Succeed())
		condition, _, err := gateCondition(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(condition.Status)).To(Equal("True"), "the manager was killed too late")
		Eventually(time.Now).WithContext(ctx).Should(BeTemporally(">", expires))
		_, err = admin.Config.ConfigV1().ClusterOperators().Get(ctx, story.ClusterOperatorName, metav1.GetOptions{})
		Expect(apierrors.IsNotFound(err)).To(BeTrue(), "another manager runs: %v", err)
		started, taken := restartContainer(ctx, one, led)
		expectUpgradeable(ctx, configv1.ConditionFalse, "sentry 1.0.0 allows at most 4.21: no version")
		AddReportEntry("from the start of the process to the closed gate", time.Since(started).String())
		Expect(time.Since(started)).To(BeNumerically("<", takeoverWithin+reactsWithin))

		By("starting a second process in the pod, which ends by itself")
		second := newManagerInPod(ctx, "manager-second-in-pod", pod)
		began := time.Now()
		Expect(second.Start()).To(Succeed())
		Eventually(second.Exited()).WithContext(ctx).Should(BeClosed())
		Expect(second.Ended()).To(ContainSubstring(fmt.Sprintf("another manager runs in pod %q", pod.Name)))
		Expect(requestsOf("manager-second-in-pod", began)).To(HaveEach(HaveField("Verb", "get")))

		By("starting a pod of the same name with another UID, which waits")
		successor := newPod()
		other := newManagerInPod(ctx, "manager-other-pod", successor)
		Expect(other.Start()).To(Succeed())
		waitForLeaseAttempts(ctx, other, 1)
		Expect(one.Kill()).To(Succeed())
		_, again := restartContainer(ctx, one, taken)
		Expect(again.Holder).To(HavePrefix(pod.Name + "_" + string(pod.UID) + "_"))
		expectRepair(ctx, pkg)
		Expect(slices.DeleteFunc(requestsOf("manager-other-pod", began), func(a leadership.AuditedRequest) bool { return !a.Write() })).To(BeEmpty())

		By("terminating the container, which releases the lease to the other pod")
		Expect(one.Stop()).To(Succeed())
		last := waitForHolder(ctx, again.Holder, leadership.HighlyAvailable.AfterRelease())
		Expect(last.Holder).To(HavePrefix(successor.Name + "_" + string(successor.UID) + "_"))
		Expect(os.ReadFile(other.LogFile)).NotTo(ContainSubstring("took over Lease"))
	}, NodeTimeout(4*time.Minute), startEarly)
})

// expectRepair deletes a Service of an installed package, and waits until the manager creates it again.
func expectRepair(ctx context.Context, pkg string) {
	GinkgoHelper()
	services := admin.Kubernetes.CoreV1().Services(pkg)
	Expect(services.Delete(ctx, pkg+"-metrics", metav1.DeleteOptions{})).To(Succeed())
	Eventually(func(ctx context.Context) error {
		_, err := services.Get(ctx, pkg+"-metrics", metav1.GetOptions{})
		return err
	}).WithContext(ctx).Should(Succeed())
}
