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
}
