package scenario_test

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// placed waits until the cluster has settled, and returns the Pods in namespace "default", sorted, each as label "app", quoted node name
// and phase.
func (s story) placed() []string {
	s.Helper()
	s.must(s.Settle())
	list, err := s.admin.CoreV1().Pods("default").List(s.Context(), metav1.ListOptions{})
	s.must(err)
	var all []string
	for _, pod := range list.Items {
		all = append(all, fmt.Sprintf("%s %q %s", pod.Labels["app"], pod.Spec.NodeName, pod.Status.Phase))
	}
	slices.Sort(all)
	return all
}

func (s story) setUnschedulable(unschedulable bool) {
	s.Helper()
	_, err := s.admin.CoreV1().Nodes().Patch(s.Context(), "worker-0", types.MergePatchType, fmt.Appendf(nil, `{"spec":{"unschedulable":%t}}`, unschedulable), metav1.PatchOptions{})
	s.must(err)
}

func TestADrainedNodeTakesNoPods(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle())
		_, err := s.admin.CoreV1().Nodes().Create(s.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-0"}}, metav1.CreateOptions{})
		s.must(err)
		selector, template := podTemplate("d", "one")
		_, err = s.admin.AppsV1().Deployments("default").Create(s.Context(), &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DeploymentSpec{Selector: selector, Template: template},
		}, metav1.CreateOptions{})
		s.must(err)
		s.equal("the Pods", s.placed(), `[d "worker-0" Running]`)

		budgets := s.admin.PolicyV1().PodDisruptionBudgets("default")
		_, err = budgets.Create(s.Context(), &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: policyv1.PodDisruptionBudgetSpec{Selector: selector}}, metav1.CreateOptions{})
		s.must(err)
		pods, err := s.admin.CoreV1().Pods("default").List(s.Context(), metav1.ListOptions{})
		s.must(err)
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: pods.Items[0].Name}}
		if err := s.admin.CoreV1().Pods("default").EvictV1(s.Context(), eviction); !apierrors.IsTooManyRequests(err) {
			t.Errorf("evicting a Pod that has a budget: %v", err)
		}
		s.must(budgets.Delete(s.Context(), "d", metav1.DeleteOptions{}))

		s.setUnschedulable(true)
		s.must(s.admin.CoreV1().Pods("default").EvictV1(s.Context(), eviction))
		selector, template = podTemplate("n", "one")
		_, err = s.admin.AppsV1().DaemonSets("default").Create(s.Context(), &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template},
		}, metav1.CreateOptions{})
		s.must(err)
		s.equal("the Pods while the node takes none", s.placed(), `[d "" Pending n "worker-0" Running]`)
		s.setUnschedulable(false)
		s.equal("the Pods when it takes some again", s.placed(), `[d "worker-0" Running n "worker-0" Running]`)
	})
}
