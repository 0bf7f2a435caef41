package scenario_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/openshift/platform-operators/pkg/scenario/workloads"
)

func podTemplate(name, image string) (*metav1.LabelSelector, corev1.PodTemplateSpec) {
	labels := map[string]string{"app": name}
	return &metav1.LabelSelector{MatchLabels: labels}, corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}},
	}
}

// pods waits until the cluster has settled, and returns the Pods in namespace "default", sorted, each as "image state". The state is a
// waiting reason, "ready" or "not ready".
func (s story) pods() []string {
	s.Helper()
	s.must(s.Settle())
	list, err := s.admin.CoreV1().Pods("default").List(s.Context(), metav1.ListOptions{})
	s.must(err)
	var all []string
	for _, pod := range list.Items {
		status := pod.Status.ContainerStatuses[0]
		state := "not ready"
		switch {
		case status.State.Waiting != nil:
			state = status.State.Waiting.Reason
		case status.Ready:
			state = "ready"
		}
		all = append(all, pod.Spec.Containers[0].Image+" "+state)
	}
	slices.Sort(all)
	return all
}

// condition returns a condition of a Deployment in namespace "default" as "status reason", or "" if the Deployment does not have the
// condition.
func (s story) condition(name string, conditionType appsv1.DeploymentConditionType) string {
	s.Helper()
	deployment, err := s.admin.AppsV1().Deployments("default").Get(s.Context(), name, metav1.GetOptions{})
	s.must(err)
	for _, condition := range deployment.Status.Conditions {
		if condition.Type == conditionType {
			return fmt.Sprint(condition.Status, " ", condition.Reason)
		}
	}
	return ""
}

func (s story) equal(what string, got, want any) {
	s.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		s.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestADeploymentRollsOut(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle())
		deployments := s.admin.AppsV1().Deployments("default")
		selector, template := podTemplate("d", "one")
		deployment, err := deployments.Create(s.Context(), &appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](2), Selector: selector, Template: template},
		}, metav1.CreateOptions{})
		s.must(err)
		s.equal("the Pods", s.pods(), "[one ready one ready]")
		s.equal("Available", s.condition("d", appsv1.DeploymentAvailable), "True MinimumReplicasAvailable")
		s.equal("Progressing", s.condition("d", appsv1.DeploymentProgressing), "True NewReplicaSetAvailable")

		s.must(s.SetPodBehavior(func(pod *corev1.Pod) workloads.Behavior {
			if pod.Spec.Containers[0].Image == "broken" {
				return workloads.Behavior{Waiting: "ImagePullBackOff"}
			}
			return workloads.Ready()
		}))
		set := func(image string) {
			deployment, err = deployments.Get(s.Context(), "d", metav1.GetOptions{})
			s.must(err)
			deployment.Spec.Template.Spec.Containers[0].Image = image
			_, err = deployments.Update(s.Context(), deployment, metav1.UpdateOptions{})
			s.must(err)
		}
		set("broken")
		s.equal("Pods beside one whose image cannot be pulled", s.pods(), "[broken ImagePullBackOff broken ImagePullBackOff one ready one ready]")
		s.equal("Available", s.condition("d", appsv1.DeploymentAvailable), "True MinimumReplicasAvailable")
		s.equal("Progressing", s.condition("d", appsv1.DeploymentProgressing), "True ReplicaSetUpdated")
		time.Sleep(11 * time.Minute)
		s.equal("Progressing after its deadline", s.condition("d", appsv1.DeploymentProgressing), "False ProgressDeadlineExceeded")

		set("two")
		s.equal("the Pods after the image was corrected", s.pods(), "[two ready two ready]")
		s.equal("Progressing", s.condition("d", appsv1.DeploymentProgressing), "True NewReplicaSetAvailable")

		s.must(s.SetPodBehavior(func(*corev1.Pod) workloads.Behavior { return workloads.Behavior{Waiting: "CrashLoopBackOff"} }))
		s.equal("the Pods when they crash", s.pods(), "[two CrashLoopBackOff two CrashLoopBackOff]")
		s.equal("Available", s.condition("d", appsv1.DeploymentAvailable), "False MinimumReplicasUnavailable")

		s.must(deployments.Delete(s.Context(), "d", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}))
		s.equal("the Pods after the Deployment was deleted", s.pods(), "[]")
		if _, err := deployments.Get(s.Context(), "d", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("the Deployment: %v", err)
		}
	})
}

func TestStatefulSetsAndDaemonSetsRunPods(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle())
		selector, template := podTemplate("s", "stateful")
		_, err := s.admin.AppsV1().StatefulSets("default").Create(s.Context(), &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: appsv1.StatefulSetSpec{Replicas: ptr.To[int32](2), Selector: selector, Template: template},
		}, metav1.CreateOptions{})
		s.must(err)
		selector, template = podTemplate("n", "daemon")
		_, err = s.admin.AppsV1().DaemonSets("default").Create(s.Context(), &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template},
		}, metav1.CreateOptions{})
		s.must(err)
		s.equal("the Pods", s.pods(), "[daemon ready stateful ready stateful ready]")
		stateful, err := s.admin.AppsV1().StatefulSets("default").Get(s.Context(), "s", metav1.GetOptions{})
		s.must(err)
		s.equal("the StatefulSet's ready replicas", stateful.Status.ReadyReplicas, 2)
		stateful.Spec.Template.Spec.Containers[0].Image = "later"
		_, err = s.admin.AppsV1().StatefulSets("default").Update(s.Context(), stateful, metav1.UpdateOptions{})
		s.must(err)
		s.equal("the Pods after an update", strings.Join(s.pods(), ", "), "daemon ready, later ready, later ready")
		daemon, err := s.admin.AppsV1().DaemonSets("default").Get(s.Context(), "n", metav1.GetOptions{})
		s.must(err)
		s.equal("the DaemonSet's ready Pods", fmt.Sprint(daemon.Status.NumberReady, " of ", daemon.Status.DesiredNumberScheduled), "1 of 1")
	})
}

func TestAJobRunsToItsEnd(t *testing.T) {
	run(t, nil, func(s story) {
		s.must(s.Settle())
		jobs := s.admin.BatchV1().Jobs("default")
		_, template := podTemplate("j", "worker")
		template.Spec.RestartPolicy = corev1.RestartPolicyNever
		_, err := jobs.Create(s.Context(), &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j"}, Spec: batchv1.JobSpec{
			Suspend: ptr.To(true), Completions: ptr.To[int32](3), Parallelism: ptr.To[int32](2), Template: template,
		}}, metav1.CreateOptions{})
		s.must(err)
		conditions := func() (all []string) {
			s.must(s.Settle())
			job, err := jobs.Get(s.Context(), "j", metav1.GetOptions{})
			s.must(err)
			for _, condition := range job.Status.Conditions {
				all = append(all, fmt.Sprint(condition.Type, " ", condition.Status, " ", condition.Reason))
			}
			return append(all, fmt.Sprint(job.Status.Active, " active, ", job.Status.Succeeded, " succeeded"))
		}
		s.equal("a suspended Job", conditions(), "[Suspended True JobSuspended 0 active, 0 succeeded]")
		s.equal("its Pods", s.pods(), "[]")

		s.must(s.SetPodBehavior(func(*corev1.Pod) workloads.Behavior { return workloads.Behavior{NotReady: true} }))
		_, err = jobs.Patch(s.Context(), "j", types.MergePatchType, []byte(`{"spec":{"suspend":false}}`), metav1.PatchOptions{})
		s.must(err)
		s.equal("a Job that runs", conditions(), "[Suspended False JobResumed 2 active, 0 succeeded]")

		s.must(s.SetPodBehavior(func(*corev1.Pod) workloads.Behavior { return workloads.Ready() }))
		s.equal("a Job that has run", conditions(), "[Suspended False JobResumed SuccessCriteriaMet True CompletionsReached Complete True CompletionsReached 0 active, 3 succeeded]")
		pods, err := s.admin.CoreV1().Pods("default").List(s.Context(), metav1.ListOptions{LabelSelector: "job-name=j", FieldSelector: "status.phase=Succeeded"})
		s.must(err)
		s.equal("the Pods that succeeded", len(pods.Items), 3)

		s.must(jobs.Delete(s.Context(), "j", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationBackground)}))
		s.equal("the Pods after the Job was deleted", s.pods(), "[]")
	})
}

func TestPodBehaviorIsTheFunctionThatWasSetLast(t *testing.T) {
	run(t, nil, func(s story) {
		current := func() workloads.Behavior { return s.PodBehavior()(&corev1.Pod{}) }
		s.equal("the default", current(), workloads.Ready())
		for _, reason := range []string{"ImagePullBackOff", "CrashLoopBackOff"} {
			s.must(s.SetPodBehavior(func(*corev1.Pod) workloads.Behavior { return workloads.Behavior{Waiting: reason} }))
			s.equal("the behavior that was set", current(), workloads.Behavior{Waiting: reason})
		}
		s.must(s.RestoreSnapshot(s.Snapshot()))
		s.equal("the behavior after a restore", current(), workloads.Behavior{Waiting: "CrashLoopBackOff"})
	})
}
