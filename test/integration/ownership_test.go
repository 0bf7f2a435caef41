package integration

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
	"github.com/openshift/platform-operators/test/samples"
)

// ownersLabels are what the manager labels the objects of a BundleDeployment with, and what everybody else can.
func ownersLabels(name string) map[string]string {
	return map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: name}
}

// from gives the value under "from" of a ConfigMap, and the field managers that it has of ours.
func from(ctx context.Context, namespace, name string) (string, error) {
	live, err := admin.Kubernetes.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	text := live.Data["from"]
	for _, each := range live.ManagedFields {
		if strings.HasPrefix(each.Manager, corev1alpha2.FieldManagerPrefix) {
			text += " " + each.Manager
		}
	}
	return text, nil
}

// heapInUse is what this process has on its heap after garbage was collected.
func heapInUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // what is pooled survives the first
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// tenant is a client of somebody who may write everything in a namespace, and nothing else.
func tenant(ctx context.Context, namespace string) corev1client.ConfigMapInterface {
	GinkgoHelper()
	const user = "tenant"
	_, err := admin.Kubernetes.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "admin"},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	config := rest.CopyConfig(env.Admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	client, err := kubernetes.NewForConfig(config)
	Expect(err).NotTo(HaveOccurred())
	return client.CoreV1().ConfigMaps(namespace)
}

var _ = Describe("whose an object is, by marks that somebody else sets [HRD-S2]", func() {
	const name = "forged"
	const mark = corev1alpha2.FieldManagerPrefix + name
	configMap := func(object string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: object, Labels: ownersLabels(name)}, Data: map[string]string{"from": "tenant"}}
	}
	entry := metav1.ManagedFieldsEntry{Manager: mark, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:data":{"f:from":{}}}`)}}

	It("is denied to whoever may write the object only", func(ctx context.Context) {
		createNamespace(ctx, name)
		client := tenant(ctx, name)
		denied := forbidden(`BundleDeployment "forged"`, "label core.rukpak.io/owner-kind")

		By("creating it")
		_, err := client.Create(ctx, configMap("a"), metav1.CreateOptions{FieldManager: mark})
		Expect(err).To(denied)
		referring := configMap("a")
		referring.OwnerReferences = []metav1.OwnerReference{{APIVersion: corev1alpha2.SchemeGroupVersion.String(), Kind: corev1alpha2.OwnerKindBundleDeployment, Name: name, UID: "u"}}
		_, err = client.Create(ctx, referring, metav1.CreateOptions{})
		Expect(err).To(denied)
		apply := []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"core.rukpak.io/owner-kind":"BundleDeployment","core.rukpak.io/owner-name":"forged"}}}`)
		_, err = client.Patch(ctx, "a", types.ApplyPatchType, apply, metav1.PatchOptions{FieldManager: mark})
		Expect(err).To(denied)

		By("changing one that has the labels, which is permitted by itself")
		claiming := configMap("a")
		claiming.ManagedFields = []metav1.ManagedFieldsEntry{entry}
		live, err := client.Create(ctx, claiming, metav1.CreateOptions{FieldManager: "tenant"})
		Expect(err).NotTo(HaveOccurred())
		Expect(from(ctx, name, "a")).To(Equal("tenant"), "who creates a field has it, whatever the request says")
		_, err = client.Patch(ctx, "a", types.ApplyPatchType, apply, metav1.PatchOptions{FieldManager: mark})
		Expect(err).To(denied)
		_, err = client.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"from":"us"}}`), metav1.PatchOptions{FieldManager: mark})
		Expect(err).To(denied)
		live.ManagedFields = append(live.ManagedFields, entry)
		_, err = client.Update(ctx, live, metav1.UpdateOptions{})
		Expect(err).To(denied)
		_, err = client.Patch(ctx, "a", types.MergePatchType, []byte(`{"data":{"from":"us"}}`), metav1.PatchOptions{FieldManager: "tenant"})
		Expect(err).NotTo(HaveOccurred())

		By("putting the labels on one that has the field manager, which is permitted by itself")
		bare := configMap("b")
		bare.Labels = nil
		_, err = client.Create(ctx, bare, metav1.CreateOptions{FieldManager: mark})
		Expect(err).NotTo(HaveOccurred())
		label := []byte(`{"metadata":{"labels":{"core.rukpak.io/owner-kind":"BundleDeployment","core.rukpak.io/owner-name":"forged"}}}`)
		_, err = client.Patch(ctx, "b", types.MergePatchType, label, metav1.PatchOptions{})
		Expect(err).To(denied)
		_, err = client.Patch(ctx, "b", types.MergePatchType, bytes.ReplaceAll(label, []byte("forged"), []byte("other")), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred(), "the labels of another BundleDeployment mark nothing")
	})

	It("leaves objects of a BundleDeployment to whoever else writes them, and a restore with all its marks to an admin", func(ctx context.Context) {
		deployed(ctx, name, published(ctx, samples.Operator{Package: name, Version: "1.0.0"}, configMapText("settings", "us")))
		Eventually(from).WithContext(ctx).WithArguments(name, "settings").Should(Equal("us " + mark))
		client := tenant(ctx, name)
		_, err := client.Patch(ctx, "settings", types.MergePatchType, []byte(`{"metadata":{"annotations":{"note":"a"}}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		live, err := client.Get(ctx, "settings", metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		live.Annotations["note"] = "b"
		live, err = client.Update(ctx, live, metav1.UpdateOptions{FieldManager: "tenant"})
		Expect(err).NotTo(HaveOccurred())

		By("restoring one as Velero does: the record of field managers by a patch of its own")
		restored := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "restored", Labels: live.Labels}, Data: live.Data}
		_, err = client.Create(ctx, restored, metav1.CreateOptions{})
		Expect(err).NotTo(HaveOccurred())
		record, err := json.Marshal(map[string]any{"metadata": map[string]any{"managedFields": live.ManagedFields}})
		Expect(err).NotTo(HaveOccurred())
		_, err = client.Patch(ctx, "restored", types.MergePatchType, record, metav1.PatchOptions{})
		Expect(err).To(forbidden(`BundleDeployment "forged"`))
		_, err = admin.Kubernetes.CoreV1().ConfigMaps(name).Patch(ctx, "restored", types.MergePatchType, record, metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(from(ctx, name, "restored")).To(Equal("us " + mark))
		undeploy(ctx, name)
	})
})

var _ = Describe("whose an object is", func() {

	It("HRD-B7 nothing is kept of what has only an owner's labels, and nobody is woken up for it", startEarly, func(ctx context.Context) {
		const name, tenant, many, size = "besieged", "besieger", 200, 700 << 10
		createNamespace(ctx, tenant)
		DeferCleanup(func(ctx context.Context) {
			Expect(ignoreNotFound(admin.Kubernetes.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
		})
		var mu sync.Mutex
		woken := map[string]int{}
		engine := newEngineThat(ctx, func(owner string) {
			mu.Lock()
			defer mu.Unlock()
			woken[owner]++
		})
		wokenOften := func() int { mu.Lock(); defer mu.Unlock(); return woken[name] }
		content := parse(corev1.SchemeGroupVersion.WithResource("configmaps"), "ConfigMap", "{metadata: {name: settings, namespace: "+name+"}, data: {from: us}}")
		set, err := apply.NewSet(apply.Owner{Name: name}, name, plan.Phases([]unstructured.Unstructured{*content}))
		Expect(err).NotTo(HaveOccurred())
		look := func(ctx context.Context) (apply.Report, error) {
			return engine.Apply(ctx, set, apply.Options{Gated: true})
		}
		Eventually(look).WithContext(ctx).Should(HaveField("Complete", BeTrue()))
		Eventually(wokenOften).WithContext(ctx).Should(Equal(2), "by the namespace and the ConfigMap")

		data := make([]byte, size) // which cannot be compressed
		_, _ = rand.NewChaCha8([32]byte{}).Read(data)
		before := heapInUse()
		for i := range many {
			_, err := admin.Kubernetes.CoreV1().ConfigMaps(tenant).Create(ctx, &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("load-%d", i), Labels: ownersLabels(name)}, BinaryData: map[string][]byte{"a": data},
			}, metav1.CreateOptions{})
			Expect(err).NotTo(HaveOccurred())
		}
		_, err = admin.Kubernetes.CoreV1().ConfigMaps(name).Update(ctx, &corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "settings", Labels: ownersLabels(name)}, Data: map[string]string{"from": "somebody"},
		}, metav1.UpdateOptions{FieldManager: "somebody"})
		Expect(err).NotTo(HaveOccurred())
		Eventually(wokenOften).WithContext(ctx).Should(BeNumerically(">=", 3), "the watch has come to what was written last")
		Expect(wokenOften()).To(BeNumerically("<=", 4), "of an update the owner before and the owner after are told")
		Expect(heapInUse() - before).To(BeNumerically("<", 16<<20))

		By("beginning anew with all of it there")
		second := newEngineThat(ctx, func(owner string) {
			mu.Lock()
			defer mu.Unlock()
			woken["second-"+owner]++
		})
		Eventually(func(ctx context.Context) (apply.Report, error) {
			return second.Apply(ctx, set, apply.Options{Gated: true, ReadOnly: true})
		}).WithContext(ctx).Should(HaveField("Complete", BeTrue()))
		Expect(heapInUse() - before).To(BeNumerically("<", 16<<20))
		mu.Lock()
		defer mu.Unlock()
		Expect(woken["second-"+name]).To(BeNumerically("<=", 2))
	})
})
