package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// publishBundle publishes a sample operator whose bundle has additional manifests, and returns its image reference.
func publishBundle(ctx context.Context, operator samples.Operator, manifests ...string) string {
	GinkgoHelper()
	Expect(samples.Write(env.SamplesDir, operator)).To(Succeed())
	for i, manifest := range manifests {
		file := filepath.Join(env.SamplesDir, "bundles", operator.Package, operator.Version, "manifests", fmt.Sprintf("more-%d.yaml", i))
		Expect(os.WriteFile(file, []byte(manifest), 0o644)).To(Succeed())
	}
	Expect(env.Publish(ctx)).To(Succeed())
	ref, found := env.Catalog.Bundle(operator.Package, operator.Version)
	Expect(found).To(BeTrue())
	return ref
}

// createDeployment creates a BundleDeployment of an image without a PlatformOperator, and deletes it after the spec. It installs to a
// namespace of its name.
func createDeployment(ctx context.Context, name, ref string) {
	GinkgoHelper()
	createDeploymentOfClass(ctx, "core-rukpak-io-registry", name, ref)
}

// createDeploymentOfClass does the same as createDeployment, with another ProvisionerClass.
func createDeploymentOfClass(ctx context.Context, class, name, ref string) {
	GinkgoHelper()
	manifest := deployment(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: %s, source: {type: image, image: {ref: %q}}}", name, class, ref))
	_, err := admin.Dynamic.Resource(bundleDeployments).Create(ctx, parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(deleteDeploymentAndWait, name)
}

func deleteDeploymentAndWait(ctx context.Context, name string) {
	GinkgoHelper()
	client := admin.Platform.CoreV1alpha2().BundleDeployments()
	Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	Eventually(func(ctx context.Context) error { _, err := client.Get(ctx, name, metav1.GetOptions{}); return err }).WithContext(ctx).Should(beNotFound())
}

func conditionOf(ctx context.Context, name, conditionType string) (string, error) {
	live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	for _, condition := range live.Status.Conditions {
		if condition.Type == conditionType {
			return string(condition.Status) + " " + condition.Reason + ": " + condition.Message, nil
		}
	}
	return "", nil
}

var _ = Describe("a bundle deployment", func() {

	It("reports what prevents the deletion of its objects", func(ctx context.Context) {
		const name = "clinging"
		createDeployment(ctx, name, publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "clinging-old"}))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		webhooks := admin.Kubernetes.AdmissionregistrationV1().ValidatingWebhookConfigurations()
		none := admissionv1.SideEffectClassNone
		_, err := webhooks.Create(ctx, &admissionv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "clinging.example.com"},
			Webhooks: []admissionv1.ValidatingWebhook{{
				Name: "clinging.example.com", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
				ClientConfig:      admissionv1.WebhookClientConfig{URL: ptr.To("https://127.0.0.1:1/never")},
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"kubernetes.io/metadata.name": name}},
				Rules: []admissionv1.RuleWithOperations{{
					Operations: []admissionv1.OperationType{admissionv1.Delete},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps", "services"}},
				}},
			}},
		}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(ignoreNotFound(webhooks.Delete(ctx, "clinging.example.com", metav1.DeleteOptions{}))).To(Succeed())
		})

		By("upgrading to a version without one of the objects")
		second := publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0"})
		client := admin.Platform.CoreV1alpha2().BundleDeployments()
		_, err = client.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"source":{"image":{"ref":%q}}}}`, second), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(And(ContainSubstring("clinging-old"), ContainSubstring("clinging.example.com")))

		By("removing the operator")
		Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(And(ContainSubstring("Removing"), ContainSubstring("clinging.example.com")))
		Expect(webhooks.Delete(ctx, "clinging.example.com", metav1.DeleteOptions{})).To(Succeed())
		deleteDeploymentAndWait(ctx, name)
	})
})
