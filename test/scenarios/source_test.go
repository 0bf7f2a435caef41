package scenarios

import (
	"context"
	"runtime"
	"testing"
	"time"

	ggcr "github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	imagemutate "github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// pushIndex pushes an index of two images of one repository, for this machine's platform and for another one.
func (s *Story) pushIndex(ctx context.Context, ours, theirs string) (byTag, byDigest string) {
	s.Helper()
	var index v1.ImageIndex = empty.Index
	for ref, platform := range map[string]v1.Platform{ours: {OS: "linux", Architecture: runtime.GOARCH}, theirs: {OS: "linux", Architecture: "mips"}} {
		parsed, err := ggcr.NewDigest(ref)
		s.Expect(err).NotTo(HaveOccurred())
		image, err := remote.Image(parsed, remote.WithContext(ctx), remote.WithTransport(s.transport()))
		s.Expect(err).NotTo(HaveOccurred())
		index = imagemutate.AppendManifests(index, imagemutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	parsed, err := ggcr.NewDigest(ours)
	s.Expect(err).NotTo(HaveOccurred())
	tag := parsed.Context().Tag("all")
	s.Expect(remote.WriteIndex(tag, index, remote.WithContext(ctx), remote.WithTransport(s.transport()))).To(Succeed())
	digest, err := index.Digest()
	s.Expect(err).NotTo(HaveOccurred())
	return tag.Name(), parsed.Context().Digest(digest.String()).Name()
}

func TestSources(t *testing.T) {
	t.Parallel()
	runStory(t, "a Bundle as source is waited for, followed, and not needed once it is installed", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "stagedone"
		registry := s.startRegistry(false)
		byTag, byDigest := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-one"})
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source = corev1alpha2.BundleSource{Type: corev1alpha2.SourceTypeBundle, Bundle: &corev1alpha2.BundleReference{Name: name}}
		})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionUnpacked, "Unknown UnpackPending", `Bundle "stagedone" does not exist`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False Blocked")

		client := s.Admin.Platform.CoreV1alpha2().Bundles()
		stage := func(ref string) {
			s.Helper()
			_, err := client.Create(ctx, &corev1alpha2.Bundle{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: corev1alpha2.BundleSpec{
				ProvisionerClassName: corev1alpha2.ProvisionerClassRegistry, Source: fromImage(ref),
			}}, metav1.CreateOptions{})
			s.Expect(err).NotTo(HaveOccurred())
		}
		stage(byTag)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.0.0")
		s.Expect(s.statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(byDigest))

		s.By("deleting the Bundle, which changes nothing")
		was, err := s.conditionOf(ctx, name, corev1alpha2.ConditionUnpacked)
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-one", metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(s.configMapExists).WithContext(ctx).WithArguments(name, name+"-one").Should(Succeed())
		s.Expect(s.conditionOf(ctx, name, corev1alpha2.ConditionUnpacked)).To(Equal(was))

		s.By("creating the Bundle again with other content, which is rolled out")
		second, _ := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.1.0"})
		stage(second)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected", "version 1.1.0")
	})

	runStory(t, "ENG-S1 an index of several platforms, its digest and a single image are resolved to a digest", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "indexed"
		registry := s.startRegistry(false)
		_, ours := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-ours"})
		_, theirs := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.1", ExtraConfigMap: name + "-theirs"})
		byTag, byDigest := s.pushIndex(ctx, ours, theirs)

		for _, ref := range []string{byTag, byDigest} {
			s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(ref) })
			s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
			s.Expect(s.statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(byDigest))
			s.Expect(s.configMapExists(ctx, name, name+"-ours")).To(Succeed())
			s.undeploy(ctx, name)
		}
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(theirs) })
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.Expect(s.statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(theirs))
		s.Expect(s.configMapExists(ctx, name, name+"-theirs")).To(Succeed())
	})

	// Promise ENG-S1: An image source may name a tag, a digest, an index of several platforms or one of its images, and status shows the
	// resolved digest. Only the poll interval makes the manager resolve a tag again, not a repair or a restart.
	runStory(t, "ENG-S1 a tag is resolved again at its interval, and at no other time", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "polled"
		registry := s.startRegistry(false)
		byTag, first := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-one"})
		s.createDeployment(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) {
			spec.Source = fromImage(byTag)
			spec.Source.Image.PollIntervalMinutes = ptr.To[int32](10080)
		})
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		_, second := s.pushBundle(ctx, registry, "bundles/"+name, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: name + "-two"})
		asked := registry.Requests("bundles/"+name, "manifests")

		s.By("repairing and restarting, which resolves nothing")
		s.KillManager()
		s.Expect(s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-one", metav1.DeleteOptions{})).To(Succeed())
		s.StartManager()
		s.Eventually(s.configMapExists).WithContext(ctx).WithArguments(name, name+"-one").Should(Succeed())
		s.Consistently(func() int { return registry.Requests("bundles/"+name, "manifests") }).Should(Equal(asked))
		s.Expect(s.statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(first))

		s.By("polling every minute")
		s.patchDeployment(ctx, name, `{"spec":{"source":{"image":{"pollIntervalMinutes":1}}}}`)
		s.Eventually(s.conditionOf).WithContext(ctx).WithTimeout(90*time.Second).WithArguments(name, corev1alpha2.ConditionProgressing).Should(
			And(HavePrefix("False AsExpected: "), ContainSubstring("Revision 2")))
		s.Expect(s.statusOf(ctx, name).ResolvedSource.Image.Ref).To(Equal(second))
		s.Expect(s.configMapExists(ctx, name, name+"-two")).To(Succeed())
		s.Expect(s.configMapExists(ctx, name, name+"-one")).To(beNotFound())
	})
}
