package integration

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// imageConfigured creates Image "cluster", and deletes it after the spec.
func imageConfigured(ctx context.Context, spec configv1.ImageSpec) {
	GinkgoHelper()
	images := admin.Config.ConfigV1().Images()
	_, err := images.Create(ctx, &configv1.Image{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}, Spec: spec}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(images.Delete, "cluster", metav1.DeleteOptions{})
}

// mirrorOf returns status.mirror of a BundleDeployment.
func mirrorOf(ctx context.Context, name string) (string, error) {
	found, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return found.Status.Mirror, nil
}

var _ = Describe("a cluster with mirrors and NeverContactSource", func() {
	It("ENG-S13 installs, upgrades, repairs and restarts from mirrors, with the settings of the cluster", func(ctx context.Context) {
		const name, other, version, next = "tide", "ebb", "1.0.0", "1.1.0"
		origin, mirror := startRegistry(false), startRegistry(true)
		push := func(pkg, version string) string {
			GinkgoHelper()
			pushed := pushModified(ctx, mirror, samples.Operator{Package: pkg, Version: version, ExtraConfigMap: pkg + "-settings"}, func(string) {})
			return strings.Replace(pushed, mirror.Host()+"/bundles/", origin.Host()+"/upstream/", 1)
		}
		_, err := admin.Config.ConfigV1().ImageDigestMirrorSets().Create(ctx, &configv1.ImageDigestMirrorSet{
			ObjectMeta: metav1.ObjectMeta{Name: "disconnected"}, Spec: configv1.ImageDigestMirrorSetSpec{ImageDigestMirrors: []configv1.ImageDigestMirrors{{
				Source: origin.Host() + "/upstream", Mirrors: []configv1.ImageMirror{"127.0.0.1:1/dead", configv1.ImageMirror(mirror.Host() + "/bundles")},
				MirrorSourcePolicy: configv1.NeverContactSource,
			}}},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(admin.Config.ConfigV1().ImageDigestMirrorSets().Delete, "disconnected", metav1.DeleteOptions{})

		By("naming every location, and why it does not serve the image")
		createDeploymentWith(ctx, name, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(push(name, version)) })
		expectUnpacked(ctx, name, "False UnpackFailed", "every location failed: [127.0.0.1:1/dead/tide: ", mirror.Host()+"/bundles/tide: ", "x509: ",
			fmt.Sprintf("%s/upstream/tide: ImageDigestMirrorSet \"disconnected\" has mirrorSourcePolicy NeverContactSource", origin.Host()))

		By("trusting the mirror's authority, without a restart")
		authority := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "registries"}, Data: map[string]string{strings.Replace(mirror.Host(), ":", "..", 1): mirror.Authority()}}
		configMaps := admin.Kubernetes.CoreV1().ConfigMaps("openshift-config")
		_, err = configMaps.Create(ctx, &authority, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(configMaps.Delete, authority.Name, metav1.DeleteOptions{})
		imageConfigured(ctx, configv1.ImageSpec{AdditionalTrustedCA: configv1.ConfigMapNameReference{Name: authority.Name}})
		expectDeploymentCondition(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		Expect(mirrorOf(ctx, name)).To(HavePrefix(mirror.Host() + "/bundles/tide@sha256:"))
		expectUnpacked(ctx, name, "The content was read from "+mirror.Host()+"/bundles/tide@sha256:")

		By("pulling only what the cluster allows")
		patchImage := func(registries string) {
			GinkgoHelper()
			_, err := admin.Config.ConfigV1().Images().Patch(ctx, "cluster", types.MergePatchType, fmt.Appendf(nil, `{"spec":{"registrySources":{"allowedRegistries":%s}}}`, registries), metav1.PatchOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
		patchImage(fmt.Sprintf("[%q]", mirror.Host()))
		createDeploymentWith(ctx, other, func(spec *corev1alpha2.BundleDeploymentSpec) { spec.Source = fromImage(push(other, version)) })
		expectUnpacked(ctx, other, "False UnpackFailed", `allowedRegistries of Image "cluster" does not have this registry`)
		patchImage(fmt.Sprintf("[%q]", origin.Host()))
		expectDeploymentCondition(ctx, other, corev1alpha2.ConditionProgressing, "AsExpected")

		By("upgrading, and repairing after a restart")
		setImage(ctx, name, push(name, next))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring(next))
		expectDeploymentCondition(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		Expect(admin.Kubernetes.CoreV1().ConfigMaps(name).Delete(ctx, name+"-settings", metav1.DeleteOptions{})).To(Succeed())
		Eventually(getConfigMap).WithContext(ctx).WithArguments(name, name+"-settings").Should(Succeed())
		Expect(mirrorOf(ctx, name)).To(HavePrefix(mirror.Host() + "/bundles/tide@sha256:"))

		for _, pkg := range []string{name, other} {
			Expect(origin.Requests("upstream/"+pkg, "manifests")).To(BeZero(), "the source registry is never asked")
			Expect(mirror.Requests("bundles/"+pkg, "manifests")).NotTo(BeZero())
		}
	})
})
