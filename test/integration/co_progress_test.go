package integration

import (
	"context"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

// onlyPod is the one Pod of a namespace that is not going away.
func onlyPod(ctx context.Context, namespace string) (*corev1.Pod, error) {
	found, err := admin.Kubernetes.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var pods []*corev1.Pod
	for i := range found.Items {
		if found.Items[i].DeletionTimestamp == nil {
			pods = append(pods, &found.Items[i])
		}
	}
	if len(pods) != 1 {
		return nil, fmt.Errorf("namespace %q has %d Pods", namespace, len(pods))
	}
	return pods[0], nil
}

// cordoned has all nodes take new Pods or not.
func cordoned(ctx context.Context, unschedulable bool) {
	GinkgoHelper()
	nodes, err := admin.Kubernetes.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	Expect(err).NotTo(HaveOccurred())
	for _, node := range nodes.Items {
		_, err := admin.Kubernetes.CoreV1().Nodes().Patch(ctx, node.Name, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, unschedulable), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
	}
}

var _ = Describe("the ClusterOperator on day 2", func() {
	It("CLU-O11 is Progressing, in five to ten words, for an installation, a hop and a removal, and never for a repair, a Pod that moves or a drain", func(ctx context.Context) {
		const pkg = "mover"
		offer := func(versions ...string) {
			GinkgoHelper()
			var all []samples.Operator
			for _, version := range versions {
				all = append(all, samples.Operator{Package: pkg, Version: version, ExtraConfigMap: "mover-settings"})
			}
			Expect(admin.Publish(ctx, all...)).To(Succeed())
		}
		offer("1.0.0")
		clusterOperatorSays(ctx, configv1.OperatorProgressing, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
		seen := chronicled(ctx)
		progressed := func(message string) {
			GinkgoHelper()
			clusterOperatorSays(ctx, configv1.OperatorProgressing, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
			Expect(seen.statuses(ctx, configv1.OperatorProgressing)).To(Equal([]string{"False", "True", "False"}))
			messages := seen.messages(ctx, configv1.OperatorProgressing)
			Expect(messages).To(Equal([]string{"PlatformOperatorsProgressing: " + message}))
			Expect(len(strings.Fields(messages[0]))).To(And(BeNumerically(">=", 5), BeNumerically("<=", 10)))
			for _, state := range seen.upToNow(ctx) {
				if condition := conditionIn(state.ClusterOperator, configv1.OperatorProgressing); condition.Status == configv1.ConditionTrue {
					Expect(condition.Reason).To(Equal("PlatformOperators_OperatorsChanging"))
				}
			}
			Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
			Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))
			seen.since(ctx)
		}

		By("installing")
		installed(ctx, pkg, "1.0.0")
		progressed("Installing 1 platform operator: mover")

		By("moving to another version")
		offer("1.0.0", "1.1.0")
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		progressed("Upgrading 1 platform operator: mover")

		By("editing and deleting what was applied, the Deployment included")
		settings := admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		_, err := settings.Patch(ctx, "mover-settings", types.MergePatchType, []byte(`{"data":{"version":"edited"}}`), metav1.PatchOptions{})
		Expect(err).NotTo(HaveOccurred())
		Eventually(func(ctx context.Context) (string, error) {
			live, err := settings.Get(ctx, "mover-settings", metav1.GetOptions{})
			return live.Data["version"], err
		}).WithContext(ctx).Should(Equal("1.1.0"))
		deployments := admin.Kubernetes.AppsV1().Deployments(pkg)
		before, err := deployments.Get(ctx, pkg, metav1.GetOptions{})
		Expect(err).NotTo(HaveOccurred())
		Expect(deployments.Delete(ctx, pkg, metav1.DeleteOptions{})).To(Succeed())
		Eventually(func(ctx context.Context) (types.UID, error) {
			live, err := deployments.Get(ctx, pkg, metav1.GetOptions{})
			return live.UID, err
		}).WithContext(ctx).ShouldNot(Or(BeEmpty(), Equal(before.UID)))
		another := func(than *corev1.Pod) *corev1.Pod { // waits for another Pod in the place of one
			GinkgoHelper()
			var pod *corev1.Pod
			Eventually(func(g Gomega, ctx context.Context) {
				var err error
				pod, err = onlyPod(ctx, pkg)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(than == nil || pod.UID != than.UID).To(BeTrue())
			}).WithContext(ctx).Should(Succeed())
			return pod
		}
		first := another(nil)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())

		By("having its Pod made anew")
		Expect(admin.Kubernetes.CoreV1().Pods(pkg).Delete(ctx, first.Name, metav1.DeleteOptions{})).To(Succeed())
		second := another(first)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())

		By("draining the nodes")
		cordoned(ctx, true)
		DeferCleanup(cordoned, false)
		Expect(admin.Kubernetes.CoreV1().Pods(pkg).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pkg, Name: second.Name}})).To(Succeed())
		third := another(second)
		Eventually(admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy).Should(Succeed())
		cordoned(ctx, false)
		Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, "1.1.0").Should(Succeed())
		Expect(onlyPod(ctx, pkg)).To(HaveField("UID", third.UID))
		Consistently(seen.statuses, "1s").WithContext(ctx).WithArguments(configv1.OperatorProgressing).Should(Equal([]string{"False"}))
		Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
		Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))

		By("removing it")
		remove(ctx, pkg)
		progressed("Removing 1 platform operator: mover")
	})
})
