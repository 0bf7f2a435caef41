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

// nodeName is the one node on which Pods run.
const nodeName = "worker-0"

// Behavior says what becomes of a Pod.
type Behavior struct {
	// After is how long after its creation a Pod is ready, or fails. A Pod of a Job has succeeded then instead of being ready.
	After time.Duration
	// Waiting is why the containers do not run, such as "CrashLoopBackOff" or "ImagePullBackOff", and Message its explanation. Empty
	// for a Pod whose containers run.
	Waiting, Message string
	// NotReady is whether the containers run, and never become ready.
	NotReady bool
}

// Ready is the behavior of a Pod that is ready one second after its creation.
func Ready() Behavior { return Behavior{After: time.Second} }

// SetBehavior changes what becomes of Pods, those that run among them. The function is called with each Pod, from one goroutine.
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

// syncPod does what a kubelet does with a Pod on its node.
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

// setStatus sets the status of a Pod that behaves so.
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

// succeed sets the status of a Pod whose containers have ended without an error.
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

// podIP returns an address that follows from the Pod's name. Two Pods may share one.
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
