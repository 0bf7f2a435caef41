package integration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/plan"
)

// ownersLabels returns the labels that the manager sets on objects of a BundleDeployment. Other users can set the labels, too.
func ownersLabels(name string) map[string]string {
	return map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: name}
}

// heapInUse returns the size of this process's heap after a garbage collection, in bytes.
func heapInUse() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC() // sync.Pool keeps objects through the first collection
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

var _ = Describe("ownership of objects", func() {

	// The test of HRD-B7 in pkg/apply/livecache has five times as many ConfigMaps, which a real API server takes long to store.
	It("HRD-B7 is not based on labels alone: objects with an owner's labels are not cached and cause no reconcile", startEarly, func(ctx context.Context) {
		const name, tenant, many, size = "besieged", "besieger", 40, 700 << 10
		const kept = many * size / 4
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

		data := make([]byte, size) // random, so that it cannot be compressed
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
		Expect(heapInUse() - before).To(BeNumerically("<", kept))

		By("starting again with these objects")
		second := newEngineThat(ctx, func(owner string) {
			mu.Lock()
			defer mu.Unlock()
			woken["second-"+owner]++
		})
		Eventually(func(ctx context.Context) (apply.Report, error) {
			return second.Apply(ctx, set, apply.Options{Gated: true, ReadOnly: true})
		}).WithContext(ctx).Should(HaveField("Complete", BeTrue()))
		Expect(heapInUse() - before).To(BeNumerically("<", kept))
		mu.Lock()
		defer mu.Unlock()
		Expect(woken["second-"+name]).To(BeNumerically("<=", 2))
	})
})
