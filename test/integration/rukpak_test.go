package integration

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// leftByRukpak creates a BundleDeployment as rukpak had it, and some of what it applied: with its labels, a controller's owner
// reference, and Helm's marks. The manager is not there meanwhile. It returns the reference.
func leftByRukpak(ctx context.Context, operator samples.Operator, ref string) metav1.OwnerReference {
	GinkgoHelper()
	name := operator.Package
	object := parse(bundleDeployments, "BundleDeployment", deployment(name, fmt.Sprintf(
		"{installNamespace: %s, provisionerClassName: core-rukpak-io-registry, source: {type: image, image: {ref: %q}}}", name, ref)))
	object.SetFinalizers([]string{"core.rukpak.io/cleanup-unpack-cache", "core.rukpak.io/delete-cached-bundle"})
	created, err := admin.Dynamic.Resource(bundleDeployments).Create(ctx, object, metav1.CreateOptions{FieldManager: "core"})
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(undeploy, name)
	Expect(unstructured.SetNestedSlice(created.Object, []any{map[string]any{
		"type": "Installed", "status": "True", "reason": "InstallationSucceeded", "message": "Instantiated bundle " + name + " successfully",
		"lastTransitionTime": "2024-05-01T00:00:00Z",
	}}, "status", "conditions")).To(Succeed())
	_, err = admin.Dynamic.Resource(bundleDeployments).UpdateStatus(ctx, created, metav1.UpdateOptions{FieldManager: "core"})
	Expect(err).NotTo(HaveOccurred())

	owner := metav1.OwnerReference{
		APIVersion: "core.rukpak.io/v1alpha2", Kind: "BundleDeployment", Name: name, UID: created.GetUID(),
		Controller: new(true), BlockOwnerDeletion: new(true),
	}
	meta := metav1.ObjectMeta{
		Labels: map[string]string{
			corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: name, "app.kubernetes.io/managed-by": "Helm",
		},
		Annotations:     map[string]string{"meta.helm.sh/release-name": name, "meta.helm.sh/release-namespace": "rukpak-system"},
		OwnerReferences: []metav1.OwnerReference{owner},
	}
	helm := metav1.CreateOptions{FieldManager: "core"}
	createNamespace(ctx, name)
	account := &corev1.ServiceAccount{ObjectMeta: *meta.DeepCopy()}
	account.Name = name
	_, err = admin.Kubernetes.CoreV1().ServiceAccounts(name).Create(ctx, account, helm)
	Expect(err).NotTo(HaveOccurred())
	role := &rbacv1.ClusterRole{ObjectMeta: *meta.DeepCopy(), Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}}
	role.Name = name + "-named-as-rukpak-did"
	_, err = admin.Kubernetes.RbacV1().ClusterRoles().Create(ctx, role, helm)
	Expect(err).NotTo(HaveOccurred())
	definition := parse(definitions, "CustomResourceDefinition", fmt.Sprintf(`{metadata: {name: %[1]s.%[2]s}, spec: {group: %[2]s, scope: Namespaced,
		names: {kind: %[3]s, listKind: %[3]sList, plural: %[1]s, singular: %[4]s}, versions: [
		{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`,
		operator.Plural(), samples.Group, operator.Kind(), name))
	definition.SetLabels(meta.Labels)
	definition.SetAnnotations(meta.Annotations)
	definition.SetOwnerReferences(meta.OwnerReferences)
	_, err = admin.Dynamic.Resource(definitions).Create(ctx, definition, helm)
	Expect(err).NotTo(HaveOccurred())
	customResource(ctx, operator, "default", "precious")
	DeferCleanup(func(ctx context.Context) {
		Expect(ignoreNotFound(admin.Dynamic.Resource(crdResource(operator.Plural())).Namespace("default").Delete(ctx, "precious", metav1.DeleteOptions{}))).To(Succeed())
		Expect(ignoreNotFound(admin.Dynamic.Resource(definitions).Delete(ctx, definition.GetName(), metav1.DeleteOptions{}))).To(Succeed())
	})
	return owner
}

// collected waits until the garbage collector has seen that an owner is gone.
func collected(ctx context.Context, owner metav1.OwnerReference) {
	GinkgoHelper()
	client := admin.Kubernetes.CoreV1().ConfigMaps("default")
	owner.Controller, owner.BlockOwnerDeletion = nil, nil
	canary := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "canary-" + owner.Name, OwnerReferences: []metav1.OwnerReference{owner}}}
	_, err := client.Create(ctx, canary, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	Eventually(func(ctx context.Context) error {
		_, err := client.Get(ctx, canary.Name, metav1.GetOptions{})
		return err
	}).WithContext(ctx).Should(beNotFound())
}

var _ = Describe("what rukpak installed", func() {
	kept := func(ctx context.Context, operator samples.Operator) {
		GinkgoHelper()
		live, err := admin.Dynamic.Resource(definitions).Get(ctx, operator.Plural()+"."+samples.Group, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(live.GetOwnerReferences()).To(BeEmpty())
		Expect(live.GetDeletionTimestamp()).To(BeNil())
		Expect(live.GetLabels()).NotTo(HaveKey(corev1alpha2.LabelOwnerName))
		_, err = admin.Dynamic.Resource(crdResource(operator.Plural())).Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
	}

	It("goes on as it is, is taken over, and keeps its data when it is removed", func(ctx context.Context) {
		operator := samples.Operator{Package: "veteran", Version: "1.0.0"}
		ref := published(ctx, operator)
		Expect(env.Manager.Kill()).To(Succeed())
		owner := leftByRukpak(ctx, operator, ref)
		Expect(env.Manager.Start()).To(Succeed())
		Eventually(conditionOf).WithContext(ctx).WithArguments("veteran", corev1alpha2.ConditionProgressing).Should(ContainSubstring("AsExpected"))

		By("looking at what only rukpak had")
		Eventually(func(ctx context.Context) ([]string, error) {
			live, err := admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, "veteran", metav1.GetOptions{})
			return live.Finalizers, err
		}).WithContext(ctx).Should(ConsistOf(corev1alpha2.Finalizer))
		_, err := admin.Kubernetes.RbacV1().ClusterRoles().Get(ctx, "veteran-named-as-rukpak-did", metav1.GetOptions{})
		Expect(err).To(beNotFound())
		account, err := admin.Kubernetes.CoreV1().ServiceAccounts("veteran").Get(ctx, "veteran", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(account.OwnerReferences).To(BeEmpty())
		Expect(conditionOf(ctx, "veteran", corev1alpha2.ConditionDrifted)).To(HavePrefix("False AsExpected"))

		By("tying an object to the BundleDeployment again")
		patch := fmt.Appendf(nil, `{"metadata":{"ownerReferences":[{"apiVersion":%q,"kind":"BundleDeployment","name":"veteran","uid":%q}]}}`, owner.APIVersion, owner.UID)
		definition := operator.Plural() + "." + samples.Group
		_, err = admin.Dynamic.Resource(definitions).Patch(ctx, definition, types.MergePatchType, patch, metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(ctx context.Context) ([]metav1.OwnerReference, error) {
			live, err := admin.Dynamic.Resource(definitions).Get(ctx, definition, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return live.GetOwnerReferences(), nil
		}).WithContext(ctx).Should(BeEmpty())

		By("removing it")
		undeploy(ctx, "veteran")
		collected(ctx, owner)
		kept(ctx, operator)
		_, err = admin.Kubernetes.CoreV1().ServiceAccounts("veteran").Get(ctx, "veteran", metav1.GetOptions{})
		Expect(err).To(beNotFound())
	})

	It("can be removed when nothing of it was ever rolled out again, and keeps its data", func(ctx context.Context) {
		operator := samples.Operator{Package: "pensioner", Version: "1.0.0"}
		Expect(env.Manager.Kill()).To(Succeed())
		owner := leftByRukpak(ctx, operator, "127.0.0.1:1/pensioner:gone")
		Expect(admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, "pensioner", metav1.DeleteOptions{})).To(Succeed())
		Expect(env.Manager.Start()).To(Succeed())
		undeploy(ctx, "pensioner")
		collected(ctx, owner)
		kept(ctx, operator)
		_, err := admin.Kubernetes.RbacV1().ClusterRoles().Get(ctx, "pensioner-named-as-rukpak-did", metav1.GetOptions{})
		Expect(err).To(beNotFound())
	})
})
