package integration

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/samples"
)

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
