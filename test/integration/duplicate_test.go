package integration

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

var _ = Describe("an operator that is installed", func() {
	It("keeps its package, whoever of the same second and of an earlier name asks for it", func(ctx context.Context) {
		const first = "rival-z"
		client := admin.Platform.PlatformV1alpha1().PlatformOperators()
		of := func(name string) *platformv1alpha1.PlatformOperator {
			return &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: "survivor"}}}
		}
		created, err := client.Create(ctx, of(first), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(remove, first)
		Eventually(func(ctx context.Context) (bool, error) {
			live, err := client.Get(ctx, first, metav1.GetOptions{})
			return err == nil && live.Status.ActiveBundleDeployment != nil, err
		}).WithContext(ctx).Should(BeTrue())
		second, err := client.Create(ctx, of("rival-a"), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(remove, "rival-a")
		if !created.CreationTimestamp.Equal(&second.CreationTimestamp) {
			fmt.Fprintln(GinkgoWriter, "a second passed between the two, so this run shows only that the older one wins")
		}
		refusedWith(ctx, "rival-a", platformv1alpha1.ReasonValidationFailed, fmt.Sprintf("%q", first))
		Eventually(admin.Installed).WithContext(ctx).WithArguments(first, "1.0.0").Should(Succeed())
		_, err = client.Patch(ctx, first, types.MergePatchType, []byte(`{"metadata":{"labels":{"look":"again"}}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Consistently(admin.Installed, "2s").WithContext(ctx).WithArguments(first, "1.0.0").Should(Succeed())
	})
})
