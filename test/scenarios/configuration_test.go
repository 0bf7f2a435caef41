package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// configure merges fields into the spec of the PlatformOperatorManager.
func (s *Story) configure(ctx context.Context, spec string) {
	s.Helper()
	_, err := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers().Patch(ctx, operatorv1alpha1.PlatformOperatorManagerName,
		types.MergePatchType, []byte(`{"spec":`+spec+`}`), metav1.PatchOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

const theManager = `PlatformOperatorManager "cluster"`

func TestManagerConfiguration(t *testing.T) {
	t.Parallel()
	// Promise UPG-R6: A package outside `spec.allowedPackages` gets no BundleDeployment, a paused operator does not move, and an operator
	// with manual approval waits for it.
	runStory(t, "UPG-R6 allowed packages, a pause and manual approval are respected", defaultOperators, func(ctx context.Context, s *Story) {
		const allowed, resting, asking, kept = "welcome", "resting", "asking", "kept-out"
		publish := func(versions ...string) {
			var all []samples.Operator
			for _, pkg := range []string{allowed, resting, asking, kept} {
				for _, version := range versions {
					all = append(all, samples.Operator{Package: pkg, Version: version})
				}
			}
			s.Expect(s.Admin.Publish(ctx, all...)).To(Succeed())
		}
		publish("1.0.0")
		s.configure(ctx, `{"allowedPackages":["welcome","resting","asking"],"defaultApproval":"Manual"}`)
		for _, pkg := range []string{allowed, resting, asking} {
			s.create(ctx, pkg, "")
		}
		s.create(ctx, kept, "")
		for _, pkg := range []string{allowed, resting, asking} {
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		}
		s.patchOperatorSpec(ctx, allowed, `"upgrades": {"approval": "Automatic"}`)
		s.patchOperatorSpec(ctx, resting, `"upgrades": {"approval": "Automatic"}, "paused": true`)
		publish("1.0.0", "1.1.0")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(allowed, "1.1.0").Should(Succeed())
		s.waitForProgressing(ctx, resting, metav1.ConditionFalse, platformv1alpha1.ReasonPaused, "spec.paused")
		s.Eventually(s.updatesOf).WithContext(ctx).WithArguments(resting).Should(Equal([]string{"1.1.0 by 1.1.0: Paused"}))
		s.waitForProgressing(ctx, asking, metav1.ConditionFalse, platformv1alpha1.ReasonAwaitingApproval, "1.1.0")
		s.waitForRefusal(ctx, kept, platformv1alpha1.ReasonValidationFailed, "spec.allowedPackages")
		for _, pkg := range []string{resting, asking} {
			s.Expect(s.historyOf(ctx, pkg)).To(HaveLen(1))
		}
		_, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, kept, metav1.GetOptions{})
		s.Expect(err).To(beNotFound())

		s.patchOperatorSpec(ctx, resting, `"paused": null`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(resting, "1.1.0").Should(Succeed())
		s.patchOperatorSpec(ctx, asking, `"upgrades": {"approvedVersion": "1.1.0"}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(asking, "1.1.0").Should(Succeed())
	})

	runStory(t, "a package that allowedPackages excludes is not installed, and not upgraded if it is installed", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg, fresh = "tolerated", "unlisted"
		s.Expect(samples.Write(s.Environment.SamplesDir, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: fresh, Version: "1.0.0"})).To(Succeed())
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		s.install(ctx, pkg, "1.0.0")

		s.By("allowing other packages only, and offering a newer version")
		s.configure(ctx, `{"allowedPackages":["none-*","[x-z]?"]}`)
		blocked := And(HavePrefix("False Blocked: Version 1.0.0 stays"), ContainSubstring(theManager), ContainSubstring("spec.allowedPackages"), ContainSubstring(`"none-*"`))
		s.Eventually(s.progressingOf).WithContext(ctx).WithArguments(pkg).Should(blocked)
		s.Expect(samples.Write(s.Environment.SamplesDir, samples.Operator{Package: pkg, Version: "1.0.0"}, samples.Operator{Package: pkg, Version: "1.1.0"})).To(Succeed())
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		s.create(ctx, fresh, "")
		s.waitForRefusal(ctx, fresh, platformv1alpha1.ReasonValidationFailed, theManager, "spec.allowedPackages", `"`+fresh+`"`)
		s.Consistently(func(g Gomega, ctx context.Context) {
			live, err := s.Admin.Operator(ctx, pkg)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(live.Status.Installed.Version).To(Equal("1.0.0"))
			g.Expect(live.Status.Target).To(BeNil())
			g.Expect(meta.IsStatusConditionTrue(live.Status.Conditions, platformv1alpha1.ConditionInstalled)).To(BeTrue())
			g.Expect(s.progressingOf(ctx, pkg)).To(blocked)
		}, "2s").WithContext(ctx).Should(Succeed())

		s.By("allowing both packages")
		s.configure(ctx, `{"allowedPackages":["tolerate?","un*"]}`)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(fresh, "1.0.0").Should(Succeed())
	})

	runStory(t, "catalogSelector excludes catalogs for every PlatformOperator, whatever its own selector", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "picked"
		s.Expect(samples.Write(s.Environment.SamplesDir, samples.Operator{Package: pkg, Version: "1.0.0"})).To(Succeed())
		s.Expect(s.Environment.Publish(ctx)).To(Succeed())
		only := func(kind string) string {
			return fmt.Sprintf(`{"catalogSelector":{"matchLabels":{%q:%q}}}`, platformv1alpha1.LabelCatalogKind, kind)
		}
		s.configure(ctx, only("ClusterCatalog"))
		operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: pkg}}
		operator.Spec.Package = platformv1alpha1.Package{Name: pkg, CatalogSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{platformv1alpha1.LabelCatalogKind: "CatalogSource"}}}
		_, err := s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Create(ctx, operator, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.waitForRefusal(ctx, pkg, platformv1alpha1.ReasonSourceFailed, "failed to find candidate", "spec.package.catalogSelector", theManager, "CatalogSource/openshift-marketplace/local")

		s.By("selecting the other kind")
		s.configure(ctx, only("CatalogSource"))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, "1.0.0").Should(Succeed())
		live, err := s.Admin.Operator(ctx, pkg)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Status.Installed.Catalog).To(Equal("CatalogSource/openshift-marketplace/local"))
	})
}
