package workloads

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func (r *Runner) syncReplicaSet(ctx context.Context, k key) error {
	set, err := r.replicaSets.ReplicaSets(k.namespace).Get(k.name)
	if err != nil || set.DeletionTimestamp != nil {
		return err
	}
	found, err := r.syncPods(ctx, podSet{set, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), set.Spec.Template, int(ptr.Deref(set.Spec.Replicas, 1))})
	if err != nil {
		return err
	}
	updated := set.DeepCopy()
	updated.Status = appsv1.ReplicaSetStatus{
		Replicas: found.all, FullyLabeledReplicas: found.all, ReadyReplicas: found.ready, AvailableReplicas: found.ready,
		ObservedGeneration: set.Generation,
	}
	if apiequality.Semantic.DeepEqual(set.Status, updated.Status) {
		return nil
	}
	_, err = r.controller.AppsV1().ReplicaSets(k.namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

func (r *Runner) syncStatefulSet(ctx context.Context, k key) error {
	set, err := r.statefulSets.StatefulSets(k.namespace).Get(k.name)
	if err != nil || set.DeletionTimestamp != nil {
		return err
	}
	found, err := r.syncPods(ctx, podSet{set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"), set.Spec.Template, int(ptr.Deref(set.Spec.Replicas, 1))})
	if err != nil {
		return err
	}
	hash, err := templateHash(set.Spec.Template)
	if err != nil {
		return err
	}
	updated, revision := set.DeepCopy(), set.Name+"-"+hash
	updated.Status = appsv1.StatefulSetStatus{
		Replicas: found.all, ReadyReplicas: found.ready, AvailableReplicas: found.ready, CurrentReplicas: found.all, UpdatedReplicas: found.all,
		CurrentRevision: revision, UpdateRevision: revision, CollisionCount: ptr.To[int32](0), ObservedGeneration: set.Generation,
	}
	if apiequality.Semantic.DeepEqual(set.Status, updated.Status) {
		return nil
	}
	_, err = r.controller.AppsV1().StatefulSets(k.namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

// syncDaemonSet runs one Pod of a DaemonSet, because only one node runs Pods, and updates the DaemonSet's status.
func (r *Runner) syncDaemonSet(ctx context.Context, k key) error {
	set, err := r.daemonSets.DaemonSets(k.namespace).Get(k.name)
	if err != nil || set.DeletionTimestamp != nil {
		return err
	}
	found, err := r.syncPods(ctx, podSet{set, appsv1.SchemeGroupVersion.WithKind("DaemonSet"), set.Spec.Template, 1})
	if err != nil {
		return err
	}
	updated := set.DeepCopy()
	updated.Status = appsv1.DaemonSetStatus{
		CurrentNumberScheduled: found.all, DesiredNumberScheduled: 1, NumberReady: found.ready, NumberAvailable: found.ready,
		NumberUnavailable: 1 - found.ready, UpdatedNumberScheduled: found.all, ObservedGeneration: set.Generation,
	}
	if apiequality.Semantic.DeepEqual(set.Status, updated.Status) {
		return nil
	}
	_, err = r.controller.AppsV1().DaemonSets(k.namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}
