package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// serviceVersions is the resource of the objects from which OLM v0 installs operators.
var serviceVersions = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "clusterserviceversions"}

// publishPlain publishes a plain+v0 bundle without metadata whose manifests are one ConfigMap and the given ones, and returns the reference of
// its image.
func (s *Story) publishPlain(ctx context.Context, name string, manifests ...string) string {
	s.Helper()
	operator := samples.Operator{Package: name, Version: "1.0.0", Plain: true}
	s.Expect(samples.Write(s.Environment.SamplesDir, operator)).To(Succeed())
	dir := filepath.Join(s.Environment.SamplesDir, "bundles", name, "1.0.0")
	s.Expect(os.RemoveAll(dir)).To(Succeed())
	s.Expect(os.MkdirAll(filepath.Join(dir, "manifests"), 0o755)).To(Succeed())
	for i, manifest := range append([]string{configMapText(name, "us")}, manifests...) {
		s.Expect(os.WriteFile(filepath.Join(dir, "manifests", fmt.Sprintf("%d.yaml", i)), []byte(manifest), 0o600)).To(Succeed())
	}
	s.Expect(s.Environment.Publish(ctx)).To(Succeed())
	ref, found := s.Environment.Catalog.Bundle(name, "1.0.0")
	s.Expect(found).To(BeTrue())
	return ref
}

func TestFormats(t *testing.T) {
	t.Parallel()
	// Promise HRD-M3: A plain+v0 bundle may have a ClusterServiceVersion, which is applied as written, with a warning about the upgrade gate. A
	// message names the class of another format only if that class can read the bundle.
	runStory(t, "[HRD-M3] a plain bundle's ClusterServiceVersion is applied as written, with a warning", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "pennant"
		ref := s.publishPlain(ctx, name, "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: pennant.v1.0.0}, spec: {version: 1.0.0}}")
		s.deployWithClass(ctx, corev1alpha2.ProvisionerClassPlain, name, ref)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(
			And(HavePrefix("False "), ContainSubstring("clusterserviceversions.operators.coreos.com")), "the payload gives the manager no right to write them")

		s.grantResource(ctx, name, serviceVersions.Group, serviceVersions.Resource)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		live, err := s.Admin.Dynamic.Resource(serviceVersions).Namespace(name).Get(ctx, "pennant.v1.0.0", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Object["spec"]).To(Equal(map[string]any{"version": "1.0.0"}))
		deployment, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(deployment.Status.Warnings).To(ConsistOf(And(
			ContainSubstring(`ClusterServiceVersion "pennant.v1.0.0"`), ContainSubstring("the cluster upgrade gate does not count that operator"))))
	})

	runStory(t, "[HRD-M3] the class that a message names reads the bundle", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "misread"
		s.deploy(ctx, name, s.publishPlain(ctx, name))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionHasValidBundle).Should(Equal(`False BundleLoadFailed: ` +
			`reading "metadata/annotations.yaml": the file does not exist, and no manifest is a ClusterServiceVersion, so the bundle's format is "plain+v0", but the provisioner class reads only "registry+v1". ` +
			`Set spec.provisionerClassName to "core-rukpak-io-plain", the class that reads that format.`))
		s.patchDeployment(ctx, name, `{"spec":{"provisionerClassName":"core-rukpak-io-plain"}}`)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})

	// Promise HRD-M6: Messages name only what their object has and what the manager has tried: which formats it reads for a class of another
	// provisioner, what to correct in a bundle that was deployed by hand, and `Drifted=Unknown` for an object that may not be adopted.
	runStory(t, "[HRD-M6] a class of another provisioner names the formats that are read, and a bad bundle what to correct", defaultOperators, func(ctx context.Context, s *Story) {
		_, err := s.Admin.Platform.CoreV1alpha2().ProvisionerClasses().Create(ctx, &corev1alpha2.ProvisionerClass{
			ObjectMeta: metav1.ObjectMeta{Name: "helmsman"}, Spec: corev1alpha2.ProvisionerClassSpec{Provisioner: "core.rukpak.io/helm"},
		}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		const name = "steered"
		s.deployWithClass(ctx, "helmsman", name, s.publishPlain(ctx, name, "a: b"))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionUnpacked).Should(HavePrefix(
			`Unknown ProvisionerNotFound: Provisioner class "helmsman" has provisioner "core.rukpak.io/helm", whose bundles this manager does not read: ` +
				`it reads registry+v1 bundles (provisioner "core.rukpak.io/registry") and plain+v0 bundles (provisioner "core.rukpak.io/plain"). `))

		s.patchDeployment(ctx, name, `{"spec":{"provisionerClassName":"core-rukpak-io-plain"}}`)
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionHasValidBundle).Should(And(
			HavePrefix(`False BundleLoadFailed: reading "manifests/1.yaml": `), HaveSuffix(". Correct the bundle, and publish it as a new image. Name that image in spec.source.image.ref.")))
	})
}
