package scenarios

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
)

// tenantClient returns a client for the ConfigMaps of a namespace. Its user has the ClusterRole admin in that namespace, and no other role.
func (s *Story) tenantClient(ctx context.Context, namespace string) corev1client.ConfigMapInterface {
	s.Helper()
	const user = "tenant"
	_, err := s.Admin.Kubernetes.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	client, err := kubernetes.NewForConfig(s.StepClientConfig(user))
	s.Expect(err).NotTo(HaveOccurred())
	return client.CoreV1().ConfigMaps(namespace)
}

func TestForgedOwnership(t *testing.T) {
	t.Parallel()
	const name = "forged"
	const mark = corev1alpha2.FieldManagerPrefix + name
	configMap := func(object string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: object, Labels: ownersLabels(name)}, Data: map[string]string{"from": "tenant"}}
	}
	entry := metav1.ManagedFieldsEntry{Manager: mark, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:data":{"f:from":{}}}`)}}

	runStory(t, "[HRD-S2] ownership marks are denied to users who may only write the object", defaultOperators, func(ctx context.Context, s *Story) {
		s.createNamespace(ctx, name)
		client := s.tenantClient(ctx, name)
		denied := forbidden(`BundleDeployment "forged"`, "label core.rukpak.io/owner-kind")

		s.By("creating an object with both marks")
		_, err := client.Create(ctx, configMap("a"), metav1.CreateOptions{FieldManager: mark})
		s.Expect(err).To(denied)
		referring := configMap("a")
		referring.OwnerReferences = []metav1.OwnerReference{{APIVersion: corev1alpha2.SchemeGroupVersion.String(), Kind: corev1alpha2.OwnerKindBundleDeployment, Name: name, UID: "u"}}
		_, err = client.Create(ctx, referring, metav1.CreateOptions{})
		s.Expect(err).To(denied)
		apply := []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"core.rukpak.io/owner-kind":"BundleDeployment","core.rukpak.io/owner-name":"forged"}}}`)
		_, err = client.Patch(ctx, "a", types.ApplyPatchType, apply, metav1.PatchOptions{FieldManager: mark})
		s.Expect(err).To(denied)

		s.By("creating an object with the labels alone, which is permitted, and changing it")
		claiming := configMap("a")
		claiming.ManagedFields = []metav1.ManagedFieldsEntry{entry}
		live, err := client.Create(ctx, claiming, metav1.CreateOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(s.from(ctx, name, "a")).To(Equal("tenant"), "the creator owns a field, whatever managed fields the request has")
		_, err = client.Patch(ctx, "a", types.ApplyPatchType, apply, metav1.PatchOptions{FieldManager: mark})
		s.Expect(err).To(denied)
		_, err = client.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"from":"us"}}`), metav1.PatchOptions{FieldManager: mark})
		s.Expect(err).To(denied)
		live.ManagedFields = append(live.ManagedFields, entry)
		_, err = client.Update(ctx, live, metav1.UpdateOptions{})
		s.Expect(err).To(denied)
		_, err = client.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"from":"us"}}`), metav1.PatchOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())

		s.By("creating an object with the field manager alone, which is permitted, and adding the labels")
		bare := configMap("b")
		bare.Labels = nil
		_, err = client.Create(ctx, bare, metav1.CreateOptions{FieldManager: mark})
		s.Expect(err).NotTo(HaveOccurred())
		label := []byte(`{"metadata":{"labels":{"core.rukpak.io/owner-kind":"BundleDeployment","core.rukpak.io/owner-name":"forged"}}}`)
		_, err = client.Patch(ctx, "b", types.MergePatchType, label, metav1.PatchOptions{})
		s.Expect(err).To(denied)
		_, err = client.Patch(ctx, "b", types.MergePatchType, bytes.ReplaceAll(label, []byte("forged"), []byte("other")), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred(), "the labels of another BundleDeployment are permitted")
	})

	runStory(t, "[HRD-S2] other writers may edit objects of a BundleDeployment, and an admin may restore one with all its marks", defaultOperators, func(ctx context.Context, s *Story) {
		s.deploy(ctx, name, s.publishBundle(ctx, samples.Operator{Package: name, Version: "1.0.0"}, configMapText("settings", "us")))
		s.Eventually(s.from).WithContext(ctx).WithArguments(name, "settings").Should(Equal("us " + mark))
		client := s.tenantClient(ctx, name)
		_, err := client.Patch(ctx, "settings", types.MergePatchType, []byte(`{"metadata":{"annotations":{"note":"a"}}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		live, err := client.Get(ctx, "settings", metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		live.Annotations["note"] = "b"
		live, err = client.Update(ctx, live, metav1.UpdateOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())

		s.By("restoring an object as Velero does, with its managed fields in a separate patch")
		restored := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "restored", Labels: live.Labels}, Data: live.Data}
		_, err = client.Create(ctx, restored, metav1.CreateOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		record, err := json.Marshal(map[string]any{"metadata": map[string]any{"managedFields": live.ManagedFields}})
		s.Expect(err).NotTo(HaveOccurred())
		_, err = client.Patch(ctx, "restored", types.MergePatchType, record, metav1.PatchOptions{})
		s.Expect(err).To(forbidden(`BundleDeployment "forged"`))
		_, err = s.Admin.Kubernetes.CoreV1().ConfigMaps(name).Patch(ctx, "restored", types.MergePatchType, record, metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(s.from(ctx, name, "restored")).To(Equal("us " + mark))
		s.undeploy(ctx, name)
	})
}

// namespaceTenant returns a client whose user may write namespaces, with their status and finalizers, and may do nothing else.
func (s *Story) namespaceTenant(ctx context.Context) kubernetes.Interface {
	s.Helper()
	const user = "namespace-tenant"
	_, err := s.Admin.Kubernetes.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"namespaces", "namespaces/status", "namespaces/finalize"},
			Verbs: []string{"get", "create", "update", "patch"}}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = s.Admin.Kubernetes.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	client, err := kubernetes.NewForConfig(s.StepClientConfig(user))
	s.Expect(err).NotTo(HaveOccurred())
	return client
}

func TestForgedNamespace(t *testing.T) {
	t.Parallel()
	const name = "memo"
	const mark = corev1alpha2.FieldManagerPrefix + name
	denied := forbidden(`Namespace "memo" as created for BundleDeployment "memo"`, `Use no field manager "`+mark+`"`)
	// The API server drops an entry on a field that the request sets. It keeps an entry on a field that the object does not have.
	entry := metav1.ManagedFieldsEntry{Manager: mark, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:metadata":{"f:annotations":{"f:absent":{}}}}`)}}
	apply := []byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"memo","labels":{"a":"b"}}}`)

	runStory(t, "[HRD-S1] a tenant who forges the manager's field manager on a namespace is denied", []samples.Operator{{Package: name, Version: "1.0.0"}}, func(ctx context.Context, s *Story) {
		client := s.namespaceTenant(ctx).CoreV1().Namespaces()

		s.By("creating the namespace with the field manager")
		_, err := client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{FieldManager: mark})
		s.Expect(err).To(denied)
		_, err = client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, ManagedFields: []metav1.ManagedFieldsEntry{entry}}}, metav1.CreateOptions{})
		s.Expect(err).To(denied)
		_, err = client.Patch(ctx, name, types.ApplyPatchType, apply, metav1.PatchOptions{FieldManager: mark})
		s.Expect(err).To(denied)

		s.By("creating the namespace without the field manager, which is permitted, and adding the field manager")
		live, err := client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())
		s.denyForgedUpdates(ctx, client, live, entry, denied)
		_, err = s.Admin.Kubernetes.CoreV1().Namespaces().Patch(ctx, name, types.ApplyPatchType, apply, metav1.PatchOptions{FieldManager: mark})
		s.Expect(err).To(denied, "an admin, who may impersonate the manager, could be a proxy for a tenant's request")
		_, err = client.Patch(ctx, name, types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())

		s.By("installing an operator in the tenant's namespace, which the manager refuses")
		s.must(s.Create(ctx, name, ""))
		time.Sleep(time.Hour)
		s.must(s.OperatorHas(ctx, name, "Installed", metav1.ConditionFalse, "InstallFailed"))
		_, err = s.Admin.Kubernetes.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).To(beNotFound())
		s.must(s.Admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}))
		time.Sleep(time.Hour)
		s.must(s.Installed(ctx, name, "1.0.0"))
	})

	runStory(t, "[HRD-S1] other clients may update a namespace that the manager created", []samples.Operator{{Package: name, Version: "1.0.0"}}, func(ctx context.Context, s *Story) {
		s.must(s.Create(ctx, name, ""))
		s.Settle()
		s.must(s.Installed(ctx, name, "1.0.0"))
		client := s.namespaceTenant(ctx).CoreV1().Namespaces()
		live, err := client.Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.ManagedFields).To(ContainElement(HaveField("Manager", mark)))
		live.Annotations = map[string]string{"note": "a"}
		live, err = client.Update(ctx, live, metav1.UpdateOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())
		live, err = client.UpdateStatus(ctx, live, metav1.UpdateOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())
		_, err = client.Finalize(ctx, live, metav1.UpdateOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())

		s.By("removing the labels, which the manager restores")
		lost := []byte(`{"metadata":{"labels":{"core.rukpak.io/owner-kind":null,"core.rukpak.io/owner-name":null}}}`)
		_, err = client.Patch(ctx, name, types.MergePatchType, lost, metav1.PatchOptions{FieldManager: "tenant"})
		s.Expect(err).NotTo(HaveOccurred())
		time.Sleep(time.Hour)
		live, err = client.Get(ctx, name, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(live.Labels).To(HaveKeyWithValue(corev1alpha2.LabelOwnerName, name))
	})
}

// denyForgedUpdates expects that each request of an update denies the manager's field manager on a live namespace.
func (s *Story) denyForgedUpdates(ctx context.Context, client corev1client.NamespaceInterface, live *corev1.Namespace, entry metav1.ManagedFieldsEntry, denied OmegaMatcher) {
	s.Helper()
	labels := []byte(`{"apiVersion":"v1","kind":"Namespace","metadata":{"labels":{"a":"b"}}}`)
	for _, patch := range []types.PatchType{types.ApplyPatchType, types.MergePatchType} {
		_, err := client.Patch(ctx, live.Name, patch, labels, metav1.PatchOptions{FieldManager: entry.Manager})
		s.Expect(err).To(denied)
	}
	labeled := live.DeepCopy()
	labeled.Labels["a"] = "b"
	_, err := client.Update(ctx, labeled, metav1.UpdateOptions{FieldManager: entry.Manager})
	s.Expect(err).To(denied)

	forged := live.DeepCopy()
	forged.ManagedFields = append(forged.ManagedFields, entry)
	_, err = client.Update(ctx, forged, metav1.UpdateOptions{})
	s.Expect(err).To(denied)
	record, err := json.Marshal(map[string]any{"metadata": map[string]any{"managedFields": forged.ManagedFields}})
	s.Expect(err).NotTo(HaveOccurred())
	_, err = client.Patch(ctx, live.Name, types.MergePatchType, record, metav1.PatchOptions{})
	s.Expect(err).To(denied)

	s.By("sending managed fields to subresources, where the API server ignores them")
	marked := ContainElement(HaveField("Manager", entry.Manager))
	live, err = client.Patch(ctx, live.Name, types.MergePatchType, record, metav1.PatchOptions{}, "status")
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(live.ManagedFields).NotTo(marked)
	forged.ResourceVersion = live.ResourceVersion
	live, err = client.UpdateStatus(ctx, forged, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(live.ManagedFields).NotTo(marked)
	forged.ResourceVersion = live.ResourceVersion
	live, err = client.Finalize(ctx, forged, metav1.UpdateOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(live.ManagedFields).NotTo(marked)
}
