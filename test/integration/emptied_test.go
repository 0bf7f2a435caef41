package integration

import (
	"context"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/samples"
)

var _ = Describe("what the manager keeps", func() {
	It("is fetched again when somebody removes it from the content directory meanwhile", func(ctx context.Context) {
		const name = "emptied"
		folder := filepath.Join(env.Dir, "content")
		image := published(ctx, samples.Operator{Package: name, Version: "1.0.0"})
		deployed(ctx, name, image)
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")

		By("the same content, of which a file is gone")
		manifests, err := filepath.Glob(filepath.Join(folder, "*", "files", "manifests", "*"))
		Expect(err).NotTo(HaveOccurred())
		Expect(manifests).NotTo(BeEmpty())
		for _, each := range manifests {
			Expect(os.Remove(each)).To(Succeed())
		}
		bundles := admin.Platform.CoreV1alpha2().Bundles()
		_, err = bundles.Create(ctx, &corev1alpha2.Bundle{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec:       corev1alpha2.BundleSpec{ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry, Source: fromImage(image)},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(bundles.Delete, name, metav1.DeleteOptions{})
		Eventually(func(ctx context.Context) (corev1alpha2.BundlePhase, error) {
			live, err := bundles.Get(ctx, name, metav1.GetOptions{})
			if err == nil && live.Status.Phase == corev1alpha2.BundleFailing {
				StopTrying("the Bundle is told to be broken").Attach("status", live.Status).Now()
			}
			return live.Status.Phase, err
		}).WithContext(ctx).Should(Equal(corev1alpha2.BundleUnpacked))

		By("another version, with the whole directory gone")
		Expect(os.RemoveAll(folder)).To(Succeed())
		movedTo(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.1.0"}))
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "version 1.1.0")
	})

	It("is cleared of parts that a manager left which was killed while it deleted a revision", func(ctx context.Context) {
		const name = "halved"
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		movedTo(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.1.0"}))
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "version 1.1.0")
		Expect(env.Manager.Kill()).To(Succeed())
		secrets := admin.Kubernetes.CoreV1().Secrets("openshift-platform-operators")
		Expect(secrets.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{
			LabelSelector: store.LabelDeployment + "=" + name + "," + store.LabelRole + "=index," + store.LabelNumber + "=1",
		})).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(func(ctx context.Context) ([]corev1.Secret, error) {
			list, err := secrets.List(ctx, metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})
			return list.Items, err
		}).WithContext(ctx).Should(HaveLen(2), "the index and the part of the revision that runs")
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "version 1.1.0")
	})
})
