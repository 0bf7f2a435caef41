package workloads

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// nodeTakesPods reports whether the node is schedulable. It returns true if the Node does not exist. It reads the Node from the API server
// and not from a cache, so that a change to the Node affects all Pods that are created later.
func (r *Runner) nodeTakesPods(ctx context.Context) (bool, error) {
	node, err := r.controller.CoreV1().Nodes().Get(ctx, nodeName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading Node %q: %w", nodeName, err)
	}
	return !node.Spec.Unschedulable, nil
}

// createPod creates a Pod of a set, and binds it to the node if the node is schedulable or the set is a DaemonSet. If a Pod with this name
// exists, createPod returns true if the set owns the Pod, and false if it has a different owner. If createPod creates the Pod, it returns
// true.
func (r *Runner) createPod(ctx context.Context, set podSet, name, hash string) (bool, error) {
	takesPods, err := r.nodeTakesPods(ctx)
	if err != nil {
		return false, err
	}
	pod := set.pod(name, hash)
	if takesPods || set.kind.Kind == "DaemonSet" { // Pods of DaemonSets tolerate unschedulable nodes
		pod.Spec.NodeName = nodeName
	}
	_, err = r.controller.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) { // the cache is stale
		var live *corev1.Pod
		if live, err = r.controller.CoreV1().Pods(pod.Namespace).Get(ctx, name, metav1.GetOptions{}); err == nil {
			return metav1.IsControlledBy(live, set), nil
		}
	}
	if err != nil {
		return false, fmt.Errorf("creating Pod %q: %w", name, err)
	}
	return true, nil
}

// schedule binds a Pod of this package's controllers to the node, or marks the Pod as unschedulable if the node is unschedulable. It
// ignores other Pods and terminating Pods.
func (r *Runner) schedule(ctx context.Context, pod *corev1.Pod) error {
	if pod.Annotations[templateAnnotation] == "" || pod.DeletionTimestamp != nil {
		return nil
	}
	takesPods, err := r.nodeTakesPods(ctx)
	if err != nil {
		return err
	}
	if takesPods {
		return r.controller.CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}, Target: corev1.ObjectReference{Kind: "Node", Name: nodeName},
		}, metav1.CreateOptions{})
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonUnschedulable {
			return nil
		}
	}
	waiting := pod.DeepCopy()
	waiting.Status.Conditions = append(waiting.Status.Conditions, corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, LastTransitionTime: metav1.Now(),
		Message: "the node takes no new Pods",
	})
	_, err = r.controller.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, waiting, metav1.UpdateOptions{})
	return err
}

// queuePods queues all Pods that are not bound to a node.
func (r *Runner) queuePods() error {
	pods, err := r.pods.List(labels.Everything())
	if err != nil {
		return fmt.Errorf("listing Pods: %w", err)
	}
	for _, pod := range pods {
		if pod.Spec.NodeName == "" {
			r.queue.Add(key{"pods", pod.Namespace, pod.Name})
		}
	}
	return nil
}
