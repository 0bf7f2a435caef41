package integration

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/samples"
)

// through13 lets nobody go from 1.2 to 1.4 who has not been ready at 1.3.
const through13 = `
steps:
- from: ">=1.2.0 <1.3.0"
  to: ">=1.4.0"
  through: "1.3.x"
  reason: 1.3 migrates stored objects`

// offering makes the catalogs have these versions of a package, and its upgrade rules; empty is none.
func offering(ctx context.Context, pkg, rules string, versions ...string) {
	GinkgoHelper()
	var operators []samples.Operator
	for _, text := range versions {
		version, stuck := strings.CutSuffix(text, " never ready")
		operators = append(operators, samples.Operator{Package: pkg, Version: version, NeverReady: stuck})
	}
	described := samples.Package{Name: pkg}
	if rules != "" {
		described.Blobs = []string{samples.Rules(pkg, rules)}
	}
	Expect(samples.WritePackages(env.SamplesDir, []samples.Package{described}, operators...)).To(Succeed())
	Expect(env.Publish(ctx)).To(Succeed())
}

// plopped creates a PlatformOperator with this spec beside its package's name, as JSON without braces, and removes it after
// the spec.
func plopped(ctx context.Context, pkg, spec string) {
	GinkgoHelper()
	create(ctx, pkg, "")
	if spec != "" {
		respecified(ctx, pkg, spec)
	}
}

// respecified merges fields into a PlatformOperator's spec.
func respecified(ctx context.Context, name, spec string) {
	GinkgoHelper()
	_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Patch(ctx, name, types.MergePatchType, []byte(`{"spec":{`+spec+`}}`), metav1.PatchOptions{})
	Expect(err).NotTo(HaveOccurred())
}

// conditionSays waits until a PlatformOperator has a condition of this type, status and reason, for its present spec, that
// says all these words.
func conditionSays(ctx context.Context, name string, is metav1.Condition, words ...string) {
	GinkgoHelper()
	matchers := []OmegaMatcher{}
	for _, word := range words {
		matchers = append(matchers, ContainSubstring(word))
	}
	Eventually(func(ctx context.Context) (string, error) {
		if err := admin.OperatorHas(ctx, name, is.Type, is.Status, is.Reason); err != nil {
			return "", err
		}
		operator, err := admin.Operator(ctx, name)
		if err != nil {
			return "", err
		}
		return meta.FindStatusCondition(operator.Status.Conditions, is.Type).Message, nil
	}).WithContext(ctx).Should(And(matchers...))
}

// progressingSays does so with the Progressing condition.
func progressingSays(ctx context.Context, name string, status metav1.ConditionStatus, reason string, words ...string) {
	GinkgoHelper()
	conditionSays(ctx, name, metav1.Condition{Type: platformv1alpha1.ConditionProgressing, Status: status, Reason: reason}, words...)
}

// historyOf is a PlatformOperator's history as text, newest first.
func historyOf(ctx context.Context, name string) ([]string, error) {
	operator, err := admin.Operator(ctx, name)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, entry := range operator.Status.History {
		lines = append(lines, fmt.Sprintf("%s %s by %s", entry.Version, entry.State, entry.Trigger))
	}
	return lines, nil
}

// updatesOf are the available updates as text, newest first: the version, the way there, and what is in it.
func updatesOf(ctx context.Context, name string) ([]string, error) {
	operator, err := admin.Operator(ctx, name)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, update := range operator.Status.AvailableUpdates {
		line := update.Version
		if len(update.Path) > 0 {
			line += " by " + strings.Join(update.Path, " ")
		}
		if update.BlockedReason != "" {
			line += ": " + string(update.BlockedReason)
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// eventsAbout are the messages of the manager's Events that have a reason and name an operator, the oldest first.
func eventsAbout(ctx context.Context, reason, name string) ([]string, error) {
	events, err := admin.Kubernetes.CoreV1().Events(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var messages []string
	for _, event := range events.Items {
		if event.Reason == reason && event.InvolvedObject.Kind == "PlatformOperator" && event.InvolvedObject.Name == name {
			messages = append(messages, event.Message)
		}
	}
	return messages, nil
}

// updating has the ClusterVersion say that the cluster is being updated, or no longer is.
func updating(ctx context.Context, status configv1.ConditionStatus) {
	GinkgoHelper()
	clusterVersion, err := admin.Config.ConfigV1().ClusterVersions().Get(ctx, "version", metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	changed := configv1.ClusterOperatorStatusCondition{Type: configv1.OperatorProgressing, Status: status, LastTransitionTime: metav1.Now()}
	kept := []configv1.ClusterOperatorStatusCondition{changed}
	for _, condition := range clusterVersion.Status.Conditions {
		if condition.Type != configv1.OperatorProgressing {
			kept = append(kept, condition)
		}
	}
	clusterVersion.Status.Conditions = kept
	_, err = admin.Config.ConfigV1().ClusterVersions().UpdateStatus(ctx, clusterVersion, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
}

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

var _ = Describe("a cluster with many operators", func() {
	It("UPG-M7 says of each what it could be moved to, and what is in the way", func(ctx context.Context) {
		const operators, versions = 20, 25
		name := func(i int) string { return fmt.Sprintf("many-%d", i) }
		publish := func(last int) { // the first package has many versions, the others two
			var all []samples.Operator
			for i := range operators {
				for minor := 0; minor <= last && (i == 0 || minor <= 1); minor++ {
					all = append(all, samples.Operator{Package: name(i), Version: fmt.Sprintf("1.%d.0", minor)})
				}
			}
			Expect(admin.Publish(ctx, all...)).To(Succeed())
		}
		publish(0)
		var names []string
		for i := range operators {
			plopped(ctx, name(i), `"upgrades": {"approval": "Manual"}`)
			names = append(names, name(i))
		}
		goTogether(names, admin.Platform.PlatformV1alpha1().PlatformOperators().Delete)
		for i := range operators {
			Eventually(admin.Installed).WithContext(ctx).WithArguments(name(i), "1.0.0").Should(Succeed())
		}
		publish(versions)
		for i := 1; i < operators; i++ {
			Eventually(updatesOf).WithContext(ctx).WithArguments(name(i)).Should(Equal([]string{"1.1.0 by 1.1.0: AwaitingApproval"}))
		}
		Eventually(updatesOf).WithContext(ctx).WithArguments(name(0)).Should(HaveLen(platformv1alpha1.MaxAvailableUpdates))
		operator, err := admin.Operator(ctx, name(0))
		Expect(err).NotTo(HaveOccurred())
		Expect(operator.Status.AvailableUpdatesTotal).To(Equal(int32(versions)))
		for i, update := range operator.Status.AvailableUpdates {
			Expect(update.Version).To(Equal(fmt.Sprintf("1.%d.0", versions-i)), "newest first")
			var path []string // hop by hop along what replaces what
			for minor := range versions - i {
				path = append(path, fmt.Sprintf("1.%d.0", minor+1))
			}
			Expect(update.Path).To(Equal(path))
			Expect(update.BlockedMessage).To(ContainSubstring("set spec.upgrades.approvedVersion to %q", update.Version))
		}
	})

	It("UPG-M8 installs what can be installed beside what cannot, and puts back what is edited by hand", func(ctx context.Context) {
		Expect(admin.Publish(ctx, samples.Operator{Package: "sound", Version: "1.0.0"}, samples.Operator{Package: "picky", Version: "1.0.0", SingleNamespaceOnly: true})).To(Succeed())
		create(ctx, "sound", "")
		create(ctx, "picky", "")
		create(ctx, "no-such-package", "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments("sound", "1.0.0").Should(Succeed())
		refusedWith(ctx, "no-such-package", platformv1alpha1.ReasonSourceFailed, "failed to find candidate")
		refusedWith(ctx, "picky", platformv1alpha1.ReasonValidationFailed, "1.0.0 supports the install modes", "spec.install.config.watchNamespace")

		deployments := admin.Platform.CoreV1alpha2().BundleDeployments()
		operator, err := admin.Operator(ctx, "sound")
		Expect(err).NotTo(HaveOccurred())
		Expect(operator.Status.ActiveBundleDeployment.Name).To(Equal("sound"))
		before, err := deployments.Get(ctx, "sound", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		changed(ctx, "sound", `{"spec":{"source":{"image":{"ref":"127.0.0.1:1/intruder:1"}}}}`)
		Eventually(func(ctx context.Context) (string, error) {
			live, err := deployments.Get(ctx, "sound", metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			return live.Spec.Source.Image.Ref, nil
		}).WithContext(ctx).Should(Equal(before.Spec.Source.Image.Ref))
		Eventually(admin.Installed).WithContext(ctx).WithArguments("sound", "1.0.0").Should(Succeed())
	})
})

var _ = Describe("what the author and the catalog say", func() {
	It("UPG-V6 of the latest to pass through is judged when a hop begins", func(ctx context.Context) {
		const rules = "steps:\n- from: 1.2.x\n  through: 1.2.x\n  to: '>=1.3.0'\n  select: latest"
		const early, late = "earlybird", "latecomer"
		offering(ctx, early, rules, "1.2.8")
		offering(ctx, late, rules, "1.2.8")
		plopped(ctx, early, "")
		plopped(ctx, late, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(early, "1.2.8").Should(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(late, "1.2.8").Should(Succeed())

		offering(ctx, late, rules, "1.2.8", "1.2.9", "1.3.0")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(late, "1.3.0").Should(Succeed())
		Expect(historyOf(ctx, late)).To(Equal([]string{"1.3.0 Ready by Automatic", "1.2.9 Ready by Automatic", "1.2.8 Ready by Installation"}),
			"to have been at what was the latest once does not do")

		offering(ctx, early, rules, "1.2.8", "1.3.0 never ready")
		Eventually(historyOf).WithContext(ctx).WithArguments(early).Should(ContainElement("1.3.0 Installing by Automatic"))
		offering(ctx, early, rules, "1.2.8", "1.2.9", "1.3.0 never ready")
		progressingSays(ctx, early, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "version 1.2.9 is available, and is not moved to while version 1.3.0 is not healthy")
		Expect(historyOf(ctx, early)).To(Equal([]string{"1.3.0 Installing by Automatic", "1.2.8 Ready by Installation"}), "what has begun is not called back")
	})

	It("UPG-V8 of a step whose versions are not there, or not for this cluster, blocks and says what is missing", func(ctx context.Context) {
		const pruned, old = "pruned", "antique"
		offering(ctx, pruned, through13, "1.2.0")
		offering(ctx, old, through13, "1.2.0")
		plopped(ctx, pruned, "")
		plopped(ctx, old, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pruned, "1.2.0").Should(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(old, "1.2.0").Should(Succeed())
		rules := samples.Package{Name: old, Blobs: []string{samples.Rules(old, through13)}}
		Expect(samples.WritePackages(env.SamplesDir, []samples.Package{rules}, samples.Operator{Package: old, Version: "1.2.0"},
			samples.Operator{Package: old, Version: "1.3.5", MaxOpenShiftVersion: `"4.10"`}, samples.Operator{Package: old, Version: "1.4.0"})).To(Succeed())
		offering(ctx, pruned, through13, "1.2.0", "1.4.0")

		step := []string{"Version 1.4.0 cannot be reached from 1.2.0", "steps[0] of blob " + samples.RulesSchema, `"1.3.x"`, `"1.3 migrates stored objects"`}
		progressingSays(ctx, pruned, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, append(step, "the selected catalogs have none there")...)
		progressingSays(ctx, old, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, append(step, "1.3.5, allows OpenShift up to 4.10")...)
		Expect(updatesOf(ctx, pruned)).To(Equal([]string{"1.4.0: Step"}))
		Expect(updatesOf(ctx, old)).To(Equal([]string{"1.4.0: Step", "1.3.5: Unfit"}))

		respecified(ctx, pruned, `"upgrades": {"edges": "SelfCertified"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pruned, "1.4.0").Should(Succeed())
		Expect(historyOf(ctx, pruned)).To(Equal([]string{"1.4.0 Ready by SelfCertified", "1.2.0 Ready by Installation"}))
		Eventually(eventsAbout).WithContext(ctx).WithArguments(platformv1alpha1.EventUpgradeStarted, pruned).Should(ConsistOf(ContainSubstring("SelfCertified")))
	})

	It("UPG-V9 in rules is the same by every way, and what cannot be read blocks every move", func(ctx context.Context) {
		property := func(value string) samples.Property { return samples.Property{Type: samples.RulesSchema, Value: value} }
		const asJSON = `{"steps": [{"from": ">=1.2.0 <1.3.0", "to": ">=1.4.0", "through": "1.3.x", "reason": "1.3 migrates stored objects"}]}`
		good := []string{"1.4.0 by 1.3.5 1.4.0: Paused", "1.3.5 by 1.3.5: Paused"}
		bad := []string{"1.4.0: RulesInvalid", "1.3.5: RulesInvalid"}
		packages := []struct {
			name       string
			blobs      []string
			properties []samples.Property
			want       []string
			says       string
		}{
			{"rules-blob", []string{samples.Rules("rules-blob", through13)}, nil, good, ""},
			{"rules-property", nil, []samples.Property{property(asJSON)}, good, ""},
			{"rules-both", []string{samples.Rules("rules-both", through13)}, []samples.Property{property(asJSON)}, good, ""},
			{"rules-malformed", []string{samples.Rules("rules-malformed", "steps:\n- through: 1.3.x")}, nil, bad, "steps[0].to is missing"},
			{"rules-unknown", []string{"schema: io.openshift.operators.upgrades.v1beta1\npackage: rules-unknown\nsteps: []"}, nil, bad, "io.openshift.operators.upgrades.v1beta1"},
			{"rules-twice", []string{samples.Rules("rules-twice", through13)}, []samples.Property{property(`{"steps": []}`)}, bad, "different ones"},
			{"rules-other", nil, []samples.Property{property(`{"package": "somebody-else", "steps": []}`)}, bad, `package "somebody-else"`},
		}
		var first []samples.Operator
		for _, p := range packages {
			first = append(first, samples.Operator{Package: p.name, Version: "1.2.0"})
		}
		Expect(admin.Publish(ctx, first...)).To(Succeed())
		for _, p := range packages {
			plopped(ctx, p.name, "")
		}
		var described []samples.Package
		var all []samples.Operator
		for _, p := range packages {
			Eventually(admin.Installed).WithContext(ctx).WithArguments(p.name, "1.2.0").Should(Succeed())
			respecified(ctx, p.name, `"paused": true`)
			described = append(described, samples.Package{Name: p.name, Blobs: p.blobs})
			all = append(all, samples.Operator{Package: p.name, Version: "1.2.0"}, samples.Operator{Package: p.name, Version: "1.3.5"},
				samples.Operator{Package: p.name, Version: "1.4.0", Properties: p.properties})
		}
		Expect(samples.WritePackages(env.SamplesDir, described, all...)).To(Succeed())
		Expect(env.Publish(ctx)).To(Succeed())
		for _, kind := range []string{"CatalogSource", "ClusterCatalog"} {
			for _, p := range packages {
				respecified(ctx, p.name, fmt.Sprintf(`"package": {"catalogSelector": {"matchLabels": {%q: %q}}}`, platformv1alpha1.LabelCatalogKind, kind))
				Eventually(func(g Gomega, ctx context.Context) {
					operator, err := admin.Operator(ctx, p.name)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(operator.Status.ObservedGeneration).To(Equal(operator.Generation))
					g.Expect(updatesOf(ctx, p.name)).To(Equal(p.want))
					if p.says != "" {
						g.Expect(operator.Status.AvailableUpdates[0].BlockedMessage).To(And(ContainSubstring(p.says), ContainSubstring(p.name), ContainSubstring(kind)))
					}
				}).WithContext(ctx).Should(Succeed(), "%s by %s", p.name, kind)
			}
		}
	})

	It("of rules that cannot be read blocks every move, and names the blob", func(ctx context.Context) {
		const pkg = "mumbler"
		offering(ctx, pkg, "", "1.0.0")
		plopped(ctx, pkg, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		offering(ctx, pkg, "steps:\n- through: 1.3.x\n  until: tomorrow", "1.0.0", "1.1.0")
		progressingSays(ctx, pkg, metav1.ConditionFalse, platformv1alpha1.ReasonBlocked, "Version 1.1.0 is not moved to while the author's upgrade rules cannot be read", samples.RulesSchema, `"until"`)
		Expect(updatesOf(ctx, pkg)).To(Equal([]string{"1.1.0: RulesInvalid"}))
		respecified(ctx, pkg, `"upgrades": {"edges": "SelfCertified"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		Expect(historyOf(ctx, pkg)).To(ContainElement("1.1.0 Ready by SelfCertified"))
	})

	It("UPG-C8 of deprecation is a condition, and counts in what is chosen", func(ctx context.Context) {
		const pkg = "relic"
		describe := func(versions int, deprecations ...samples.Deprecation) {
			var operators []samples.Operator
			for i := range versions {
				operators = append(operators, samples.Operator{Package: pkg, Version: fmt.Sprintf("1.%d.0", i)})
			}
			Expect(samples.WritePackages(env.SamplesDir, []samples.Package{{Name: pkg, Deprecations: deprecations}}, operators...)).To(Succeed())
			Expect(env.Publish(ctx)).To(Succeed())
		}
		deprecated := func(status metav1.ConditionStatus, reason string, words ...string) {
			GinkgoHelper()
			conditionSays(ctx, pkg, metav1.Condition{Type: platformv1alpha1.ConditionDeprecated, Status: status, Reason: reason}, words...)
		}
		describe(2, samples.Deprecation{Version: "1.1.0", Message: "it eats data"})
		plopped(ctx, pkg, "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		deprecated(metav1.ConditionFalse, platformv1alpha1.ReasonNotDeprecated, "relic.v1.0.0")

		describe(2, samples.Deprecation{Message: "use amulet"}, samples.Deprecation{Channel: "stable", Message: "use fast"}, samples.Deprecation{Version: "1.0.0", Message: "it is old"})
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		deprecated(metav1.ConditionTrue, platformv1alpha1.ReasonDeprecated, `Package "relic" is deprecated: use amulet`, `channel "stable" is deprecated: use fast`)

		describe(2, samples.Deprecation{Version: "1.1.0", Message: "it eats data"})
		deprecated(metav1.ConditionTrue, platformv1alpha1.ReasonDeprecated, `Bundle "relic.v1.1.0" is deprecated: it eats data`)

		describe(2)
		deprecated(metav1.ConditionFalse, platformv1alpha1.ReasonNotDeprecated, "relic.v1.1.0")
	})
})

var _ = Describe("operators that have to do with one another", func() {
	It("are installed together, wait for what they need, and leave alone what others have", func(ctx context.Context) {
		kind := func(name string) catalog.GVK {
			return catalog.GVK{Group: "needs.example.com", Version: "v1", Kind: name}
		}
		Expect(admin.Publish(ctx,
			samples.Operator{Package: "hungry", Version: "1.0.0", Properties: []samples.Property{samples.RequiresKind(kind("Bread"))}},
			samples.Operator{Package: "baker", Version: "1.0.0", Properties: []samples.Property{samples.Provides(kind("Bread"))}},
			samples.Operator{Package: "rival", Version: "1.0.0", Properties: []samples.Property{samples.Provides(kind("Bread"))}},
			samples.Operator{Package: "taken", Version: "1.0.0"},
		)).To(Succeed())
		By("needing what nobody brings")
		create(ctx, "hungry", "")
		refusedWith(ctx, "hungry", platformv1alpha1.ReasonValidationFailed, "1.0.0", "needs.example.com/v1", "Bread")
		By("getting it from another, which comes later")
		create(ctx, "baker", "")
		Eventually(admin.Installed).WithContext(ctx).WithArguments("baker", "1.0.0").Should(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments("hungry", "1.0.0").Should(Succeed())
		By("bringing what another brings already")
		create(ctx, "rival", "")
		refusedWith(ctx, "rival", platformv1alpha1.ReasonValidationFailed, "Bread", `"baker"`)
		Eventually(func(ctx context.Context) ([]string, error) {
			operator, err := admin.Operator(ctx, "baker")
			return operator.Status.Warnings, err
		}).WithContext(ctx).Should(ContainElement(ContainSubstring(`"rival"`)), "the conflict is named on both")

		By("being in use by OLM v0")
		subscriptions := admin.Dynamic.Resource(schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"}).Namespace("default")
		_, err := subscriptions.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": map[string]any{"name": "mine"},
			"spec": map[string]any{"name": "taken", "source": "local", "sourceNamespace": "openshift-marketplace"},
		}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) error {
			return ignoreNotFound(subscriptions.Delete(ctx, "mine", metav1.DeleteOptions{}))
		})
		Eventually(func(ctx context.Context) error {
			_, err := subscriptions.Get(ctx, "mine", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
		create(ctx, "taken", "")
		refusedWith(ctx, "taken", platformv1alpha1.ReasonValidationFailed, "Subscription default/mine")
		Expect(subscriptions.Delete(ctx, "mine", metav1.DeleteOptions{})).To(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments("taken", "1.0.0").Should(Succeed())
	})
})
