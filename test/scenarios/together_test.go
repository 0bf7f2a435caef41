package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/test/samples"
)

func TestManyOperators(t *testing.T) {
	t.Parallel()
	// Promise UPG-M7: With 20 operators, `status.availableUpdates` of each lists the newest versions first, at most 20, with path and
	// cause of a block. The total counts all.
	runStory(t, "UPG-M7 status lists the available updates of each operator and what blocks them", defaultOperators, func(ctx context.Context, s *Story) {
		const operators, versions = 20, 25
		name := func(i int) string { return fmt.Sprintf("many-%d", i) }
		publish := func(last int) { // the first package has many versions, the others two
			var all []samples.Operator
			for i := range operators {
				for minor := 0; minor <= last && (i == 0 || minor <= 1); minor++ {
					all = append(all, samples.Operator{Package: name(i), Version: fmt.Sprintf("1.%d.0", minor)})
				}
			}
			s.Expect(s.Admin.Publish(ctx, all...)).To(Succeed())
		}
		publish(0)
		for i := range operators {
			s.createWithSpec(ctx, name(i), `"upgrades": {"approval": "Manual"}`)
		}
		for i := range operators {
			s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(name(i), "1.0.0").Should(Succeed())
		}
		publish(versions)
		for i := 1; i < operators; i++ {
			s.Eventually(s.updatesOf).WithContext(ctx).WithArguments(name(i)).Should(Equal([]string{"1.1.0 by 1.1.0: AwaitingApproval"}))
		}
		s.Eventually(s.updatesOf).WithContext(ctx).WithArguments(name(0)).Should(HaveLen(platformv1alpha1.MaxAvailableUpdates))
		operator, err := s.Admin.Operator(ctx, name(0))
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(operator.Status.AvailableUpdatesTotal).To(Equal(int32(versions)))
		for i, update := range operator.Status.AvailableUpdates {
			s.Expect(update.Version).To(Equal(fmt.Sprintf("1.%d.0", versions-i)), "newest first")
			var path []string // each upgrade step leads to the version that replaces the previous one
			for minor := range versions - i {
				path = append(path, fmt.Sprintf("1.%d.0", minor+1))
			}
			s.Expect(update.Path).To(Equal(path))
			s.Expect(update.BlockedMessage).To(ContainSubstring("set spec.upgrades.approvedVersion to %q", update.Version))
		}
	})

	// Promise UPG-M8: Operators that can be installed are installed beside others that cannot, whose conditions say why. The manager
	// reverts a hand edit of a BundleDeployment's source.
	runStory(t, "UPG-M8 operators are installed although others cannot be, and edited BundleDeployments are restored", defaultOperators, func(ctx context.Context, s *Story) {
		s.Expect(s.Admin.Publish(ctx, samples.Operator{Package: "sound", Version: "1.0.0"}, samples.Operator{Package: "picky", Version: "1.0.0", SingleNamespaceOnly: true})).To(Succeed())
		s.create(ctx, "sound", "")
		s.create(ctx, "picky", "")
		s.create(ctx, "no-such-package", "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("sound", "1.0.0").Should(Succeed())
		s.waitForRefusal(ctx, "no-such-package", platformv1alpha1.ReasonSourceFailed, "failed to find candidate")
		s.waitForRefusal(ctx, "picky", platformv1alpha1.ReasonValidationFailed, "1.0.0 supports only the install modes", "spec.install.config.watchNamespace")

		deployments := s.Admin.Platform.CoreV1alpha2().BundleDeployments()
		operator, err := s.Admin.Operator(ctx, "sound")
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(operator.Status.ActiveBundleDeployment.Name).To(Equal("sound"))
		before, err := deployments.Get(ctx, "sound", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.patchDeployment(ctx, "sound", `{"spec":{"source":{"image":{"ref":"127.0.0.1:1/intruder:1"}}}}`)
		s.Eventually(func(ctx context.Context) (string, error) {
			live, err := deployments.Get(ctx, "sound", metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			return live.Spec.Source.Image.Ref, nil
		}).WithContext(ctx).Should(Equal(before.Spec.Source.Image.Ref))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("sound", "1.0.0").Should(Succeed())
	})
}

func TestDependentOperators(t *testing.T) {
	t.Parallel()
	runStory(t, "operators are installed together, wait for requirements, and do not touch externally managed packages", defaultOperators, func(ctx context.Context, s *Story) {
		kind := func(name string) catalog.GVK {
			return catalog.GVK{Group: "needs.example.com", Version: "v1", Kind: name}
		}
		s.Expect(s.Admin.Publish(ctx,
			samples.Operator{Package: "hungry", Version: "1.0.0", Properties: []samples.Property{samples.RequiresKind(kind("Bread"))}},
			samples.Operator{Package: "baker", Version: "1.0.0", Properties: []samples.Property{samples.Provides(kind("Bread"))}},
			samples.Operator{Package: "rival", Version: "1.0.0", Properties: []samples.Property{samples.Provides(kind("Bread"))}},
			samples.Operator{Package: "taken", Version: "1.0.0"},
		)).To(Succeed())
		s.By("creating an operator whose requirement has no provider")
		s.create(ctx, "hungry", "")
		s.waitForRefusal(ctx, "hungry", platformv1alpha1.ReasonValidationFailed, "1.0.0", "needs.example.com/v1", "Bread")
		s.By("installing its provider")
		s.create(ctx, "baker", "")
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("baker", "1.0.0").Should(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("hungry", "1.0.0").Should(Succeed())
		s.By("creating an operator that provides a kind of another one")
		s.create(ctx, "rival", "")
		s.waitForRefusal(ctx, "rival", platformv1alpha1.ReasonValidationFailed, "Bread", `"baker"`)
		s.Eventually(func(ctx context.Context) ([]string, error) {
			operator, err := s.Admin.Operator(ctx, "baker")
			return operator.Status.Warnings, err
		}).WithContext(ctx).Should(ContainElement(ContainSubstring(`"rival"`)), "the conflict is named on both")

		s.By("creating an operator of a package that OLM v0 manages")
		subscriptions := s.Admin.Dynamic.Resource(schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"}).Namespace("default")
		_, err := subscriptions.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": map[string]any{"name": "mine"},
			"spec": map[string]any{"name": "taken", "source": "local", "sourceNamespace": "openshift-marketplace"},
		}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(ctx context.Context) error {
			_, err := subscriptions.Get(ctx, "mine", metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(Succeed())
		s.create(ctx, "taken", "")
		s.waitForRefusal(ctx, "taken", platformv1alpha1.ReasonValidationFailed, "Subscription default/mine")
		s.Expect(subscriptions.Delete(ctx, "mine", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments("taken", "1.0.0").Should(Succeed())
	})
}
