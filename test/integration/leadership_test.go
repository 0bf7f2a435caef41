package integration

import (
	"context"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/leadership"
	"github.com/openshift/platform-operators/test/samples"
	"github.com/openshift/platform-operators/test/story"
)

// shortTimings are the lease timings of the specs. test/leadership uses the payload's timings.
var shortTimings = leadership.Timings{Lease: 8 * time.Second, Renew: 5 * time.Second, Retry: time.Second}

// slack is the maximum time for starting a process and for requests. The specs add it to the lease's timings.
const slack = 10 * time.Second

// stopManagerForSpec stops the environment's manager, which does not take part in leader election, and starts it again after the spec.
func stopManagerForSpec() {
	GinkgoHelper()
	Expect(env.Manager.Stop()).To(Succeed())
	DeferCleanup(func() { Expect(env.Manager.Start()).To(Succeed()) })
}

// newElectingManager returns a manager that takes part in leader election, without starting it. It stops the manager after the spec.
func newElectingManager(ctx context.Context, name string, args ...string) *environment.Manager {
	GinkgoHelper()
	manager, err := env.Another(context.WithoutCancel(ctx), environment.AnotherOptions{Name: name, Args: args})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(manager.Stop)
	return manager
}

func lease(ctx context.Context) (leadership.Lease, error) {
	return leadership.ReadLease(ctx, admin.Kubernetes)
}

// waitForHolder waits until a process other than before holds the lease, and returns the lease. It fails the spec after within and
// eventuallyTimeout, which is much shorter than the duration of the manager's own leases. Specs compare times of the lease with limits.
func waitForHolder(ctx context.Context, before string, within time.Duration) leadership.Lease {
	GinkgoHelper()
	var now leadership.Lease
	Eventually(func(g Gomega, ctx context.Context) {
		var err error
		now, err = lease(ctx)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(now.Holder).NotTo(Or(BeEmpty(), Equal(before)))
	}).WithContext(ctx).WithTimeout(within + eventuallyTimeout).Should(Succeed())
	return now
}

// waitForLeaseAttempts waits until the manager's log has at least this many attempts to acquire the lease.
func waitForLeaseAttempts(ctx context.Context, manager *environment.Manager, times int) {
	GinkgoHelper()
	waitForLogged(ctx, manager, "attempting to acquire leader lease", times)
}

// waitForAcquisitions waits until the manager's log says at least this many times that it has acquired the lease. A process that ends after
// it has written the lease, and before it knows that the API server accepted the write, does not release the lease.
func waitForAcquisitions(ctx context.Context, manager *environment.Manager, times int) {
	GinkgoHelper()
	waitForLogged(ctx, manager, "successfully acquired lease", times)
}

func waitForLogged(ctx context.Context, manager *environment.Manager, text string, times int) {
	GinkgoHelper()
	Eventually(func() (int, error) {
		content, err := os.ReadFile(manager.LogFile)
		return strings.Count(strings.ToLower(string(content)), text), err
	}).WithContext(ctx).Should(BeNumerically(">=", times))
}

func requestsOf(program string, after time.Time) []leadership.AuditedRequest {
	GinkgoHelper()
	requests, err := leadership.Requests(env.AuditLog, program, after)
	Expect(err).NotTo(HaveOccurred())
	return requests
}

var _ = Describe("two managers", func() {
	// test/leadership tests the payload's timings, and how long a takeover takes with them.
	//
	// Promise CLU-P12: When the leader is killed, stalls or stops, the other manager takes over as the lease allows and completes its
	// work. The two never write at the same time, and create no object twice.
	It("CLU-P12 hand over the lease when the leader is killed, stalls or stops, and never write at the same time", func(ctx context.Context) {
		const pkg, first, second = "heir", "manager-first", "manager-second"
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		DeferCleanup(remove, pkg)
		stopManagerForSpec()
		began := time.Now()
		one, two := newElectingManager(ctx, first, shortTimings.Args()...), newElectingManager(ctx, second, shortTimings.Args()...)

		By("electing one, while the other sends requests for the lease only")
		Expect(one.Start()).To(Succeed())
		led := waitForHolder(ctx, "", 0)
		Expect(led.Duration).To(Equal(shortTimings.Lease))
		Expect(two.Start()).To(Succeed())
		waitForLeaseAttempts(ctx, two, 1)
		recorder, err := leadership.RecordConditions(ctx, admin.Config, story.ClusterOperatorName)
		Expect(err).NotTo(HaveOccurred())

		By("killing the leader while it installs, which the other one completes")
		Expect(admin.Create(ctx, pkg, "")).To(Succeed())
		Eventually(func(ctx context.Context) error {
			_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, pkg, metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
		killed := time.Now()
		Expect(one.Kill()).To(Succeed())
		taken := waitForHolder(ctx, led.Holder, shortTimings.AfterCrash())
		GinkgoWriter.Printf("a killed leader's lease was taken over after %s\n", taken.Acquired.Sub(killed))
		Expect(taken.Acquired).To(BeTemporally("<", killed.Add(shortTimings.AfterCrash()+slack)))
		Expect(taken.Acquired).To(BeTemporally(">=", killed.Add(shortTimings.Lease-shortTimings.Retry-slack)), "the lease was taken over before it expired")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		wroteFirst, wroteSecond := leadership.Writes(requestsOf(first, began)), leadership.Writes(requestsOf(second, began))
		Expect(wroteFirst).NotTo(BeEmpty())
		Expect(wroteSecond).NotTo(BeEmpty())
		Expect(leadership.CheckNoOverlap(wroteFirst, wroteSecond)).To(Succeed())
		Expect(leadership.CreatedTwice(append(wroteFirst, wroteSecond...))).To(BeEmpty())
		before := slices.DeleteFunc(requestsOf(second, began), func(a leadership.AuditedRequest) bool {
			return a.From.After(taken.Acquired) || !a.Write() && a.Resource != "leases"
		})
		for _, each := range before {
			Expect(each.Resource).To(Equal("leases"), "it wrote before it held the lease: %s", each)
		}
		workload, err := admin.Kubernetes.AppsV1().Deployments(pkg).Get(ctx, pkg, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(workload.Generation).To(Equal(int64(1)), "the two managers applied different Deployments")

		By("stopping the leader's process until its lease expires, and continuing it, whereupon it ends")
		Expect(one.Start()).To(Succeed())
		waitForLeaseAttempts(ctx, one, 2)
		stalled := time.Now()
		Expect(syscall.Kill(two.PID(), syscall.SIGSTOP)).To(Succeed())
		again := waitForHolder(ctx, taken.Holder, shortTimings.AfterCrash())
		Expect(syscall.Kill(two.PID(), syscall.SIGCONT)).To(Succeed())
		Eventually(two.Exited()).WithTimeout(slack).Should(BeClosed())
		Expect(os.ReadFile(two.LogFile)).To(Or(ContainSubstring("leader election lost"), ContainSubstring("this process did not run for")))
		late := slices.DeleteFunc(leadership.Writes(requestsOf(second, stalled)), func(a leadership.AuditedRequest) bool {
			return a.From.Before(again.Acquired) || a.Resource == "events" // the Event that it no longer leads
		})
		Expect(late).To(BeEmpty(), "it wrote while another process held the lease")

		By("terminating the leader, which releases its lease")
		Expect(two.Start()).To(Succeed())
		waitForLeaseAttempts(ctx, two, 2)
		stopped := time.Now()
		Expect(one.Stop()).To(Succeed())
		last := waitForHolder(ctx, again.Holder, shortTimings.AfterRelease())
		GinkgoWriter.Printf("a stopped leader's lease was taken over after %s\n", last.Acquired.Sub(stopped))
		Expect(last.Acquired).To(BeTemporally("<", stopped.Add(shortTimings.AfterRelease()+slack)))
		Expect(admin.Kubernetes.CoreV1().Services(pkg).Delete(ctx, pkg+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		Eventually(func(ctx context.Context) error {
			_, err := admin.Kubernetes.CoreV1().Services(pkg).Get(ctx, pkg+"-metrics", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
		Expect(leadership.CheckNoOverlap(leadership.Writes(requestsOf(first, stopped)), leadership.Writes(requestsOf(second, stopped)))).To(Succeed())

		moves, err := recorder.Stop()
		Expect(err).NotTo(HaveOccurred())
		for _, move := range moves {
			Expect(move).To(HavePrefix(string(configv1.OperatorProgressing)), "the ClusterOperator changes for the installation only: %v", moves)
		}
	}, NodeTimeout(2*time.Minute))
})
