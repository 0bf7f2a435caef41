package integration

import (
	"context"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	configv1 "github.com/openshift/api/config/v1"

	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/faults"
	"github.com/openshift/platform-operators/test/leadership"
	"github.com/openshift/platform-operators/test/story"
)

// delayWrite delays the next write with this verb for this resource until the injection is removed, even if the manager has ended by then.
func delayWrite(proxy *faults.Proxy, verb, resource, subresource string) *faults.Injection {
	return proxy.Inject(faults.Fault{Do: faults.ForwardWhenRemoved(), On: func(r faults.Request) bool {
		return r.Verb == verb && r.Resource == resource && r.Subresource == subresource
	}})
}

// waitForWrite waits until the manager has sent the write that the injection delays.
func waitForWrite(ctx context.Context, injection *faults.Injection) {
	GinkgoHelper()
	Eventually(injection.Affected).WithContext(ctx).Should(HaveLen(1))
}

// deliverWrite sends the delayed write to the API server and returns the outcome, as in "late: answered 409".
func deliverWrite(ctx context.Context, proxy *faults.Proxy, injection *faults.Injection) string {
	GinkgoHelper()
	injection.Remove()
	outcome := ""
	Eventually(func() string {
		for _, write := range proxy.Writes(0) {
			if write.Request == injection.Affected()[0] && strings.HasPrefix(write.Outcome, "late: ") {
				outcome = write.Outcome
			}
		}
		return outcome
	}).WithContext(ctx).ShouldNot(BeEmpty())
	return outcome
}

var _ = Describe("a write that a manager had sent before it was killed", func() {
	It("HRD-G4 fails with a conflict if it arrives after the container was started again", func(ctx context.Context) {
		const pkg, conflict = "belated", "late: answered 409"
		publishWithLimits(ctx, pkg, "1.0.0 4.21", "1.1.0 4.21")
		createWithSpec(ctx, pkg, `"package": {"version": "1.0.0"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		expectUpgradeable(ctx, configv1.ConditionFalse, "belated 1.0.0 allows at most 4.21")
		inspector, err := faults.NewInspector(env.Admin, environment.Namespace)
		Expect(err).NotTo(HaveOccurred())
		whole := func(ctx context.Context) error {
			_, err := inspector.CheckComplete(ctx, pkg)
			return err
		}

		stopManagerForSpec()
		deleteLease(ctx)
		var proxy *faults.Proxy
		pod := newPod()
		manager, err := env.Another(context.WithoutCancel(ctx), environment.AnotherOptions{Name: "manager-belated", Pod: &pod, Args: shortTimings.Args(),
			InFront: func(admin *rest.Config) (_ *rest.Config, err error) {
				if proxy, err = faults.NewAPIServerProxy(admin); err != nil {
					return nil, err
				}
				return &rest.Config{Host: proxy.URL(), TLSClientConfig: rest.TLSClientConfig{CAData: proxy.CABundle()}}, nil
			}})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() {
			proxy.RemoveAll()
			Expect(manager.Stop()).To(Succeed())
			proxy.Close()
		})
		Expect(manager.Start()).To(Succeed())
		held := waitForHolder(ctx, "", 0)
		expectRepair(ctx, pkg)
		expectUpgradeable(ctx, configv1.ConditionFalse, "belated 1.0.0 allows at most 4.21")
		// expectGateClosed delivers the write while the gate is closed, and asserts that the gate stays closed.
		expectGateClosed := func(injection *faults.Injection) {
			GinkgoHelper()
			expectUpgradeable(ctx, configv1.ConditionFalse, "belated 1.0.0 allows at most 4.21: no version")
			recorder, err := leadership.RecordConditions(ctx, admin.Config, story.ClusterOperatorName)
			Expect(err).NotTo(HaveOccurred())
			Expect(deliverWrite(ctx, proxy, injection)).To(Equal(conflict))
			Consistently(recorder.Transitions, time.Second).Should(BeEmpty())
			_, err = recorder.Stop()
			Expect(err).NotTo(HaveOccurred())
		}
		override := `"compatibilityOverrides": [{"openShiftVersion": "4.22", "reason": "Ada, ticket 7", "expires": "2999-01-01T00:00:00Z"}]`
		// restart kills the manager, calls meanwhile, and starts the manager again.
		restart := func(meanwhile func()) {
			GinkgoHelper()
			Expect(manager.Kill()).To(Succeed())
			meanwhile()
			_, held = restartContainer(ctx, manager, held)
			expectRepair(ctx, pkg)
		}
		revoke := func() { patchSpec(ctx, pkg, `"compatibilityOverrides": null`) }

		By("delaying the renewal of the lease, and a status that is based on a revoked override")
		verdict := delayWrite(proxy, "update", "platformoperatormanagers", "status")
		patchSpec(ctx, pkg, override)
		waitForWrite(ctx, verdict)
		renewal := delayWrite(proxy, "update", "leases", "")
		waitForWrite(ctx, renewal)
		restart(revoke)
		Expect(deliverWrite(ctx, proxy, renewal)).To(Equal(conflict))
		expectGateClosed(verdict)
		now, err := lease(ctx)
		Expect(err).NotTo(HaveOccurred())
		Expect(now.Holder).To(Equal(held.Holder))

		By("delaying the ClusterOperator's status that is based on a revoked override")
		reported := delayWrite(proxy, "update", "clusteroperators", "status")
		patchSpec(ctx, pkg, override)
		waitForWrite(ctx, reported)
		restart(revoke)
		expectGateClosed(reported)

		By("delaying the creation of an object that the next process creates, too")
		created := delayWrite(proxy, "create", "services", "")
		Expect(admin.Kubernetes.CoreV1().Services(pkg).Delete(ctx, pkg+"-metrics", metav1.DeleteOptions{})).To(Succeed())
		waitForWrite(ctx, created)
		Expect(manager.Kill()).To(Succeed())
		_, held = restartContainer(ctx, manager, held)
		Eventually(whole).WithContext(ctx).Should(Succeed())
		Expect(deliverWrite(ctx, proxy, created)).To(Equal(conflict))

		By("delaying an object of a version that the next process replaces")
		applied := delayWrite(proxy, "apply", "deployments", "")
		_, err = admin.Kubernetes.AppsV1().Deployments(pkg).Patch(ctx, pkg, types.JSONPatchType,
			[]byte(`[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "example.com/edited:1"}]`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		waitForWrite(ctx, applied)
		restart(func() { patchSpec(ctx, pkg, `"package": {"version": null}`) })
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		Eventually(whole).WithContext(ctx).Should(Succeed())
		Expect(deliverWrite(ctx, proxy, applied)).To(Equal(conflict))
		Eventually(whole).WithContext(ctx).WithTimeout(repairedWithin).Should(Succeed())
	}, NodeTimeout(3*time.Minute), startEarly)
})
