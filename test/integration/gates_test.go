package integration

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// readied has the Pods of a controller's kind in a namespace told ready, as a kubelet would.
func readied(ctx context.Context, namespace, kind string) {
	GinkgoHelper()
	pods := admin.Kubernetes.CoreV1().Pods(namespace)
	found, err := pods.List(ctx, metav1.ListOptions{})
	Expect(err).NotTo(HaveOccurred())
	cured := 0
	for i := range found.Items {
		if controller := metav1.GetControllerOf(&found.Items[i]); controller == nil || controller.Kind != kind {
			continue
		}
		_, err := pods.Patch(ctx, found.Items[i].Name, types.StrategicMergePatchType, []byte(`{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`), metav1.PatchOptions{}, "status")
		Expect(err).NotTo(HaveOccurred())
		cured++
	}
	Expect(cured).To(BeNumerically(">", 0), "no Pod of a %s in namespace %q", kind, namespace)
}

// started counts the Pods of a namespace that run.
func started(ctx context.Context, namespace string) (int, error) {
	found, err := admin.Kubernetes.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"})
	if err != nil {
		return 0, err
	}
	return len(found.Items), nil
}

// squatted defines a kind of somebody else's that has a name of another one's in its group, which is not established while
// that stands, until the function that it gives is called.
func squatted(ctx context.Context, group, kind string) (leave func(context.Context)) {
	GinkgoHelper()
	name := "squatters." + group
	_, err := admin.Dynamic.Resource(definitions).Create(ctx, parse(definitions, "CustomResourceDefinition", fmt.Sprintf(`{metadata: {name: %s}, spec: {group: %s,
		scope: Namespaced, names: {kind: %s, listKind: SquatterList, plural: squatters, singular: squatter},
		versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`, name, group, kind)), metav1.CreateOptions{})
	Expect(err).NotTo(HaveOccurred())
	leave = func(ctx context.Context) {
		GinkgoHelper()
		Expect(ignoreNotFound(admin.Dynamic.Resource(definitions).Delete(ctx, name, metav1.DeleteOptions{}))).To(Succeed())
	}
	DeferCleanup(leave)
	Eventually(func(ctx context.Context) (string, error) {
		live, err := admin.Dynamic.Resource(definitions).Get(ctx, name, metav1.GetOptions{})
		return fmt.Sprint(live.Object["status"]), err
	}).WithContext(ctx).Should(ContainSubstring("the initial names have been accepted"))
	return leave
}
