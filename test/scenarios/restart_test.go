package scenarios

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/environment"
	"github.com/openshift/platform-operators/test/samples"
)

func TestManagerRestart(t *testing.T) {
	t.Parallel()
	runStory(t, "a deleted operator resource is created at the start", defaultOperators, func(ctx context.Context, s *Story) {
		managersClient := s.Admin.Platform.OperatorV1alpha1().PlatformOperatorManagers()
		s.KillManager()
		s.Expect(managersClient.Delete(ctx, "cluster", metav1.DeleteOptions{})).To(Succeed())
		s.StartManager()
		s.Eventually(func(ctx context.Context) (int, error) {
			live, err := managersClient.Get(ctx, "cluster", metav1.GetOptions{})
			return len(live.Status.Conditions), err
		}).WithContext(ctx).Should(BeNumerically(">=", 4))
		s.Eventually(func(ctx context.Context) error {
			_, err := s.Admin.ClusterOperatorHas(ctx, configv1.OperatorAvailable, configv1.ConditionTrue)
			return err
		}).WithContext(ctx).Should(Succeed())
	})

	runStory(t, "the shipped classes are created at the start, and revisions of an earlier manager are rendered the same", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "rendered-before"
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.KillManager()
		secrets := s.Admin.Kubernetes.CoreV1().Secrets(environment.Namespace)
		kept := metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name + "," + store.LabelRole + "=index"}
		before, err := secrets.List(ctx, kept)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(before.Items).To(HaveLen(1))
		const renderer = "core.rukpak.io/revision-renderer"
		_, err = secrets.Patch(ctx, before.Items[0].Name, types.MergePatchType, []byte(`{"metadata":{"annotations":{"`+renderer+`":"earlier"}}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		classesClient := s.Admin.Platform.CoreV1alpha2().ProvisionerClasses()
		shipped := []string{corev1alpha2.ProvisionerClassPlain, corev1alpha2.ProvisionerClassRegistry}
		for _, class := range shipped {
			s.Expect(classesClient.Delete(ctx, class, metav1.DeleteOptions{})).To(Succeed())
		}
		s.StartManager()
		for _, class := range shipped {
			s.Eventually(func(ctx context.Context) error {
				_, err := classesClient.Get(ctx, class, metav1.GetOptions{})
				return err
			}).WithContext(ctx).Should(Succeed())
		}
		s.Eventually(func(ctx context.Context) (string, error) {
			after, err := secrets.List(ctx, kept)
			if err != nil || len(after.Items) != 1 {
				return "", err
			}
			return after.Items[0].Annotations[renderer], nil
		}).WithContext(ctx).Should(HavePrefix("registry+v1/"))
		live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Status.ActiveRevision).To(BeEquivalentTo(1), "the objects are the same")
	})

	runStory(t, "a damaged annotation of the installed bundle is restored at the start", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "survivor"
		s.install(ctx, pkg, "1.0.0")
		s.KillManager()
		client := s.Admin.Platform.CoreV1alpha2().BundleDeployments()
		patch := []byte(`{"metadata":{"annotations":{"` + platformv1alpha1.AnnotationBundle + `":"{spoilt"}}}`)
		_, err := client.Patch(ctx, pkg, types.MergePatchType, patch, metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Environment.Catalog.Unavailable(true)
		s.StartManager()
		s.Eventually(func(ctx context.Context) (string, error) {
			live, err := client.Get(ctx, pkg, metav1.GetOptions{})
			return live.Annotations[platformv1alpha1.AnnotationBundle], err
		}).WithContext(ctx).Should(ContainSubstring(`"version":"1.0.0"`))
		s.Expect(s.Admin.Installed(ctx, pkg, "1.0.0")).To(Succeed())
	})
}
