package integration

import (
	"context"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/test/samples"
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

var _ = Describe("a first roll-out", func() {
	It("[ENG-D1] goes on to a phase when the one before is ready: its definitions have their names, its Deployment is available", func(ctx context.Context) {
		const name = "gatekept"
		operator := samples.Operator{Package: name, Version: "1.0.0", NeverReady: true}
		leave := squatted(ctx, samples.Group, operator.Kind())
		Expect(samples.Write(env.SamplesDir, operator)).To(Succeed())
		Expect(samples.AddOwnKind(env.SamplesDir, operator)).To(Succeed())
		ref := published(ctx, operator, configMapText("settings", "us"))
		from := logEnd()
		deployedAs(ctx, name, name, ref, "deletion: {crds: Delete}")
		says(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", "CustomResourceDefinition gatekepts.samples.platform.openshift.io", "its names are not accepted", `"Gatekept" is already in use`)
		Expect(unready(ctx, name)).To(ContainSubstring("CustomResourceDefinition gatekepts.samples.platform.openshift.io: its names are not accepted"))
		const own = "/apis/monitoring.coreos.com/"
		Consistently(func() (writes []string) {
			for _, path := range []string{"/api/v1/namespaces/gatekept/", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", "/apis/apps/v1/namespaces/gatekept/", own} {
				writes = append(writes, managerWrites(from, path)...)
			}
			return writes
		}, "3s").Should(BeEmpty(), "what comes after the CustomResourceDefinitions")

		By("giving the names free")
		leave(ctx)
		says(ctx, name, corev1alpha2.ConditionProgressing, "True RollingOut", "Deployment gatekept/gatekept: 0 of 1 updated replicas available")
		Expect(unready(ctx, name)).To(ContainSubstring("Deployment gatekept/gatekept: "))
		Consistently(func() []string { return managerWrites(from, own) }, "3s").Should(BeEmpty(), "what comes after the Deployment")

		By("having the Deployment's Pod get ready")
		Eventually(started).WithContext(ctx).WithArguments(name).Should(Equal(1))
		readied(ctx, name, "ReplicaSet")
		says(ctx, name, corev1alpha2.ConditionProgressing, "AsExpected")
		says(ctx, name, corev1alpha2.ConditionHealthy, "True Healthy")
		Expect(unready(ctx, name)).To(BeEmpty())
		var order []string
		for _, write := range managerWrites(from, "/") {
			path, created := strings.CutPrefix(write, "create ")
			path, _, _ = strings.Cut(path, "?")
			if resource := path[strings.LastIndex(path, "/")+1:]; created && !slices.Contains(order, resource) {
				order = append(order, resource)
			}
		}
		order = slices.DeleteFunc(order, func(each string) bool {
			return !slices.Contains([]string{"namespaces", "customresourcedefinitions", "serviceaccounts", "clusterrolebindings", "configmaps", "services", "deployments", "podmonitors"}, each)
		})
		account, config := BeElementOf("serviceaccounts", "clusterrolebindings"), BeElementOf("configmaps", "services")
		Expect(order).To(HaveExactElements("namespaces", "customresourcedefinitions", account, account, config, config, "deployments", "podmonitors"))
	})
})
