package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/store"
	"github.com/openshift/platform-operators/test/samples"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// publishBundle publishes a sample operator with additional manifests in its bundle, and returns the reference of the bundle's image.
func (s *Story) publishBundle(ctx context.Context, operator samples.Operator, manifests ...string) string {
	s.Helper()
	s.Expect(samples.Write(s.Environment.SamplesDir, operator)).To(Succeed())
	for i, manifest := range manifests {
		file := filepath.Join(s.Environment.SamplesDir, "bundles", operator.Package, operator.Version, "manifests", fmt.Sprintf("more-%d.yaml", i))
		s.Expect(os.WriteFile(file, []byte(manifest), 0o644)).To(Succeed())
	}
	s.Expect(s.Environment.Publish(ctx)).To(Succeed())
	ref, found := s.Environment.Catalog.Bundle(operator.Package, operator.Version)
	s.Expect(found).To(BeTrue())
	return ref
}

// deploy creates a BundleDeployment of the image ref, without a PlatformOperator, for the registry class. Its namespace has its name.
func (s *Story) deploy(ctx context.Context, name, ref string) {
	s.Helper()
	s.deployWithClass(ctx, "core-rukpak-io-registry", name, ref)
}

// deployWithClass creates a BundleDeployment as deploy does, for the given ProvisionerClass.
func (s *Story) deployWithClass(ctx context.Context, class, name, ref string) {
	s.Helper()
	manifest := bundleDeploymentManifest(name, fmt.Sprintf("{installNamespace: %s, provisionerClassName: %s, source: {type: image, image: {ref: %q}}}", name, class, ref))
	_, err := s.Admin.Dynamic.Resource(bundleDeployments).Create(ctx, s.parse(bundleDeployments, "BundleDeployment", manifest), metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
}

// undeploy deletes a BundleDeployment if it exists, and waits until it does not exist.
func (s *Story) undeploy(ctx context.Context, name string) {
	s.Helper()
	client := s.Admin.Platform.CoreV1alpha2().BundleDeployments()
	s.Expect(ignoreNotFound(client.Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	s.Eventually(func(ctx context.Context) error { _, err := client.Get(ctx, name, metav1.GetOptions{}); return err }).WithContext(ctx).Should(beNotFound())
}

// conditionOf returns a condition of a BundleDeployment as "STATUS REASON: MESSAGE", or "" if there is no such condition.
func (s *Story) conditionOf(ctx context.Context, name, conditionType string) (string, error) {
	live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, name, metav1.GetOptions{})
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

func TestBundleDeployment(t *testing.T) {
	t.Parallel()
	runStory(t, "an upgrade proceeds although a user has taken over an object of the old version", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "hostage"
		first := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0", ExtraConfigMap: "hostage-old"})
		s.deploy(ctx, name, first)
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")

		s.By("replacing the object with a user's")
		s.KillManager()
		client := s.Admin.Kubernetes.CoreV1().ConfigMaps(name)
		s.Expect(client.Delete(ctx, "hostage-old", metav1.DeleteOptions{})).To(Succeed())
		_, err := client.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "hostage-old"}, Data: map[string]string{"mine": "yes"}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.StartManager()
		s.waitForCondition(ctx, name, corev1alpha2.ConditionInstalled, "True ReconcileFailed")

		second := s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.1.0"})
		patch := fmt.Appendf(nil, `{"spec":{"source":{"image":{"ref":%q}}}}`, second)
		_, err = s.Admin.Platform.CoreV1alpha2().BundleDeployments().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(ContainSubstring("(version 1.1.0) is applied"))
		theirs, err := client.Get(ctx, "hostage-old", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(theirs.Data).To(HaveKeyWithValue("mine", "yes"))
		s.Expect(client.Delete(ctx, "hostage-old", metav1.DeleteOptions{})).To(Succeed())
	})

	runStory(t, "a removal is complete although the stored revisions were deleted", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "forgetful"
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		s.KillManager()
		s.Expect(s.Admin.Kubernetes.CoreV1().Secrets("openshift-platform-operators").DeleteCollection(ctx, metav1.DeleteOptions{},
			metav1.ListOptions{LabelSelector: store.LabelDeployment + "=" + name})).To(Succeed())
		s.Expect(s.Admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, name, metav1.DeleteOptions{})).To(Succeed())
		s.StartManager()
		s.undeploy(ctx, name)

		_, err := s.Admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
		for _, kind := range []schema.GroupVersionResource{
			{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
			{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
			definitions,
		} {
			found, err := s.Admin.Dynamic.Resource(kind).List(ctx, metav1.ListOptions{LabelSelector: corev1alpha2.LabelOwnerName + "=" + name})
			s.Expect(err).NotTo(HaveOccurred())
			s.Expect(found.Items).To(BeEmpty(), kind.Resource)
		}
		definition, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, name+"s.samples.platform.openshift.io", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred(), "the CustomResourceDefinition is kept")
		s.Expect(definition.GetAnnotations()).To(HaveKeyWithValue(platformv1alpha1.AnnotationOrphanedFrom, "package/"+name))
		s.Eventually(func(ctx context.Context) error {
			_, err := s.Admin.Kubernetes.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())
	})

	runStory(t, "a BundleDeployment with an object of an invalid name can be removed", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "misnamed"
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"},
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: No_Name}}"))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionInstalled).Should(And(HavePrefix("False InstallFailed: "), ContainSubstring("No_Name")))
		s.undeploy(ctx, name)
	})

	runStory(t, "a removal proceeds while its CustomResourceDefinition is being deleted and custom resources block that", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "holdback"
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
		resources := s.Admin.Dynamic.Resource(crdResource("holdbacks")).Namespace("default")
		_, err := resources.Create(ctx, s.parse(crdResource("holdbacks"), "Holdback", "{metadata: {name: precious, finalizers: [example.com/operator]}}"), metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(s.Admin.Dynamic.Resource(definitions).Delete(ctx, "holdbacks.samples.platform.openshift.io", metav1.DeleteOptions{})).To(Succeed())
		s.undeploy(ctx, name)
	})

	runStory(t, "a removal deletes an object whose kind is no longer served in the bundle's version", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "oldtimer"
		client := s.Admin.Dynamic.Resource(definitions)
		definition := func(served bool) string {
			return fmt.Sprintf(`{metadata: {name: podmonitors.monitoring.coreos.com}, spec: {group: monitoring.coreos.com, scope: Namespaced,
				names: {kind: PodMonitor, listKind: PodMonitorList, plural: podmonitors, singular: podmonitor}, versions: [
				{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}},
				{name: v1beta1, served: %t, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`, served)
		}
		_, err := client.Create(ctx, s.parse(definitions, "CustomResourceDefinition", definition(true)), metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		// The namespace exists before the installation. Otherwise the removal would delete the namespace, and the object with it.
		_, err = s.Admin.Kubernetes.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"},
			"{apiVersion: monitoring.coreos.com/v1beta1, kind: PodMonitor, metadata: {name: pods}, spec: {selector: {}}}"))
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")

		current, err := client.Get(ctx, "podmonitors.monitoring.coreos.com", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		update := s.parse(definitions, "CustomResourceDefinition", definition(false))
		update.SetResourceVersion(current.GetResourceVersion())
		_, err = client.Update(ctx, update, metav1.UpdateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		beta := schema.GroupVersionResource{Group: "monitoring.coreos.com", Version: "v1beta1", Resource: "podmonitors"}
		s.Eventually(func(ctx context.Context) error {
			_, err := s.Admin.Dynamic.Resource(beta).Namespace(name).List(ctx, metav1.ListOptions{})
			return err
		}).WithContext(ctx).Should(beNotFound())
		s.undeploy(ctx, name)
		stable := schema.GroupVersionResource{Group: "monitoring.coreos.com", Version: "v1", Resource: "podmonitors"}
		_, err = s.Admin.Dynamic.Resource(stable).Namespace(name).Get(ctx, "pods", metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
	})

	runStory(t, "a revision that cannot be stored is reported, and the rollout continues when it can", defaultOperators, func(ctx context.Context, s *Story) {
		const name = "unkept"
		secrets := s.Admin.Kubernetes.CoreV1().Secrets("openshift-platform-operators")
		_, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "revision.unkept.r1"}}, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}))
		s.Eventually(s.conditionOf).WithContext(ctx).WithArguments(name, corev1alpha2.ConditionUnpacked).Should(And(ContainSubstring("revision.unkept.r1"), ContainSubstring("delete it")))
		s.Expect(secrets.Delete(ctx, "revision.unkept.r1", metav1.DeleteOptions{})).To(Succeed())
		s.waitForCondition(ctx, name, corev1alpha2.ConditionProgressing, "False AsExpected")
	})
}
