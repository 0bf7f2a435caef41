package scenarios

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/samples"
)

func TestContentDirectory(t *testing.T) {
	t.Parallel()
	runStory(t, "removed content is fetched again", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "emptied"
		folder := filepath.Join(s.Environment.Dir, "content")
		image := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		s.deploy(ctx, name, image)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.By("installing the same content, of which a file was removed")
		manifests, err := filepath.Glob(filepath.Join(folder, "*", "files", "manifests", "*"))
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(manifests).NotTo(BeEmpty())
		for _, each := range manifests {
			s.Expect(os.Remove(each)).To(Succeed())
		}
		bundles := s.Admin.Platform.CoreV1alpha2().Bundles()
		_, err = bundles.Create(ctx, &corev1alpha2.Bundle{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1alpha2.BundleSpec{ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry, Source: fromImage(image)},
		}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(ctx context.Context) (corev1alpha2.BundlePhase, error) {
			live, err := bundles.Get(ctx, name, metav1.GetOptions{})
			if err == nil && live.Status.Phase == corev1alpha2.BundleFailing {
				StopTrying("the Bundle is Failing").Attach("status", live.Status).Now()
			}
			return live.Status.Phase, err
		}).WithContext(ctx).Should(Equal(corev1alpha2.BundleUnpacked))

		s.By("upgrading with the whole directory removed")
		s.Expect(os.RemoveAll(folder)).To(Succeed())
		s.setImage(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.1.0")
	})

	runStory(t, "incomplete content of a killed manager is removed", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "halved"
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.setImage(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.1.0")
		s.KillManager()
		secrets := s.Admin.Kubernetes.CoreV1().Secrets("openshift-platform-operators")
		s.Expect(secrets.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{
			LabelSelector: store.LabelDeployment + "=" + name + "," + store.LabelRole + "=index," + store.LabelNumber + "=1",
		})).To(Succeed())
		s.StartManager()
		s.Eventually(func(ctx context.Context) ([]corev1.Secret, error) {
			list, err := secrets.List(ctx, metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})
			return list.Items, err
		}).WithContext(ctx).Should(HaveLen(2), "the index and the part of the active revision")
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.1.0")
	})
}
