package scenarios

import (
	"context"
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

func TestUpgrades(t *testing.T) {
	t.Parallel()
	// Promise UPG-V10: An operator reaches a pin several upgrade steps away along the path that `status.availableUpdates` shows before
	// anything moves. Each step starts when the version before is ready, with an entry in history and an Event.
	//
	// Promise UPG-M1: An operator moves to a newer version without approval, and one upgrade step at a time. `status.target` names the
	// version, the path and the step under way until `status.installed` shows it.
	runStory(t, "UPG-V10 UPG-M1 upgrades follow the displayed path step by step, each step when the version before is healthy", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "hopper"
		s.offerVersions(ctx, pkg, through13, "1.2.0")
		s.createWithSpec(ctx, pkg, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		s.patchOperatorSpec(ctx, pkg, `"paused": true`)
		s.offerVersions(ctx, pkg, through13, "1.2.0", "1.3.0", "1.3.5", "1.4.0", "1.4.1")
		s.patchOperatorSpec(ctx, pkg, `"package": {"version": "1.4.0"}`)
		s.Eventually(s.updatesOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{
			"1.4.1 by 1.3.5 1.4.1: Range", "1.4.0 by 1.3.5 1.4.0: Paused", "1.3.5 by 1.3.5: Range", "1.3.0 by 1.3.0: Range",
		}), "status shows the path before the first upgrade step")

		watched, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Watch(ctx, metav1.SingleObject(metav1.ObjectMeta{Name: pkg}))
		s.Expect(err).NotTo(HaveOccurred())
		defer watched.Stop()
		s.patchOperatorSpec(ctx, pkg, `"paused": null`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.4.0").Should(Succeed())

		var hops []string
		for len(hops) == 0 || !strings.HasPrefix(hops[len(hops)-1], "at 1.4.0") {
			event, open := <-watched.ResultChan()
			s.Expect(open).To(BeTrue())
			operator, ok := event.Object.(*platformv1alpha1.PlatformOperator)
			s.Expect(ok).To(BeTrue())
			hop := "at " + operator.Status.Installed.Version
			if target := operator.Status.Target; target != nil {
				hop += fmt.Sprintf(", moving to %s by %s with %s in progress", target.Version, strings.Join(target.Path, " "), target.Hop.Version)
			}
			if len(hops) == 0 || hops[len(hops)-1] != hop {
				hops = append(hops, hop)
			}
		}
		s.Expect(hops).To(Equal([]string{
			"at 1.2.0", "at 1.2.0, moving to 1.4.0 by 1.3.5 1.4.0 with 1.3.5 in progress",
			"at 1.3.5", "at 1.3.5, moving to 1.4.0 by 1.4.0 with 1.4.0 in progress", "at 1.4.0",
		}))
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.4.0 Ready by Automatic", "1.3.5 Ready by SpecChange", "1.2.0 Ready by Installation"}))
		operator, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		for i, entry := range operator.Status.History[:2] {
			s.Expect(operator.Status.History[i+1].ReadyTime.Time).NotTo(BeTemporally(">", entry.StartedTime.Time), "%s began before %s was ready", entry.Version, operator.Status.History[i+1].Version)
		}
		s.Eventually(s.eventsAbout).WithContext(ctx).WithArguments(platformv1alpha1.EventUpgradeStarted, pkg).Should(ConsistOf(
			ContainSubstring("from version 1.2.0 to version 1.3.5"), ContainSubstring("from version 1.3.5 to version 1.4.0")))
	})

	// Promise UPG-M2: With manual approval a new version is reported as `AwaitingApproval`. The approved version is installed along its
	// path, and a version that appears meanwhile changes nothing.
	runStory(t, "UPG-M2 with manual approval only approved versions are installed", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "waiter"
		s.offerVersions(ctx, pkg, through13, "1.2.0")
		s.createWithSpec(ctx, pkg, `"upgrades": {"approval": "Manual"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		s.offerVersions(ctx, pkg, through13, "1.2.0", "1.3.5", "1.4.0")
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, `Version 1.4.0 is available and waits for approval`, `spec.upgrades.approvedVersion to "1.4.0"`)
		s.Expect(s.updatesOf(ctx, pkg)).To(Equal([]string{"1.4.0 by 1.3.5 1.4.0: AwaitingApproval", "1.3.5 by 1.3.5: AwaitingApproval"}))

		s.patchOperatorSpec(ctx, pkg, `"upgrades": {"approvedVersion": "1.4.0"}`)
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(ContainElement(HavePrefix("1.3.5")))
		s.offerVersions(ctx, pkg, through13, "1.2.0", "1.3.5", "1.4.0", "1.5.0") // another version meanwhile changes nothing
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, `Version 1.5.0 is available and waits for approval`)
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.4.0 Ready by Approved", "1.3.5 Ready by Approved", "1.2.0 Ready by Installation"}))

		s.patchOperatorSpec(ctx, pkg, `"upgrades": {"approvedVersion": "1.6.0"}`)
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, `The approved version "1.6.0" is in no selected catalog`)
	})

	// Promise UPG-M3: While the cluster itself is being updated no upgrade step starts, and the operator says so; first installations and
	// approved versions go on. Upgrades resume when the update is over.
	runStory(t, "UPG-M3 upgrades wait during a cluster update, except first installations and approved versions", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, other, fresh = "patient", "approver", "newcomer"
		s.offerVersions(ctx, pkg, "", "1.0.0")
		s.offerVersions(ctx, other, "", "1.0.0")
		s.offerVersions(ctx, fresh, "", "1.0.0")
		s.createWithSpec(ctx, pkg, "")
		s.createWithSpec(ctx, other, `"upgrades": {"approval": "Manual"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(other, "1.0.0").Should(Succeed())
		s.setClusterUpdating(ctx, configv1.ConditionTrue)
		s.offerVersions(ctx, pkg, "", "1.0.0", "1.1.0")
		s.offerVersions(ctx, other, "", "1.0.0", "1.1.0")
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is available", "while the cluster itself is being updated to 4.")
		s.Expect(s.updatesOf(ctx, pkg)).To(Equal([]string{"1.1.0 by 1.1.0: ClusterUpdating"}))
		s.patchOperatorSpec(ctx, other, `"upgrades": {"approvedVersion": "1.1.0"}`)
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(other).Should(ContainElement("1.1.0 Ready by Approved"))
		s.createWithSpec(ctx, fresh, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(fresh, "1.0.0").Should(Succeed())
		s.Expect(s.historyOf(ctx, pkg)).To(HaveLen(1))

		s.setClusterUpdating(ctx, configv1.ConditionFalse)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
	})

	// Promise UPG-M4: A version that was rolled back is marked as failed in `status.availableUpdates`, and not even a restarted manager
	// tries it again. A newer version in the catalog is installed.
	runStory(t, "UPG-M4 a failed version is not retried by another manager, and a newer version is installed", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "stumbler"
		s.offerVersions(ctx, pkg, "", "1.0.0")
		s.createWithSpec(ctx, pkg, `"install": {"onFailure": "Rollback", "progressDeadlineSeconds": 10}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.offerVersions(ctx, pkg, "", "1.0.0", "1.1.0 never ready")
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.1.0 RolledBack by Automatic", "1.0.0 Ready by Installation"}))
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonDeadlineExceeded, "1.1.0")
		s.Eventually(s.updatesOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.1.0 by 1.1.0: Failed"}))
		before, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.KillManager()
		s.StartManager()
		s.Consistently(func(ctx context.Context) (string, error) {
			now, err := s.Admin.Operator(ctx, pkg)
			return now.ResourceVersion, err
		}).WithContext(ctx).Should(Equal(before.ResourceVersion), "a new manager does not retry either")

		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: pkg, Version: "1.1.0", NeverReady: true},
			samples.Operator{Package: pkg, Version: "1.2.0", SkipRange: ">=1.0.0 <1.2.0"})).To(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.2.0 Ready by Automatic", "1.1.0 RolledBack by Automatic", "1.0.0 Ready by Installation"}))
	})

	runStory(t, "a paused operator does not report a version that was rolled back as reached", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "napper"
		s.offerVersions(ctx, pkg, "", "1.0.0")
		s.createWithSpec(ctx, pkg, `"install": {"onFailure": "Rollback", "progressDeadlineSeconds": 10}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.offerVersions(ctx, pkg, "", "1.0.0", "1.1.0 never ready")
		history := []string{"1.1.0 RolledBack by Automatic", "1.0.0 Ready by Installation"}
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal(history))
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonDeadlineExceeded, "1.1.0")
		s.patchOperatorSpec(ctx, pkg, `"paused": true`)
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonPaused, "spec.paused")
		s.Consistently(func(ctx context.Context) (string, error) {
			operator, err := s.Admin.Operator(ctx, pkg)
			if err != nil {
				return "", err
			}
			return operator.Status.Installed.Version, nil
		}).WithContext(ctx).Should(Equal("1.0.0"))
		s.Expect(s.historyOf(ctx, pkg)).To(Equal(history))
	})

	// Promise UPG-M5: When the spec asks for another version during an upgrade step that is stuck, the operator moves there, and history
	// records the stuck version as superseded.
	runStory(t, "UPG-M5 an upgrade step that is stuck ends when the spec asks for another version", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "escaper"
		s.offerVersions(ctx, pkg, "", "1.0.0")
		s.createWithSpec(ctx, pkg, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.offerVersions(ctx, pkg, "", "1.0.0", "1.1.0 never ready")
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(ContainElement("1.1.0 Installing by Automatic"))
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: pkg, Version: "1.1.0", NeverReady: true},
			samples.Operator{Package: pkg, Version: "1.1.1", SkipRange: ">=1.0.0 <1.1.1"})).To(Succeed())
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Version 1.1.1 is available, but is not installed until version 1.1.0 is healthy")

		s.patchOperatorSpec(ctx, pkg, `"package": {"version": "1.1.1"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.1").Should(Succeed())
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.1.1 Ready by SpecChange", "1.1.0 Superseded by Automatic", "1.0.0 Ready by Installation"}))
	})

	runStory(t, "a deleted BundleDeployment is restored at its version, and bypasses no approval", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "revenant"
		s.offerVersions(ctx, pkg, "", "1.0.0")
		s.createWithSpec(ctx, pkg, `"upgrades": {"approval": "Manual"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.0.0 Ready by Installation"}))
		s.offerVersions(ctx, pkg, "", "1.0.0", "1.1.0")
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "Version 1.1.0 is available")
		s.Environment.Catalog.Unavailable(true)
		s.KillManager()
		s.StartManager() // it has no content of the catalogs

		s.Expect(s.Admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, pkg, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.0.0 Ready by Restored", "1.0.0 Ready by Installation"}))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		s.Environment.Catalog.Unavailable(false)
		s.patchOperatorSpec(ctx, pkg, `"upgrades": {"approvedVersion": "1.1.0"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		s.Expect(s.historyOf(ctx, pkg)).To(Equal([]string{"1.1.0 Ready by Approved", "1.0.0 Ready by Restored", "1.0.0 Ready by Installation"}))
	})

	runStory(t, "a rebuilt bundle of the same name is an update like another version", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, careful = "phoenix", "phoenician"
		s.offerVersions(ctx, pkg, "", "1.0.0")
		s.offerVersions(ctx, careful, "", "1.0.0")
		s.createWithSpec(ctx, pkg, "")
		s.createWithSpec(ctx, careful, `"upgrades": {"approval": "Manual", "approvedVersion": "1.0.0"}`)
		for _, name := range []string{pkg, careful} {
			s.Eventually(s.historyOf).WithContext(ctx).WithArguments(name).Should(Equal([]string{"1.0.0 Ready by Installation"}))
		}
		before, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.setClusterUpdating(ctx, configv1.ConditionTrue)
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: pkg, Version: "1.0.0", ExtraConfigMap: "ashes"},
			samples.Operator{Package: careful, Version: "1.0.0", ExtraConfigMap: "purple"})).To(Succeed())
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Version 1.0.0 is available", "while the cluster itself is being updated")
		s.waitForProgressing(ctx, careful, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Bundle phoenician.v1.0.0 has another image")

		s.setClusterUpdating(ctx, configv1.ConditionFalse)
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(Equal([]string{"1.0.0 Ready by Automatic", "1.0.0 Ready by Installation"}))
		after, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(after.Status.Installed.Image).NotTo(Equal(before.Status.Installed.Image))
		s.Expect(s.historyOf(ctx, careful)).To(HaveLen(1))
		s.patchOperatorSpec(ctx, careful, `"upgrades": {"approval": "Automatic"}`)
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(careful).Should(HaveLen(2))
	})

	// Promise UPG-M6: When the manager restarts in mid-path while no catalog can be read, the upgrade step under way completes and the
	// operator stays there, healthy. The path continues when the catalogs are back.
	runStory(t, "UPG-M6 an upgrade continues after a restart, and waits while the catalog is gone", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "wanderer"
		s.offerVersions(ctx, pkg, through13, "1.2.0")
		s.createWithSpec(ctx, pkg, "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.2.0").Should(Succeed())
		s.offerVersions(ctx, pkg, through13, "1.2.0", "1.3.5", "1.4.0")
		s.Eventually(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(ContainElement(HavePrefix("1.3.5 Installing")))
		s.Environment.Catalog.Unavailable(true)
		s.KillManager()
		s.StartManager()
		s.Eventually(func(ctx context.Context) (string, error) {
			operator, err := s.Admin.Operator(ctx, pkg)
			if err != nil {
				return "", err
			}
			return operator.Status.Installed.Version, nil
		}).WithContext(ctx).Should(Equal("1.3.5"), "the upgrade step completes without a catalog")
		s.waitForProgressing(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonAsExpected, "Version 1.3.5 stays", "no catalog could be read")
		s.Consistently(s.historyOf).WithContext(ctx).WithArguments(pkg).Should(HaveLen(2))
		s.Expect(s.Admin.OperatorHas(ctx, pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionTrue, platformv1alpha1.ReasonAsExpected)).To(Succeed())

		s.Environment.Catalog.Unavailable(false)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.4.0").Should(Succeed())
	})
}
