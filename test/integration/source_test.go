package integration

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

var _ = Describe("the source of a bundle deployment", func() {
	It("can be a Bundle: it is waited for, followed, and not needed any more once it is installed", func(ctx context.Context) {
		const name = "stagedone"
		registry := registryOfItsOwn(false)
		byTag, byDigest := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-one"})
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source = corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: name}}
		})
		says(ctx, name, corev1alpha2.ConditionUnpacked, "Unknown UnpackPending", `Bundle "stagedone" does not exist`)
		says(ctx, name, corev1alpha2.ConditionProgressing, "False Blocked")

		client := admin.Platform.CoreV1alpha2().Bundles()
		stage := func(ref string) {
			GinkgoHelper()
			_, err := client.Create(ctx, &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1alpha2.BundleSpec{
				ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry, Source: fromImage(ref),
			}}, metav1.CreateOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
		stage(byTag)
		DeferCleanup(func(ctx context.Context) {
			Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
		})
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "version 1.0.0")
		Expect(statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(byDigest))

		By("deleting the Bundle, which changes nothing")
		was, err := conditionOf(ctx, name, corev1alpha2.ConditionUnpacked)
		Expect(err).NotTo(HaveOccurred())
		Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		Expect(admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-one", metav1.DeleteOptions{})).To(Succeed())
		Eventually(configMapExists).WithContext(ctx).WithArguments(name, name+"-one").Should(Succeed())
		Expect(conditionOf(ctx, name, corev1alpha2.ConditionUnpacked)).To(Equal(was))

		By("creating it anew with other content, which is rolled out")
		second, _ := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.1.0"})
		stage(second)
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected", "version 1.1.0")
	})

	It("is a tag that is resolved again at its interval, and by nothing else", func(ctx context.Context) {
		const name = "polled"
		registry := registryOfItsOwn(false)
		byTag, first := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-one"})
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source = fromImage(byTag)
			spec.Source.Image.PollIntervalMinutes = ptr.To[int32](10080)
		})
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		_, second := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-two"})
		asked := registry.Requests("bundles/"+name, "manifests")

		By("repairing and restarting, upon which nobody asks")
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-one", metav1.DeleteOptions{})).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(configMapExists).WithContext(ctx).WithArguments(name, name+"-one").Should(Succeed())
		Consistently(func() int { return registry.Requests("bundles/"+name, "manifests") }).Should(Equal(asked))
		Expect(statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(first))

		By("polling every minute")
		changed(ctx, name, `{"spec":{"source":{"image":{"pollIntervalMinutes":1}}}}`)
		Eventually(conditionOf).WithContext(ctx).WithTimeout(90*time.Second).WithArguments(name, corev1alpha2.ConditionProgressing).Should(
			And(ContainSubstring("AsExpected"), ContainSubstring("Revision 2")))
		Expect(statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(second))
		Expect(configMapExists(ctx, name, name+"-two")).To(Succeed())
		Expect(configMapExists(ctx, name, name+"-one")).To(beNotFound())
	})
})
