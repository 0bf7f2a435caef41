package integration

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

var _ = Describe("upgrades", func() {
	It("UPG-V10 UPG-M1 go hop by hop along the path that is shown, each when the one before is healthy", func(ctx context.Context) {
		const pkg = "hopper"
		offering(ctx, pkg, through13, "1.2.0")
		plopped(ctx, pkg, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		respecified(ctx, pkg, `"paused": true`)
		offering(ctx, pkg, through13, "1.2.0", "1.3.0", "1.3.5", "1.4.0", "1.4.1")
		respecified(ctx, pkg, `"package": {"version": "1.4.0"}`)
		Eventually(updatesOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{
			"1.4.1 by 1.3.5 1.4.1: Range", "1.4.0 by 1.3.5 1.4.0: Paused", "1.3.5 by 1.3.5: Range", "1.3.0 by 1.3.0: Range",
		}), "the way is shown before anything moves")

		watched, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: pkg}))
		Expect(err).NotTo(HaveOccurred())
		defer watched.Stop()
		respecified(ctx, pkg, `"paused": null`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.4.0").Should(Succeed())

		var hops []string
		for len(hops) == 0 || !strings.HasPrefix(hops[len(hops)-1], "at 1.4.0") {
			event, open := <-watched.ResultChan()
			Expect(open).To(BeTrue())
			operator, ok := event.Object.(*platformv1alpha1.PlatformOperator)
			Expect(ok).To(BeTrue())
			hop := "at " + operator.Status.Installed.Version
			if target := operator.Status.Target; target != nil {
				hop += fmt.Sprintf(", moving to %s by %s with %s under way", target.Version, strings.Join(target.Path, " "), target.Hop.Version)
			}
			if len(hops) == 0 || hops[len(hops)-1] != hop {
				hops = append(hops, hop)
			}
		}
		Expect(hops).To(Equal([]string{
			"at 1.2.0", "at 1.2.0, moving to 1.4.0 by 1.3.5 1.4.0 with 1.3.5 under way",
			"at 1.3.5", "at 1.3.5, moving to 1.4.0 by 1.4.0 with 1.4.0 under way", "at 1.4.0",
		}))
		Expect(historyOf(ctx, pkg)).To(Equal([]string{"1.4.0 Ready by Automatic", "1.3.5 Ready by SpecChange", "1.2.0 Ready by Installation"}))
		operator, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		for i, entry := range operator.Status.History[:2] {
			Expect(operator.Status.History[i+1].ReadyTime.Time).NotTo(BeTemporally(">", entry.StartedTime.Time), "%s began before %s was ready", entry.Version, operator.Status.History[i+1].Version)
		}
		Eventually(eventsAbout).WithContext(ctx).WithArguments(platformv1alpha1.EventUpgradeStarted, pkg).Should(ConsistOf(
			ContainSubstring("from version 1.2.0 to version 1.3.5"), ContainSubstring("from version 1.3.5 to version 1.4.0")))
	})

	It("UPG-M2 with manual approval move exactly where they are told to", func(ctx context.Context) {
		const pkg = "waiter"
		offering(ctx, pkg, through13, "1.2.0")
		plopped(ctx, pkg, `"upgrades": {"approval": "Manual"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		offering(ctx, pkg, through13, "1.2.0", "1.3.5", "1.4.0")
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, `Version 1.4.0 is available and waits for approval`, `spec.upgrades.approvedVersion to "1.4.0"`)
		Expect(updatesOf(ctx, pkg)).To(Equal([]string{"1.4.0 by 1.3.5 1.4.0: AwaitingApproval", "1.3.5 by 1.3.5: AwaitingApproval"}))

		respecified(ctx, pkg, `"upgrades": {"approvedVersion": "1.4.0"}`)
		Eventually(historyOf).WithContext(ctx).WithArguments(pkg).Should(ContainElement(HavePrefix("1.3.5")))
		offering(ctx, pkg, through13, "1.2.0", "1.3.5", "1.4.0", "1.5.0") // another version meanwhile changes nothing
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, `Version 1.5.0 is available and waits for approval`)
		Expect(historyOf(ctx, pkg)).To(Equal([]string{"1.4.0 Ready by Approved", "1.3.5 Ready by Approved", "1.2.0 Ready by Installation"}))

		respecified(ctx, pkg, `"upgrades": {"approvedVersion": "1.6.0"}`)
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, `The approved version "1.6.0" is in no selected catalog`)
	})

	It("UPG-M3 wait while the cluster itself is being updated, but for first installations and what is approved", func(ctx context.Context) {
		const pkg, other, fresh = "patient", "approver", "newcomer"
		offering(ctx, pkg, "", "1.0.0")
		offering(ctx, other, "", "1.0.0")
		offering(ctx, fresh, "", "1.0.0")
		plopped(ctx, pkg, "")
		plopped(ctx, other, `"upgrades": {"approval": "Manual"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(other, "1.0.0").Should(Succeed())
		DeferCleanup(updating, configv1.ConditionFalse)
		updating(ctx, configv1.ConditionTrue)
		offering(ctx, pkg, "", "1.0.0", "1.1.0")
		offering(ctx, other, "", "1.0.0", "1.1.0")
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "version 1.1.0 is available", "while the cluster itself is being updated to 4.")
		Expect(updatesOf(ctx, pkg)).To(Equal([]string{"1.1.0 by 1.1.0: ClusterUpdating"}))
		respecified(ctx, other, `"upgrades": {"approvedVersion": "1.1.0"}`)
		Eventually(historyOf).WithContext(ctx).WithArguments(other).Should(ContainElement("1.1.0 Ready by Approved"))
		plopped(ctx, fresh, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(fresh, "1.0.0").Should(Succeed())
		Expect(historyOf(ctx, pkg)).To(HaveLen(1))

		updating(ctx, configv1.ConditionFalse)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
	})

	It("UPG-M4 do not try a version again that failed, before the spec or the catalog changes", func(ctx context.Context) {
		const pkg = "stumbler"
		offering(ctx, pkg, "", "1.0.0")
		plopped(ctx, pkg, `"install": {"onFailure": "Rollback", "progressDeadlineSeconds": 10}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		offering(ctx, pkg, "", "1.0.0", "1.1.0 never ready")
		Eventually(historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.1.0 RolledBack by Automatic", "1.0.0 Ready by Installation"}))
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonDeadlineExceeded, "1.1.0")
		Eventually(updatesOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.1.0 by 1.1.0: Failed"}))
		before, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Consistently(func(ctx context.Context) (string, error) {
			now, err := admin.Operator(ctx, pkg)
			return now.ResourceVersion, err
		}).WithContext(ctx).Should(Equal(before.ResourceVersion), "nothing is tried again, not even by a new manager")

		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: pkg, Version: "1.1.0", NeverReady: true},
			samples.Operator{Package: pkg, Version: "1.2.0", SkipRange: ">=1.0.0 <1.2.0"})).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		Expect(historyOf(ctx, pkg)).To(Equal([]string{"1.2.0 Ready by Automatic", "1.1.0 RolledBack by Automatic", "1.0.0 Ready by Installation"}))
	})

	It("are not told to have reached a version that was rolled back, when they are paused", func(ctx context.Context) {
		const pkg = "napper"
		offering(ctx, pkg, "", "1.0.0")
		plopped(ctx, pkg, `"install": {"onFailure": "Rollback", "progressDeadlineSeconds": 10}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		offering(ctx, pkg, "", "1.0.0", "1.1.0 never ready")
		told := []string{"1.1.0 RolledBack by Automatic", "1.0.0 Ready by Installation"}
		Eventually(historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal(told))
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonDeadlineExceeded, "1.1.0")
		respecified(ctx, pkg, `"paused": true`)
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonPaused, "spec.paused")
		Consistently(func(ctx context.Context) (string, error) {
			operator, err := admin.Operator(ctx, pkg)
			if err != nil {
				return "", err
			}
			return operator.Status.Installed.Version, nil
		}).WithContext(ctx).Should(Equal("1.0.0"))
		Expect(historyOf(ctx, pkg)).To(Equal(told))
	})

	It("UPG-M5 leave a hop that is stuck at once when the spec asks for something else", func(ctx context.Context) {
		const pkg = "escaper"
		offering(ctx, pkg, "", "1.0.0")
		plopped(ctx, pkg, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		offering(ctx, pkg, "", "1.0.0", "1.1.0 never ready")
		Eventually(historyOf).WithContext(ctx).WithArguments(pkg).Should(ContainElement("1.1.0 Installing by Automatic"))
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: pkg, Version: "1.1.0", NeverReady: true},
			samples.Operator{Package: pkg, Version: "1.1.1", SkipRange: ">=1.0.0 <1.1.1"})).To(Succeed())
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "version 1.1.1 is available, and is not moved to while version 1.1.0 is not healthy")

		respecified(ctx, pkg, `"package": {"version": "1.1.1"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.1").Should(Succeed())
		Expect(historyOf(ctx, pkg)).To(Equal([]string{"1.1.1 Ready by SpecChange", "1.1.0 Superseded by Automatic", "1.0.0 Ready by Installation"}))
	})

	It("are no way past approval: a BundleDeployment that is deleted by hand is put back as it was", func(ctx context.Context) {
		const pkg = "revenant"
		offering(ctx, pkg, "", "1.0.0")
		plopped(ctx, pkg, `"upgrades": {"approval": "Manual"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		Eventually(historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.0.0 Ready by Installation"}))
		offering(ctx, pkg, "", "1.0.0", "1.1.0")
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "Version 1.1.0 is available")
		env.Catalog.Unavailable(true)
		DeferCleanup(func() { env.Catalog.Unavailable(false) })
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed()) // what the catalogs had is forgotten

		Expect(admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, pkg, metav1.DeleteOptions{})).To(Succeed())
		Eventually(historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.0.0 Ready by Restored", "1.0.0 Ready by Installation"}))
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		env.Catalog.Unavailable(false)
		respecified(ctx, pkg, `"upgrades": {"approvedVersion": "1.1.0"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		Expect(historyOf(ctx, pkg)).To(Equal([]string{"1.1.0 Ready by Approved", "1.0.0 Ready by Restored", "1.0.0 Ready by Installation"}))
	})

	It("lead to a bundle that was built anew under its name as they lead to another version", func(ctx context.Context) {
		const pkg, careful = "phoenix", "phoenician"
		offering(ctx, pkg, "", "1.0.0")
		offering(ctx, careful, "", "1.0.0")
		plopped(ctx, pkg, "")
		plopped(ctx, careful, `"upgrades": {"approval": "Manual", "approvedVersion": "1.0.0"}`)
		for _, name := range []string{pkg, careful} {
			Eventually(historyOf).WithContext(ctx).WithArguments(name).Should(Equal([]string{"1.0.0 Ready by Installation"}))
		}
		before, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(updating, configv1.ConditionFalse)
		updating(ctx, configv1.ConditionTrue)
		Expect(admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0", ExtraConfigMap: "ashes"},
			samples.Operator{Package: careful, Version: "1.0.0", ExtraConfigMap: "purple"})).To(Succeed())
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "version 1.0.0 is available", "while the cluster itself is being updated")
		progressingSays(ctx, careful, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "bundle phoenician.v1.0.0 has another image")

		updating(ctx, configv1.ConditionFalse)
		Eventually(historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.0.0 Ready by Automatic", "1.0.0 Ready by Installation"}))
		after, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		Expect(after.Status.Installed.Image).NotTo(Equal(before.Status.Installed.Image))
		Expect(historyOf(ctx, careful)).To(HaveLen(1))
		respecified(ctx, careful, `"upgrades": {"approval": "Automatic"}`)
		Eventually(historyOf).WithContext(ctx).WithArguments(careful).Should(HaveLen(2))
	})

	It("UPG-M6 go on after a restart in mid-path, and wait while the catalog is gone", func(ctx context.Context) {
		const pkg = "wanderer"
		offering(ctx, pkg, through13, "1.2.0")
		plopped(ctx, pkg, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		offering(ctx, pkg, through13, "1.2.0", "1.3.5", "1.4.0")
		Eventually(historyOf).WithContext(ctx).WithArguments(pkg).Should(ContainElement(HavePrefix("1.3.5 Installing")))
		env.Catalog.Unavailable(true)
		DeferCleanup(func() { env.Catalog.Unavailable(false) })
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(func(ctx context.Context) (string, error) {
			operator, err := admin.Operator(ctx, pkg)
			if err != nil {
				return "", err
			}
			return operator.Status.Installed.Version, nil
		}).WithContext(ctx).Should(Equal("1.3.5"), "the hop that was under way ends without a catalog")
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAsExpected, "Version 1.3.5 stays", "no catalog could be read")
		Consistently(historyOf).WithContext(ctx).WithArguments(pkg).Should(HaveLen(2))
		Expect(admin.OperatorHas(ctx, pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected)).To(Succeed())

		env.Catalog.Unavailable(false)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.4.0").Should(Succeed())
	})
})
