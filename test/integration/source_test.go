package integration

import (
	"context"
	"runtime"
	"time"

	ggcr "github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	imagemutate "github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// indexed pushes an index of two images of one repository, the first of this machine's platform and the second of one that
// nobody has.
func indexed(ctx context.Context, ours, theirs string) (byTag, byDigest string) {
	GinkgoHelper()
	var index v1.ImageIndex = empty.Index
	for ref, platform := range map[string]v1.Platform{ours: {OS: "linux", Architecture: runtime.GOARCH}, theirs: {OS: "linux", Architecture: "mips"}} {
		parsed, err := ggcr.NewDigest(ref)
		Expect(err).NotTo(HaveOccurred())
		image, err := remote.Image(parsed, remote.WithContext(ctx))
		Expect(err).NotTo(HaveOccurred())
		index = imagemutate.AppendManifests(index, imagemutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	parsed, err := ggcr.NewDigest(ours)
	Expect(err).NotTo(HaveOccurred())
	tag := parsed.Context().Tag("all")
	Expect(remote.WriteIndex(tag, index, remote.WithContext(ctx))).To(Succeed())
	digest, err := index.Digest()
	Expect(err).NotTo(HaveOccurred())
	return tag.Name(), parsed.Context().Digest(digest.String()).Name()
}

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

	It("ENG-S1 is an index of several platforms, a digest of it, or one of its images, and resolved to a digest each time", func(ctx context.Context) {
		const name = "indexed"
		registry := registryOfItsOwn(false)
		_, ours := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-ours"})
		_, theirs := pushed(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.1", ExtraConfigMap: name + "-theirs"})
		byTag, byDigest := indexed(ctx, ours, theirs)

		for _, ref := range []string{byTag, byDigest} {
			specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(ref) })
			says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
			Expect(statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(byDigest))
			Expect(configMapExists(ctx, name, name+"-ours")).To(Succeed())
			undeploy(ctx, name)
		}
		specified(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(theirs) })
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		Expect(statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(theirs))
		Expect(configMapExists(ctx, name, name+"-theirs")).To(Succeed())
	})

	It("ENG-S1 is a tag that is resolved again at its interval, and by nothing else", func(ctx context.Context) {
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
