package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	configv1 "github.com/openshift/api/config/v1"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/test/samples"
)

var errNoPod = errors.New("no Pod runs")

// podOf returns the running Pod of a version of a sample operator that is not being deleted, or an error that wraps errNoPod.
func (s *Story) podOf(ctx context.Context, pkg, version string) (*corev1.Pod, error) {
	found, err := s.Admin.Kubernetes.CoreV1().Pods(pkg).List(ctx, metav1.ListOptions{FieldSelector: "status.phase=Running"})
	if err != nil {
		return nil, err
	}
	for _, pod := range found.Items {
		if pod.DeletionTimestamp == nil && strings.HasSuffix(pod.Spec.Containers[0].Image, ":"+version) {
			return &pod, nil
		}
	}
	return nil, fmt.Errorf("%w of version %s in namespace %q", errNoPod, version, pkg)
}

// setUnschedulable cordons or uncordons all nodes.
func (s *Story) setUnschedulable(ctx context.Context, unschedulable bool) {
	s.Helper()
	nodes, err := s.Admin.Kubernetes.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	s.Expect(err).NotTo(HaveOccurred())
	s.Expect(nodes.Items).NotTo(BeEmpty())
	for _, node := range nodes.Items {
		_, err := s.Admin.Kubernetes.CoreV1().Nodes().Patch(ctx, node.Name, types.MergePatchType, fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, unschedulable), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
	}
}

// messages returns the messages of a condition in the states in which it was True, in order and without repetitions.
func (c *clusterOperatorHistory) messages(ctx context.Context, kind configv1.ClusterStatusConditionType) []string {
	c.Helper()
	var messages []string
	for _, state := range c.upToNow(ctx) {
		if condition := conditionIn(state.ClusterOperator, kind); condition.Status == configv1.ConditionTrue {
			messages = append(messages, condition.Message)
		}
	}
	return slices.Compact(messages)
}

// progressed waits until Progressing of the ClusterOperator is False. It asserts that Progressing was True once, with this message of five
// to ten words, and that Available was always True and Degraded always False. Then it resets the history.
func (c *clusterOperatorHistory) progressed(ctx context.Context, message string) {
	c.Helper()
	c.eventuallyClusterOperator(ctx, configv1.OperatorProgressing, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
	c.Expect(c.statuses(ctx, configv1.OperatorProgressing)).To(Equal([]string{"False", "True", "False"}))
	messages := c.messages(ctx, configv1.OperatorProgressing)
	c.Expect(messages).To(Equal([]string{"PlatformOperatorsProgressing: " + message}))
	c.Expect(len(strings.Fields(messages[0]))).To(And(BeNumerically(">=", 5), BeNumerically("<=", 10)))
	for _, state := range c.upToNow(ctx) {
		if condition := conditionIn(state.ClusterOperator, configv1.OperatorProgressing); condition.Status == configv1.ConditionTrue {
			c.Expect(condition.Reason).To(Equal("PlatformOperators_OperatorsChanging"))
		}
	}
	c.Expect(c.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
	c.Expect(c.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))
	c.reset(ctx)
}

// readyPod waits for a Pod of the version that is not before, makes it ready, and waits until the version is installed. It returns the Pod.
// If before is nil, it waits for any Pod of the version.
func (s *Story) readyPod(ctx context.Context, pkg, version string, before *corev1.Pod) *corev1.Pod {
	s.Helper()
	var pod *corev1.Pod
	s.Eventually(func(g Gomega, ctx context.Context) {
		var err error
		pod, err = s.podOf(ctx, pkg, version)
		g.Expect(err).NotTo(HaveOccurred())
		if before != nil {
			g.Expect(pod.UID).NotTo(Equal(before.UID), "there is no other Pod")
		}
	}).WithContext(ctx).Should(Succeed())
	s.setPodsReady(ctx, pkg, metav1.ConditionTrue)
	s.Eventually(s.Admin.Installed).WithContext(ctx).WithArguments(pkg, version).Should(Succeed())
	return pod
}

func TestClusterOperatorProgressing(t *testing.T) {
	t.Parallel()
	// Promise CLU-O11: Progressing of the ClusterOperator is True, in five to ten words, during an installation, an upgrade step and a
	// removal. It stays False during drift repair, when a Pod is replaced, and while nodes are drained.
	runStory(t, "CLU-O11 Progressing is True for an installation, an upgrade step and a removal, and not for repairs, replaced Pods or drains", defaultOperators, func(ctx context.Context, s *Story) {
		const pkg = "mover"
		offer := func(versions ...string) {
			s.Helper()
			var all []samples.Operator
			for _, version := range versions {
				all = append(all, samples.Operator{Package: pkg, Version: version, ExtraConfigMap: "mover-settings", NeverReady: true})
			}
			s.Expect(s.Admin.Publish(ctx, all...)).To(Succeed())
		}
		offer("1.0.0")
		s.eventuallyClusterOperator(ctx, configv1.OperatorProgressing, configv1.ConditionFalse).Should(HavePrefix("AsExpected: "))
		seen := s.recordClusterOperator(ctx)
		unhealthy := func() {
			s.Helper()
			s.Eventually(s.Admin.OperatorHas).WithContext(ctx).WithArguments(pkg, platformv1alpha1.ConditionHealthy, metav1.ConditionFalse, platformv1alpha1.ReasonUnhealthy).Should(Succeed())
		}
		progresses := func() {
			s.Helper()
			s.eventuallyClusterOperator(ctx, configv1.OperatorProgressing, configv1.ConditionTrue).Should(ContainSubstring(pkg))
		}

		s.By("installing")
		s.create(ctx, pkg, "")
		progresses()
		pod := s.readyPod(ctx, pkg, "1.0.0", nil)
		seen.progressed(ctx, "Installing 1 platform operator: mover")

		s.By("upgrading")
		offer("1.0.0", "1.1.0")
		progresses()
		pod = s.readyPod(ctx, pkg, "1.1.0", pod)
		seen.progressed(ctx, "Upgrading 1 platform operator: mover")

		s.By("editing and deleting what was applied, the Deployment included")
		settings := s.Admin.Kubernetes.CoreV1().ConfigMaps(pkg)
		_, err := settings.Patch(ctx, "mover-settings", types.MergePatchType, []byte(`{"data":{"version":"edited"}}`), metav1.PatchOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Eventually(func(ctx context.Context) (string, error) {
			live, err := settings.Get(ctx, "mover-settings", metav1.GetOptions{})
			return live.Data["version"], err
		}).WithContext(ctx).Should(Equal("1.1.0"))
		deployments := s.Admin.Kubernetes.AppsV1().Deployments(pkg)
		before, err := deployments.Get(ctx, pkg, metav1.GetOptions{})
		s.Expect(err).NotTo(HaveOccurred())
		s.Expect(deployments.Delete(ctx, pkg, metav1.DeleteOptions{})).To(Succeed())
		s.Eventually(func(ctx context.Context) (types.UID, error) {
			live, err := deployments.Get(ctx, pkg, metav1.GetOptions{})
			return live.UID, err
		}).WithContext(ctx).ShouldNot(Or(BeEmpty(), Equal(before.UID)))
		unhealthy()
		pod = s.readyPod(ctx, pkg, "1.1.0", pod)

		s.By("deleting its Pod")
		s.Expect(s.Admin.Kubernetes.CoreV1().Pods(pkg).Delete(ctx, pod.Name, metav1.DeleteOptions{})).To(Succeed())
		unhealthy()
		pod = s.readyPod(ctx, pkg, "1.1.0", pod)

		s.By("draining the nodes")
		s.setUnschedulable(ctx, true)
		s.Expect(s.Admin.Kubernetes.CoreV1().Pods(pkg).EvictV1(ctx, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pkg, Name: pod.Name}})).To(Succeed())
		unhealthy()
		s.Consistently(func(ctx context.Context) error { _, err := s.podOf(ctx, pkg, "1.1.0"); return err }).WithContext(ctx).Should(MatchError(errNoPod))
		s.setUnschedulable(ctx, false)
		s.readyPod(ctx, pkg, "1.1.0", pod)
		s.Consistently(seen.statuses, "30s").WithContext(ctx).WithArguments(configv1.OperatorProgressing).Should(Equal([]string{"False"}))
		s.Expect(seen.statuses(ctx, configv1.OperatorAvailable)).To(Equal([]string{"True"}))
		s.Expect(seen.statuses(ctx, configv1.OperatorDegraded)).To(Equal([]string{"False"}))

		s.By("removing it, with a finalizer that blocks")
		hold := func(ctx context.Context, finalizers string) {
			s.Helper()
			_, err := settings.Patch(ctx, "mover-settings", types.MergePatchType, []byte(`{"metadata":{"finalizers":`+finalizers+`}}`), metav1.PatchOptions{})
			s.Expect(ignoreNotFound(err)).To(Succeed())
		}
		hold(ctx, `["integration.test/hold"]`)
		s.Expect(s.Admin.Platform.PlatformV1alpha1().PlatformOperators().Delete(ctx, pkg, metav1.DeleteOptions{})).To(Succeed())
		progresses()
		hold(ctx, "null")
		s.remove(ctx, pkg)
		seen.progressed(ctx, "Removing 1 platform operator: mover")
	})
}
