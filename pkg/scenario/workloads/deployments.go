package workloads

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// syncDeployment creates the ReplicaSet for a Deployment's template, and scales down older ReplicaSets when the new Pods are available, or
// immediately with strategy Recreate. It also updates the Deployment's status.
func (r *Runner) syncDeployment(ctx context.Context, k key) error {
	deployment, err := r.deployments.Deployments(k.namespace).Get(k.name)
	if err != nil || deployment.DeletionTimestamp != nil {
		return err
	}
	sets, err := r.setsOf(deployment)
	if err != nil {
		return err
	}
	want := ptr.Deref(deployment.Spec.Replicas, 1)
	hash, err := templateHash(deployment.Spec.Template)
	if err != nil {
		return err
	}
	name := deployment.Name + "-" + hash
	i := slices.IndexFunc(sets, func(set *appsv1.ReplicaSet) bool { return set.Name == name })
	if i < 0 {
		_, err := r.controller.AppsV1().ReplicaSets(k.namespace).Create(ctx, newSet(deployment, name), metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating ReplicaSet %q: %w", name, err)
		}
		return r.updateDeploymentStatus(ctx, k, deployment, sets, nil) // the new ReplicaSet's event triggers the next sync
	}
	current := sets[i]
	if err := r.scale(ctx, current, want); err != nil {
		return err
	}
	isRolledOut := current.Status.AvailableReplicas >= want && current.Status.ObservedGeneration == current.Generation
	for _, old := range sets {
		if old != current && (isRolledOut || deployment.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType) {
			if err := r.scale(ctx, old, 0); err != nil {
				return err
			}
		}
	}
	return r.updateDeploymentStatus(ctx, k, deployment, sets, current)
}

// setsOf returns the ReplicaSets of a Deployment that are not being deleted, sorted by name.
func (r *Runner) setsOf(deployment *appsv1.Deployment) ([]*appsv1.ReplicaSet, error) {
	all, err := r.replicaSets.ReplicaSets(deployment.Namespace).List(labels.Everything())
	if err != nil {
		return nil, fmt.Errorf("listing ReplicaSets: %w", err)
	}
	sets := slices.DeleteFunc(slices.Clone(all), func(set *appsv1.ReplicaSet) bool {
		return !metav1.IsControlledBy(set, deployment) || set.DeletionTimestamp != nil
	})
	slices.SortFunc(sets, func(a, b *appsv1.ReplicaSet) int { return strings.Compare(a.Name, b.Name) })
	return sets, nil
}

func newSet(deployment *appsv1.Deployment, name string) *appsv1.ReplicaSet {
	hash := name[strings.LastIndex(name, "-")+1:]
	template := *deployment.Spec.Template.DeepCopy()
	selector := deployment.Spec.Selector.DeepCopy()
	template.Labels = withHash(template.Labels, hash)
	selector.MatchLabels = withHash(selector.MatchLabels, hash)
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: deployment.Namespace, Labels: template.Labels,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(deployment, appsv1.SchemeGroupVersion.WithKind("Deployment"))},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: deployment.Spec.Replicas, Selector: selector, Template: template},
	}
}

func withHash(original map[string]string, hash string) map[string]string {
	copied := map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: hash}
	for key, value := range original {
		copied[key] = value
	}
	return copied
}

func (r *Runner) scale(ctx context.Context, set *appsv1.ReplicaSet, replicas int32) error {
	if ptr.Deref(set.Spec.Replicas, 1) == replicas {
		return nil
	}
	scaled := set.DeepCopy()
	scaled.Spec.Replicas = &replicas
	if _, err := r.controller.AppsV1().ReplicaSets(set.Namespace).Update(ctx, scaled, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("scaling ReplicaSet %q: %w", set.Name, err)
	}
	return nil
}

// updateDeploymentStatus sets the status from the replicas of all ReplicaSets. current is the ReplicaSet for the Deployment's template, or
// nil if it was just created. During a rollout, updateDeploymentStatus also queues the Deployment to be synced at its progress deadline.
func (r *Runner) updateDeploymentStatus(ctx context.Context, k key, deployment *appsv1.Deployment, sets []*appsv1.ReplicaSet, current *appsv1.ReplicaSet) error {
	want := ptr.Deref(deployment.Spec.Replicas, 1)
	updated := deployment.DeepCopy()
	status := appsv1.DeploymentStatus{ObservedGeneration: deployment.Generation, Conditions: updated.Status.Conditions}
	for _, set := range sets {
		status.Replicas += set.Status.Replicas
		status.ReadyReplicas += set.Status.ReadyReplicas
		status.AvailableReplicas += set.Status.AvailableReplicas
	}
	if current != nil {
		status.UpdatedReplicas = current.Status.Replicas
	}
	status.UnavailableReplicas = max(0, max(want, status.Replicas)-status.AvailableReplicas)
	isComplete := current != nil && status.UpdatedReplicas == want && status.Replicas == want && status.AvailableReplicas == want
	setAvailable(&status, status.AvailableReplicas >= want)
	if deadline := setProgressing(deployment, &status, isComplete); deadline > 0 {
		r.queue.AddAfter(k, deadline)
	}
	updated.Status = status
	if apiequality.Semantic.DeepEqual(deployment.Status, updated.Status) {
		return nil
	}
	_, err := r.controller.AppsV1().Deployments(k.namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

func setAvailable(status *appsv1.DeploymentStatus, isAvailable bool) {
	condition := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionFalse,
		Reason: "MinimumReplicasUnavailable", Message: "Deployment does not have minimum availability.",
	}
	if isAvailable {
		condition.Status, condition.Reason, condition.Message = corev1.ConditionTrue, "MinimumReplicasAvailable", "Deployment has minimum availability."
	}
	setCondition(status, condition)
}

// setProgressing sets condition Progressing. It returns the time until the rollout exceeds its progress deadline, or 0 if the rollout is
// complete or has exceeded the deadline.
func setProgressing(deployment *appsv1.Deployment, status *appsv1.DeploymentStatus, isComplete bool) time.Duration {
	condition := appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue}
	if isComplete {
		condition.Reason, condition.Message = "NewReplicaSetAvailable", fmt.Sprintf("Deployment %q has successfully progressed.", deployment.Name)
		setCondition(status, condition)
		return 0
	}
	condition.Reason, condition.Message = "ReplicaSetUpdated", fmt.Sprintf("Deployment %q is progressing.", deployment.Name)
	began := time.Now()
	for _, old := range deployment.Status.Conditions {
		if old.Type == condition.Type && old.Reason != "NewReplicaSetAvailable" && deployment.Status.ObservedGeneration == deployment.Generation {
			began = old.LastUpdateTime.Time // the rollout continues
		}
	}
	left := time.Until(began.Add(time.Duration(ptr.Deref(deployment.Spec.ProgressDeadlineSeconds, 600)) * time.Second))
	if left <= 0 {
		condition.Status, condition.Reason = corev1.ConditionFalse, "ProgressDeadlineExceeded"
		condition.Message = fmt.Sprintf("Deployment %q has timed out progressing.", deployment.Name)
		left = 0
	}
	condition.LastUpdateTime = metav1.NewTime(began)
	setCondition(status, condition)
	return left
}

// setCondition sets a condition. It keeps LastTransitionTime if the status is unchanged. A condition without LastUpdateTime gets the old
// LastUpdateTime if the condition is unchanged, and otherwise the current time.
func setCondition(status *appsv1.DeploymentStatus, condition appsv1.DeploymentCondition) {
	now := metav1.Now()
	condition.LastTransitionTime = now
	i := slices.IndexFunc(status.Conditions, func(old appsv1.DeploymentCondition) bool { return old.Type == condition.Type })
	if i >= 0 {
		old := status.Conditions[i]
		if old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
		}
		if condition.LastUpdateTime.IsZero() && old.Status == condition.Status && old.Reason == condition.Reason && old.Message == condition.Message {
			condition.LastUpdateTime = old.LastUpdateTime
		}
	}
	if condition.LastUpdateTime.IsZero() {
		condition.LastUpdateTime = now
	}
	if i < 0 {
		status.Conditions = append(status.Conditions, condition)
		return
	}
	status.Conditions[i] = condition
}
