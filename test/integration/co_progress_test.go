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

// podOf is the Pod of a version of a sample operator that runs and is not going away.
func podOf(ctx context.Context, pkg, version string) (*corev1.Pod, error) {
	found, err := admin.Kubernetes.CoreV1().Pods(pkg).List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"})
	if err != nil {
		return nil, err
	}
	for _, pod := range found.Items {
		if pod.DeletionTimestamp == nil && strings.HasSuffix(pod.Spec.Containers[0].Image, ":"+version) {
			return &pod, nil
		}
	}
	return nil, fmt.Errorf("no Pod of version %s runs in namespace %q", version, pkg)
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
				all = append(all, samples.Operator{Package: pkg, Version: version, ExtraConfigMap: "mover-settings", NeverReady: true})
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

		var pod *corev1.Pod
		ready := func(version string) { // has the Pod in the place of the one before get ready, which none does by itself
			GinkgoHelper()
			before := pod
			Eventually(func(g Gomega, ctx context.Context) {
				var err error
				pod, err = podOf(ctx, pkg, version)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(before == nil || pod.UID != before.UID).To(BeTrue(), "there is no other Pod")
			}).WithContext(ctx).Should(Succeed())
			podsAre(ctx, pkg, metav1.ConditionTrue)
			Eventually(admin.Installed).WithContext(ctx).WithArguments(pkg, version).Should(Succeed())
		}
		unhealthy := func() {
			GinkgoHelper()
			Eventually(admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy).Should(Succeed())
		}
		progresses := func() {
			GinkgoHelper()
			clusterOperatorSays(ctx, configv1.OperatorProgressing, configv1.ConditionTrue).Should(ContainSubstring(pkg))
		}

		By("installing")
		create(ctx, pkg, "")
		progresses()
		ready("1.0.0")
		progressed("Installing 1 platform operator: mover")

		By("moving to another version")
		offer("1.0.0", "1.1.0")
		progresses()
		ready("1.1.0")
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
		unhealthy()
		ready("1.1.0")

		By("having its Pod made anew")
		Expect(admin.Kubernetes.CoreV1().Pods(pkg).Delete(ctx, pod.Name, metav1.DeleteOptions{})).To(Succeed())
		unhealthy()
		ready("1.1.0")

		By("draining the nodes")
		cordoned(ctx, true)
		DeferCleanup(cordoned, false)
		Expect(admin.Kubernetes.CoreV1().Pods(pkg).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pkg, Name: pod.Name}})).To(Succeed())
		unhealthy()
		cordoned(ctx, false)
		ready("1.1.0")
		Consistently(seen.statuses, "1s").WithContext(ctx).WithArguments(configv1.OperatorProgressing).Should(Equal([]string{"False"}))
		Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
		Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))

		By("removing it, which is held up")
		hold := func(ctx context.Context, finalizers string) {
			GinkgoHelper()
			_, err := settings.Patch(ctx, "mover-settings", types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`), metav1.PatchOptions{})
			Expect(ignoreNotFound(err)).To(Succeed())
		}
		hold(ctx, `["integration.test/hold"]`)
		DeferCleanup(hold, "null")
		Expect(admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, pkg, metav1.DeleteOptions{})).To(Succeed())
		progresses()
		hold(ctx, "null")
		remove(ctx, pkg)
		progressed("Removing 1 platform operator: mover")
	})
})
