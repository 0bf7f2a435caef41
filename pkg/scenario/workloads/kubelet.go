package workloads

import (
	"context"
	"fmt"
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// nodeName is the name of the only node that runs Pods.
const nodeName = "worker-0"

// Behavior defines the status of a Pod over time. The zero value is the behavior of a Pod that is ready immediately.
type Behavior struct {
	// After is the time from the Pod's creation until it becomes ready, or until its containers wait. A Pod of a Job succeeds instead of
	// becoming ready.
	After time.Duration
	// Waiting is the waiting reason of the containers, such as "CrashLoopBackOff" or "ImagePullBackOff", and Message its message. Both are
	// empty if the containers run.
	Waiting, Message string
	// NotReady is true if the containers run but never become ready.
	NotReady bool
}

// Ready returns the behavior of a Pod that becomes ready one second after its creation.
func Ready() Behavior { return Behavior{After: time.Second} }

// Behavior returns the function that SetBehavior set last, or the default.
func (r *Runner) Behavior() func(*corev1.Pod) Behavior {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.behavior
}

// SetBehavior sets the function that returns the behavior of each Pod, including existing Pods. The Runner never calls the function
// concurrently.
func (r *Runner) SetBehavior(behavior func(*corev1.Pod) Behavior) error {
	r.mu.Lock()
	r.behavior = behavior
	r.mu.Unlock()
	pods, err := r.pods.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing Pods: %w", err)
	}
	for _, pod := range pods {
		r.queue.Add(key{"pods", pod.Namespace, pod.Name})
	}
	return nil
}

// syncPod schedules a Pod, sets its status, or completes its deletion. It ignores Pods on other nodes.
func (r *Runner) syncPod(ctx context.Context, k key) error {
	pod, err := r.pods.Pods(k.namespace).Get(k.name)
	if err != nil {
		return err
	}
	if pod.Spec.NodeName == "" {
		return r.schedule(ctx, pod)
	}
	if pod.Spec.NodeName != nodeName {
		return nil
	}
	if pod.DeletionTimestamp != nil {
		return r.kubelet.CoreV1().Pods(k.namespace).Delete(ctx, k.name, metav1.DeleteOptions{
			GracePeriodSeconds: ptr.To[int64](0), Preconditions: &metav1.Preconditions{UID: &pod.UID},
		})
	}
	if pod.Status.Phase == corev1.PodSucceeded {
		return nil
	}
	r.mu.Lock()
	behavior := r.behavior(pod)
	r.mu.Unlock()
	if wait := time.Until(pod.CreationTimestamp.Add(behavior.After)); wait > 0 {
		r.queue.AddAfter(k, wait)
		return nil
	}
	updated := pod.DeepCopy()
	behavior.setStatus(updated)
	if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "Job" && isReady(updated) {
		succeed(updated)
	}
	if apiequality.Semantic.DeepEqual(pod.Status, updated.Status) {
		return nil
	}
	_, err = r.kubelet.CoreV1().Pods(k.namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

// setStatus sets the status that a Pod with this behavior has after the time After has passed.
func (b Behavior) setStatus(pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodRunning
	if b.Waiting != "" && b.Waiting != "CrashLoopBackOff" {
		pod.Status.Phase = corev1.PodPending // no container has run yet
	}
	pod.Status.HostIP, pod.Status.PodIP = "192.0.2.10", podIP(pod)
	pod.Status.PodIPs = []corev1.PodIP{{IP: pod.Status.PodIP}}
	if pod.Status.StartTime == nil {
		pod.Status.StartTime = ptr.To(metav1.Now())
	}
	isReady := b.Waiting == "" && !b.NotReady
	pod.Status.ContainerStatuses = nil
	for _, container := range pod.Spec.Containers {
		status := corev1.ContainerStatus{Name: container.Name, Image: container.Image, Ready: isReady, Started: ptr.To(b.Waiting == "")}
		if b.Waiting != "" {
			status.State.Waiting = &corev1.ContainerStateWaiting{Reason: b.Waiting, Message: b.Message}
			if b.Waiting == "CrashLoopBackOff" {
				status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
					ExitCode: 1, Reason: "Error", StartedAt: *pod.Status.StartTime, FinishedAt: *pod.Status.StartTime,
				}
			}
		} else {
			status.State.Running = &corev1.ContainerStateRunning{StartedAt: *pod.Status.StartTime}
		}
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, status)
	}
	for _, condition := range []corev1.PodConditionType{corev1.PodReady, corev1.ContainersReady} {
		setPodCondition(pod, condition, isReady)
	}
	setPodCondition(pod, corev1.PodScheduled, true)
}

// succeed sets the status of a Pod whose containers have exited with code 0.
func succeed(pod *corev1.Pod) {
	pod.Status.Phase = corev1.PodSucceeded
	for i := range pod.Status.ContainerStatuses {
		container := &pod.Status.ContainerStatuses[i]
		container.Ready, container.Started = false, ptr.To(false)
		container.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			Reason: "Completed", StartedAt: *pod.Status.StartTime, FinishedAt: metav1.Now(),
		}}
	}
	for i := range pod.Status.Conditions {
		if condition := &pod.Status.Conditions[i]; condition.Type == corev1.PodReady || condition.Type == corev1.ContainersReady {
			condition.Status, condition.Reason = corev1.ConditionFalse, "PodCompleted"
		}
	}
}

func setPodCondition(pod *corev1.Pod, conditionType corev1.PodConditionType, isTrue bool) {
	status := corev1.ConditionFalse
	if isTrue {
		status = corev1.ConditionTrue
	}
	for i := range pod.Status.Conditions {
		condition := &pod.Status.Conditions[i]
		if condition.Type != conditionType {
			continue
		}
		if condition.Status != status {
			condition.Status, condition.LastTransitionTime = status, metav1.Now()
		}
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: conditionType, Status: status, LastTransitionTime: metav1.Now()})
}

// podIP returns an address that is derived from a hash of the Pod's namespace and name. Two Pods may have the same address.
func podIP(pod *corev1.Pod) string {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(pod.Namespace + "/" + pod.Name)) // never fails
	sum := hash.Sum32()
	return fmt.Sprintf("10.128.%d.%d", byte(sum>>8), byte(sum))
}

func isReady(pod *corev1.Pod) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}
