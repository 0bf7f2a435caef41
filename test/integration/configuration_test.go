package integration

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// configure merges into the manager's spec until the spec ends; undo, such as {"allowedPackages": null}, is merged then.
func configure(ctx context.Context, spec, undo string) {
	GinkgoHelper()
	merge := func(ctx context.Context, spec string) {
		GinkgoHelper()
		_, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName,
			types.MergePatchType, []byte(`{"spec":`+spec+`}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
	}
	merge(ctx, spec)
	DeferCleanup(merge, undo)
}

const (
	theManager = `PlatformOperatorManager "cluster"`
	// seventeenLabels are one more than a selector may have.
	seventeenLabels = `{"a":"","b":"","c":"","d":"","e":"","f":"","g":"","h":"","i":"","j":"","k":"","l":"","m":"","n":"","o":"","p":"","q":""}`
)

var _ = Describe("the manager's configuration", func() {
	It("UPG-R6 allowed packages, a pause and manual approval are respected", func(ctx context.Context) {
		const allowed, resting, asking, kept = "welcome", "resting", "asking", "kept-out"
		publish := func(versions ...string) {
			var all []samples.Operator
			for _, pkg := range []string{allowed, resting, asking, kept} {
				for _, version := range versions {
					all = append(all, samples.Operator{Package: pkg, Version: version})
				}
			}
			Expect(admin.Publish(ctx, all...)).To(Succeed())
		}
		publish("1.0.0")
		configure(ctx, `{"allowedPackages":["welcome","resting","asking"],"defaultApproval":"Manual"}`, `{"allowedPackages":null,"defaultApproval":null}`)
		for _, pkg := range []string{allowed, resting, asking} {
			create(ctx, pkg, "")
		}
		create(ctx, kept, "")
		for _, pkg := range []string{allowed, resting, asking} {
			Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		}
		respecified(ctx, allowed, `"upgrades": {"approval": "Automatic"}`)
		respecified(ctx, resting, `"upgrades": {"approval": "Automatic"}, "paused": true`)
		publish("1.0.0", "1.1.0")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(allowed, "1.1.0").Should(Succeed())
		progressingSays(ctx, resting, metav1.ConditionFalse, platformv1alpha1.ReasonPaused, "spec.paused")
		Eventually(updatesOf).WithContext(ctx).WithArguments(resting).Should(Equal([]string{"1.1.0 by 1.1.0: Paused"}))
		progressingSays(ctx, asking, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")
		refusedWith(ctx, kept, platformv1alpha1.ReasonValidationFailed, "spec.allowedPackages")
		for _, pkg := range []string{resting, asking} {
			Expect(historyOf(ctx, pkg)).To(HaveLen(1))
		}
		_, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, kept, metav1.GetOptions{})
		Expect(err).To(beNotFound())

		respecified(ctx, resting, `"paused": null`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(resting, "1.1.0").Should(Succeed())
		respecified(ctx, asking, `"upgrades": {"approvedVersion": "1.1.0"}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(asking, "1.1.0").Should(Succeed())
	})

	It("allowedPackages keeps other packages out, and what is installed of them stays and is not moved", func(ctx context.Context) {
		const pkg, fresh = "tolerated", "unlisted"
		Expect(samples.Write(env.SamplesDir, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: fresh, Version: "1.0.0"})).To(Succeed())
		Expect(env.Publish(ctx)).To(Succeed())
		installed(ctx, pkg, "1.0.0")

		By("allowing others only, and offering a newer version")
		configure(ctx, `{"allowedPackages":["none-*","[x-z]?"]}`, `{"allowedPackages":null}`)
		blocked := And(HavePrefix("False Blocked: Version 1.0.0 stays"), ContainSubstring(theManager), ContainSubstring("spec.allowedPackages"), ContainSubstring(`"none-*"`))
		Eventually(progressingOf).WithContext(ctx).WithArguments(pkg).Should(blocked)
		Expect(samples.Write(env.SamplesDir, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: pkg, Version: "1.1.0"})).To(Succeed())
		Expect(env.Publish(ctx)).To(Succeed())
		create(ctx, fresh, "")
		refusedWith(ctx, fresh, platformv1alpha1.ReasonValidationFailed, theManager, "spec.allowedPackages", `"`+fresh+`"`)
		Consistently(func(g Gomega, ctx context.Context) {
			live, err := admin.Operator(ctx, pkg)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(live.Status.Installed.Version).To(Equal("1.0.0"))
			g.Expect(live.Status.Target).To(BeNil())
			g.Expect(meta.IsStatusConditionTrue(live.Status.Conditions, platformv1alpha1.ConditionInstalled)).To(BeTrue())
			g.Expect(progressingOf(ctx, pkg)).To(blocked)
		}, "2s").WithContext(ctx).Should(Succeed())

		By("allowing them, nothing else being done")
		configure(ctx, `{"allowedPackages":["tolerate?","un*"]}`, `{"allowedPackages":null}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		Eventually(admin.Installed).WithContext(ctx).WithArguments(fresh, "1.0.0").Should(Succeed())
	})

	It("catalogSelector leaves catalogs out for every PlatformOperator, whatever its own selector says", func(ctx context.Context) {
		const pkg = "picked"
		Expect(samples.Write(env.SamplesDir, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		Expect(env.Publish(ctx)).To(Succeed())
		only := func(kind string) string {
			return fmt.Sprintf(`{"catalogSelector":{"matchLabels":{%q:%q}}}`, platformv1alpha1.LabelCatalogKind, kind)
		}
		configure(ctx, only("ClusterCatalog"), `{"catalogSelector":null}`)
		operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: pkg}}
		operator.Spec.Package = platformv1alpha1.Package{Name: pkg, CatalogSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{platformv1alpha1.LabelCatalogKind: "CatalogSource"}}}
		_, err := admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, operator, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(remove, pkg)
		refusedWith(ctx, pkg, platformv1alpha1.ReasonSourceFailed, "failed to find candidate", "spec.package.catalogSelector", theManager, "CatalogSource/openshift-marketplace/local")

		By("leaving the other kind in")
		configure(ctx, only("CatalogSource"), `{"catalogSelector":null}`)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		live, err := admin.Operator(ctx, pkg)
		Expect(err).NotTo(HaveOccurred())
		Expect(live.Status.Installed.Catalog).To(Equal("CatalogSource/openshift-marketplace/local"))
	})
})

var _ = DescribeTable("the API server judges how a PlatformOperator is to be upgraded",
	func(ctx context.Context, upgrades, refusal string) {
		Expect(dryCreate(ctx, platformOperators, "PlatformOperator", plop("a", "{package: {name: quay}, upgrades: "+upgrades+"}"))).To(matchRefusal(refusal))
	},
	Entry("not said", "{}", ""),
	Entry("automatically, an approved version being ignored", `{approval: Automatic, approvedVersion: "1.2.3", edges: Catalog}`, ""),
	Entry("by approval", `{approval: Manual, approvedVersion: "1.2.3-rc.1+build.5", edges: SelfCertified}`, ""),
	Entry("by approval that is not given yet", "{approval: Manual}", ""),
	Entry("by an approval that does not exist", "{approval: Perhaps}", "spec.upgrades.approval: Unsupported value"),
	Entry("to a range", `{approval: Manual, approvedVersion: ">=1.2.3"}`, "upgrades.approvedVersion is one exact version"),
	Entry("to a part of a version", `{approval: Manual, approvedVersion: "1.2"}`, "upgrades.approvedVersion is one exact version"),
	Entry("to a version of two lines", `{approval: Manual, approvedVersion: "1.2.3\n1.2.4"}`, "upgrades.approvedVersion is one exact version"),
	Entry("to an endless version", `{approval: Manual, approvedVersion: "1.2.3-`+strings.Repeat("a", 130)+`"}`, "Too long"),
	Entry("along edges of the manager's only", "{edges: Both}", "spec.upgrades.edges: Unsupported value"),
)

var _ = DescribeTable("the API server judges what the manager is told",
	func(ctx context.Context, spec, refusal string) {
		_, err := admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName, types.MergePatchType,
			[]byte(`{"spec":`+spec+`}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: "Strict"})
		Expect(err).To(matchRefusal(refusal))
	},
	Entry("everything", `{"allowedPackages":["quay","a-*","?[a-f0-9]","[^x]*"],"defaultApproval":"Manual","defaultEdges":"Both",
		"catalogSelector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"tier","operator":"In","values":["gold"]},{"key":"x","operator":"DoesNotExist"}]}}`, ""),
	Entry("an empty list of packages, which says neither all nor none", `{"allowedPackages":[]}`, "spec.allowedPackages"),
	Entry("one glob twice", `{"allowedPackages":["a","a"]}`, "Duplicate value"),
	Entry("an empty glob", `{"allowedPackages":[""]}`, "spec.allowedPackages[0]"),
	Entry("a glob that is not closed", `{"allowedPackages":["[a-"]}`, "spec.allowedPackages[0]"),
	Entry("a glob that cannot match a package's name", `{"allowedPackages":["Quay"]}`, "spec.allowedPackages[0]"),
	Entry("a selector with 17 labels", `{"catalogSelector":{"matchLabels":`+seventeenLabels+`}}`, "catalogSelector.matchLabels has at most 16 entries"),
	Entry("a selector with an operator that does not exist", `{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"Resembles"}]}}`, "operator must be In, NotIn, Exists or DoesNotExist"),
	Entry("a selector that needs values", `{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}`, "In and NotIn need values"),
	Entry("a selector that has values too many", `{"catalogSelector":{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}}`, "In and NotIn need values"),
	Entry("an approval that does not exist", `{"defaultApproval":"Perhaps"}`, "spec.defaultApproval: Unsupported value"),
	Entry("edges of a PlatformOperator's only", `{"defaultEdges":"SelfCertified"}`, "spec.defaultEdges: Unsupported value"),
)
