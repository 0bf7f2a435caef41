package scenarios

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// createAsRukpak creates a BundleDeployment and some of its objects as rukpak left them, with labels, an owner reference and Helm's
// annotations, while no manager runs. It returns the owner reference.
func (s *Story) createAsRukpak(ctx context.Context, operator samples.Operator, ref string) metav1.OwnerReference {
	s.Helper()
	name := operator.Package
	object := s.parse(bundleDeployments, "BundleDeployment", bundleDeploymentManifest(name, fmt.Sprintf(
		"{installNamespace: %s, provisionerClassName: core-rukpak-io-registry, source: {type: image, image: {ref: %q}}}", name, ref)))
	object.SetFinalizers([]string{"core.rukpak.io/cleanup-unpack-cache", "core.rukpak.io/delete-cached-bundle"})
	created, err := s.Admin.Dynamic.Resource(bundleDeployments).Create(ctx, object, metav1.CreateOptions{FieldManager: "core"})
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(unstructured.SetNestedSlice(created.Object, []any{map[string]any{
		"type": "Installed", "status": "True", "reason": "InstallationSucceeded", "message": "Instantiated bundle " + name + " successfully",
		"lastTransitionTime": "2024-05-01T00:00:00Z",
	}}, "status", "conditions")).To(Succeed())
	_, err = s.Admin.Dynamic.Resource(bundleDeployments).UpdateStatus(ctx, created, metav1.UpdateOptions{FieldManager: "core"})
	s.Expect(err).NotTo(HaveOccurred())

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
	s.createNamespace(ctx, name)
	account := &corev1.ServiceAccount{ObjectMeta: *meta.DeepCopy()}
	account.Name = name
	_, err = s.Admin.Kubernetes.CoreV1().ServiceAccounts(name).Create(ctx, account, helm)
	s.Expect(err).NotTo(HaveOccurred())
	role := &rbacv1.ClusterRole{ObjectMeta: *meta.DeepCopy(), Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}}
	role.Name = name + "-named-as-rukpak-did"
	_, err = s.Admin.Kubernetes.RbacV1().ClusterRoles().Create(ctx, role, helm)
	s.Expect(err).NotTo(HaveOccurred())
	definition := s.parse(definitions, "CustomResourceDefinition", fmt.Sprintf(`{metadata: {name: %[1]s.%[2]s}, spec: {group: %[2]s, scope: Namespaced,
		names: {kind: %[3]s, listKind: %[3]sList, plural: %[1]s, singular: %[4]s}, versions: [
		{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}}]}}`,
		operator.Plural(), samples.Group, operator.Kind(), name))
	definition.SetLabels(meta.Labels)
	definition.SetAnnotations(meta.Annotations)
	definition.SetOwnerReferences(meta.OwnerReferences)
	_, err = s.Admin.Dynamic.Resource(definitions).Create(ctx, definition, helm)
	s.Expect(err).NotTo(HaveOccurred())
	s.customResource(ctx, operator, "default", "precious")
	return owner
}

// waitForGarbageCollection waits until the garbage collector deletes a ConfigMap whose only owner does not exist. The garbage collector has
// then observed that the owner does not exist.
func (s *Story) waitForGarbageCollection(ctx context.Context, owner metav1.OwnerReference) {
	s.Helper()
	client := s.Admin.Kubernetes.CoreV1().ConfigMaps("default")
	owner.Controller, owner.BlockOwnerDeletion = nil, nil
	canary := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "canary-" + owner.Name, OwnerReferences: []metav1.OwnerReference{owner}}}
	_, err := client.Create(ctx, canary, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Eventually(func(ctx context.Context) error {
		_, err := client.Get(ctx, canary.Name, metav1.GetOptions{})
		return err
	}).WithContext(ctx).Should(beNotFound())
}

func TestRukpakMigration(t *testing.T) {
	t.Parallel()
	kept := func(ctx context.Context, s *Story, operator samples.Operator) {
		s.Helper()
		live, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, operator.Plural()+"."+samples.Group, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.GetOwnerReferences()).To(BeEmpty())
		s.Expect(live.GetDeletionTimestamp()).To(BeNil())
		s.Expect(live.GetLabels()).NotTo(HaveKey(corev1alpha2.LabelOwnerName))
		_, err = s.Admin.Dynamic.Resource(crdResource(operator.Plural())).Namespace("default").Get(ctx, "precious", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
	}

	runStory(t, "an operator of rukpak keeps running, is adopted, and keeps its custom resources when it is removed", defaultOperators, func(ctx context.Context, s *Story) {
		operator := samples.Operator{Package: "veteran", Version: "1.0.0"}
		ref := s.publishBundle(ctx, operator)
		s.KillManager()
		owner := s.createAsRukpak(ctx, operator, ref)
		s.StartManager()
		s.waitForCondition(ctx, "veteran", corev1alpha2.ConditionProgressing, "False AsExpected")

		s.By("checking what only rukpak had")
		s.Eventually(func(ctx context.Context) ([]string, error) {
			live, err := s.Admin.Platform.CoreV1alpha2().BundleDeployments().Get(ctx, "veteran", metav1.GetOptions{})
			return live.Finalizers, err
		}).WithContext(ctx).Should(ConsistOf(corev1alpha2.Finalizer))
		_, err := s.Admin.Kubernetes.RbacV1().ClusterRoles().Get(ctx, "veteran-named-as-rukpak-did", metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
		account, err := s.Admin.Kubernetes.CoreV1().ServiceAccounts("veteran").Get(ctx, "veteran", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(account.OwnerReferences).To(BeEmpty())
		s.Expect(s.conditionOf(ctx, "veteran", corev1alpha2.ConditionDrifted)).To(HavePrefix("False AsExpected"))

		s.By("adding an owner reference to the BundleDeployment again")
		patch := fmt.Appendf(nil, `{"metadata":{"ownerReferences":[{"apiVersion":%q,"kind":"BundleDeployment","name":"veteran","uid":%q}]}}`, owner.APIVersion, owner.UID)
		definition := operator.Plural() + "." + samples.Group
		_, err = s.Admin.Dynamic.Resource(definitions).Patch(ctx, definition, types.MergePatchType, patch, metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(ctx context.Context) ([]metav1.OwnerReference, error) {
			live, err := s.Admin.Dynamic.Resource(definitions).Get(ctx, definition, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			return live.GetOwnerReferences(), nil
		}).WithContext(ctx).Should(BeEmpty())

		s.By("removing it")
		s.undeploy(ctx, "veteran")
		s.waitForGarbageCollection(ctx, owner)
		kept(ctx, s, operator)
		_, err = s.Admin.Kubernetes.CoreV1().ServiceAccounts("veteran").Get(ctx, "veteran", metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
	})

	runStory(t, "an operator of rukpak can be removed before its first rollout, and keeps its custom resources", defaultOperators, func(ctx context.Context, s *Story) {
		operator := samples.Operator{Package: "pensioner", Version: "1.0.0"}
		s.KillManager()
		owner := s.createAsRukpak(ctx, operator, "127.0.0.1:1/pensioner:gone")
		s.Expect(s.Admin.Platform.CoreV1alpha2().BundleDeployments().Delete(ctx, "pensioner", metav1.DeleteOptions{})).To(Succeed())
		s.StartManager()
		s.undeploy(ctx, "pensioner")
		s.waitForGarbageCollection(ctx, owner)
		kept(ctx, s, operator)
		_, err := s.Admin.Kubernetes.RbacV1().ClusterRoles().Get(ctx, "pensioner-named-as-rukpak-did", metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
	})
}
