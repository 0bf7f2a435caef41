package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

func TestDuplicateOperators(t *testing.T) {
	t.Parallel()
	runStory(t, "the first PlatformOperator keeps its package when another one of an earlier name is created in the same second", defaultOperators, func(ctx context.Context, s *Story) {
		const first = "rival-z"
		client := s.Admin.Platform.PlatformV1alpha1().PlatformOperators()
		of := func(name string) *platformv1alpha1.PlatformOperator {
			return &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: "survivor"}}}
		}
		created, err := client.Create(ctx, of(first), metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.Admin.Operator).WithContext(ctx).WithArguments(first).Should(HaveField("Status.ActiveBundleDeployment", Not(BeNil())))
		second, err := client.Create(ctx, of("rival-a"), metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		if !created.CreationTimestamp.Equal(&second.CreationTimestamp) {
			fmt.Fprintln(s.Output(), "a second passed between the two, so this run shows only that the older one wins")
		}
		s.waitForRefusal(ctx, "rival-a", platformv1alpha1.ReasonValidationFailed, fmt.Sprintf("%q", first))
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(first, "1.0.0").Should(Succeed())
		_, err = client.Patch(ctx, first, types.MergePatchType, []byte(`{"metadata":{"labels":{"look":"again"}}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Consistently(s.Admin.Installed, "2s").WithContext(ctx).WithArguments(first, "1.0.0").Should(Succeed())
	})

	// Promise HRD-M5: A PlatformOperator waits while the one that had its package is being removed, and names the finalizer that holds that one.
	// The removed one reports `Installed=False/Removed` once its objects are gone.
	runStory(t, "[HRD-M5] a PlatformOperator waits for the removal of the one that had its package, and names the finalizer", defaultOperators, func(ctx context.Context, s *Story) {
		const former, next, pkg, theirs = "former", "next", "survivor", "example.com/audit"
		operators, deployments := s.Admin.Platform.PlatformV1alpha1().PlatformOperators(), s.Admin.Platform.CoreV1alpha2().BundleDeployments()
		create := func(name string) {
			s.Helper()
			_, err := operators.Create(ctx, &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name},
				Spec: platformv1alpha1.PlatformOperatorSpec{Package: platformv1alpha1.Package{Name: pkg}}}, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		create(former)
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(former, "1.0.0").Should(Succeed())
		_, err := deployments.Patch(ctx, former, types.JSONPatchType, fmt.Appendf(nil, `[{"op":"add","path":"/metadata/finalizers/-","value":%q}]`, theirs), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		_, err = operators.Patch(ctx, former, types.JSONPatchType, fmt.Appendf(nil, `[{"op":"add","path":"/metadata/finalizers/-","value":%q}]`, theirs), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(operators.Delete(ctx, former, metav1.DeleteOptions{})).To(Succeed())
		s.waitForRefusal(ctx, former, platformv1alpha1.ReasonRemoved, "The operator is removed")
		s.Eventually(s.progressingOf).WithContext(ctx).WithArguments(former).Should(And(HavePrefix("False Blocked: "), ContainSubstring(`%q`, theirs)))

		create(next)
		s.waitForRefusal(ctx, next, platformv1alpha1.ReasonValidationFailed,
			`PlatformOperator "former" has package "survivor" and is being removed; this one is installed when that one is gone. BundleDeployment "former" is held by its finalizers "example.com/audit";`)
		s.Expect(s.progressingOf(ctx, next)).To(And(HavePrefix("False Blocked: "), ContainSubstring(`%q`, theirs)))

		s.By("removing the finalizer of the BundleDeployment, while the PlatformOperator itself has one")
		_, err = deployments.Patch(ctx, former, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.waitForRefusal(ctx, next, platformv1alpha1.ReasonValidationFailed, `PlatformOperator "former" is held by its finalizers "example.com/audit";`)
		s.waitForRefusal(ctx, former, platformv1alpha1.ReasonRemoved)

		_, err = operators.Patch(ctx, former, types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(next, "1.0.0").Should(Succeed())
	})
}
