package integration

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/samples"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// published gives the image of a sample operator whose bundle has these manifests besides its own.
func published(ctx context.Context, operator samples.Operator, manifests ...string) string {
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

// deployed creates a BundleDeployment of its own, without a PlatformOperator, and removes it after the spec.
func deployed(ctx context.Context, name, ref string) {
	GinkgoHelper()
	deployedBy(ctx, "core-rukpak-io-registry", name, ref)
}

// deployedBy is deployed for bundles that another class reads.
func deployedBy(ctx context.Context, class, name, ref string) {
	GinkgoHelper()
	manifest := deployment(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: %s, source: {type: image, image: {ref: %q}}}", name, class, ref))
	_, err := admin.Dynamic.Resource(bundleDeployments).Create(ctx, parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(undeploy, name)
}

func undeploy(ctx context.Context, name string) {
	GinkgoHelper()
	client := admin.Platform.CoreV1alpha2().BundleDeployments()
	Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	Eventually(func(ctx context.Context) error { _, err := client.Get(ctx, name, metav1.GetOptions{}); return err }).WithContext(ctx).Should(beNotFound())
}

// goTogether has all of these asked for to go when the spec ends, before it waits for each: one after the other takes long. It is
// called when they are all there.
func goTogether(names []string, ask func(context.Context, string, metav1.DeleteOptions) error) {
	DeferCleanup(func(ctx context.Context) {
		for _, name := range names {
			Expect(ignoreNotFound(ask(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
		}
	})
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
	It("is moved on although somebody has taken over an object that only the old version has", func(ctx context.Context) {
		const name = "hostage"
		first := published(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "hostage-old"})
		deployed(ctx, name, first)
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))

		By("replacing the object by one of a user's")
		Expect(env.Manager.Kill()).To(Succeed())
		client := admin.Kubernetes.CoreV1().ConfigMaps(name)
		Expect(client.Delete(ctx, "hostage-old", metav1.DeleteOptions{})).To(Succeed())
		_, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "hostage-old"}, Data: map[string]string{"mine": "yes"}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(ContainSubstring("ReconcileFailed"))

		second := published(ctx, samples.Operator{Package: name, Version: "1.1.0"})
		patch := fmt.Appendf(nil, `{"spec":{"source":{"image":{"ref":%q}}}}`, second)
		_, err = admin.Platform.CoreV1alpha2().BundleDeployments().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(ContainSubstring("(version 1.1.0) is applied"))
		theirs, err := client.Get(ctx, "hostage-old", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(theirs.Data).To(HaveKeyWithValue("mine", "yes"))
		Expect(client.Delete(ctx, "hostage-old", metav1.DeleteOptions{})).To(Succeed())
	})

	It("leaves nothing behind when its stored revisions were deleted by hand", func(ctx context.Context) {
		const name = "forgetful"
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		Expect(env.Manager.Kill()).To(Succeed())
		Expect(admin.Kubernetes.CoreV1().Secrets("openshift-platform-operators").DeleteCollection(ctx, metav1.DeleteOptions{},
			metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})).To(Succeed())
		Expect(admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		undeploy(ctx, name)

		_, err := admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		Expect(err).To(beNotFound())
		for _, kind := range []schema.GroupVersionResource{
			{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
			{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
			definitions,
		} {
			found, err := admin.Dynamic.Resource(kind).List(ctx, metav1.ListOptions{LabelSelector: corev1alpha2.LabelOwnerName + "=" + name})
			Expect(err).NotTo(HaveOccurred())
			Expect(found.Items).To(BeEmpty(), kind.Resource)
		}
		definition, err := admin.Dynamic.Resource(definitions).Get(ctx, name+"s.samples.platform.openshift.io", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred(), "the CustomResourceDefinition is kept")
		Expect(definition.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, name))
		Eventually(func(ctx context.Context) error {
			_, err := admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())
	})

	It("can be removed although one of its objects has a name that no object can have", func(ctx context.Context) {
		const name = "misnamed"
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"},
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: No_Name}}"))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(And(ContainSubstring("InstallFailed"), ContainSubstring("No_Name")))
		undeploy(ctx, name)
	})

	It("can be removed while its CustomResourceDefinition is being deleted and its operator's custom resources hold that back", func(ctx context.Context) {
		const name = "holdback"
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
		resources := admin.Dynamic.Resource(crdResource("holdbacks")).Namespace("default")
		_, err := resources.Create(ctx, parse(crdResource("holdbacks"), "Holdback", "{metadata: {name: precious, finalizers: [example.com/operator]}}"), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			_, err := resources.Patch(ctx, "precious", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
			Expect(ignoreNotFound(err)).To(Succeed())
		})
		Expect(admin.Dynamic.Resource(definitions).Delete(ctx, "holdbacks.samples.platform.openshift.io", metav1.DeleteOptions{})).To(Succeed())
		undeploy(ctx, name)
	})

	It("takes down an object whose kind is not served any more in the version that the bundle has", func(ctx context.Context) {
		const name = "oldtimer"
		client := admin.Dynamic.Resource(definitions)
		definition := func(served bool) string {
			return fmt.Sprintf(`{metadata: {name: podmonitors.monitoring.coreos.com}, spec: {group: monitoring.coreos.com, scope: Namespaced,
				names: {kind: PodMonitor, listKind: PodMonitorList, plural: podmonitors, singular: podmonitor}, versions: [
				{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}},
				{name: v1beta1, served: %t, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`, served)
		}
		_, err := client.Create(ctx, parse(definitions, "CustomResourceDefinition", definition(true)), metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(client.Delete(ctx, "podmonitors.monitoring.coreos.com", metav1.DeleteOptions{})).To(Succeed())
		})
		// In a namespace of somebody else's, which does not take it along.
		_, err = admin.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func(ctx context.Context) {
			Expect(admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		})
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"},
			"{apiVersion: monitoring.coreos.com/v1beta1, kind: PodMonitor, metadata: {name: pods}, spec: {selector: {}}}"))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))

		current, err := client.Get(ctx, "podmonitors.monitoring.coreos.com", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		update := parse(definitions, "CustomResourceDefinition", definition(false))
		update.SetResourceVersion(current.GetResourceVersion())
		_, err = client.Update(ctx, update, metav1.UpdateOptions{})
		Expect(err).NotTo(HaveOccurred())
		beta := schema.GroupVersionResource{Group: "monitoring.coreos.com", Version: "v1beta1", Resource: "podmonitors"}
		Eventually(func(ctx context.Context) error {
			_, err := admin.Dynamic.Resource(beta).Namespace(name).List(ctx, metav1.ListOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())
		undeploy(ctx, name)
		stable := schema.GroupVersionResource{Group: "monitoring.coreos.com", Version: "v1", Resource: "podmonitors"}
		_, err = admin.Dynamic.Resource(stable).Namespace(name).Get(ctx, "pods", metav1.GetOptions{})
		Expect(err).To(beNotFound())
	})

	It("says so when its revision cannot be stored, and goes on when the way is free", func(ctx context.Context) {
		const name = "unkept"
		secrets := admin.Kubernetes.CoreV1().Secrets("openshift-platform-operators")
		_, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "revision.unkept.r1"}}, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionUnpacked).Should(And(ContainSubstring("revision.unkept.r1"), ContainSubstring("delete or rename it")))
		Expect(secrets.Delete(ctx, "revision.unkept.r1", metav1.DeleteOptions{})).To(Succeed())
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))
	})

	It("says what keeps its objects from being deleted", func(ctx context.Context) {
		const name = "clinging"
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "clinging-old"}))
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

		By("moving to a version that does not have one of them")
		second := published(ctx, samples.Operator{Package: name, Version: "1.1.0"})
		client := admin.Platform.CoreV1alpha2().BundleDeployments()
		_, err = client.Patch(ctx, name, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"source":{"image":{"ref":%q}}}}`, second), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(And(ContainSubstring("clinging-old"), ContainSubstring("clinging.example.com")))

		By("removing all of it")
		Expect(client.Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		Eventually(conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionProgressing).Should(And(ContainSubstring("Removing"), ContainSubstring("clinging.example.com")))
		Expect(webhooks.Delete(ctx, "clinging.example.com", metav1.DeleteOptions{})).To(Succeed())
		undeploy(ctx, name)
	})
})
