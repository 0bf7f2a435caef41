package platformoperator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// maxHolders bounds the finalizers that are named.
const maxHolders = 3

// addFinalizer makes sure, before anything is created, that the removal will be seen.
func addFinalizer(ctx context.Context, s *state) (bool, error) {
	if slices.Contains(s.before.Finalizers, platformv1alpha1.Finalizer) {
		return false, nil
	}
	updated := s.before.DeepCopy()
	updated.Finalizers = append(updated.Finalizers, platformv1alpha1.Finalizer)
	stored, err := s.operatorClient.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	if err != nil {
		return true, err
	}
	s.before, s.operator = stored, stored.DeepCopy()
	return false, nil
}

// remove takes a deleted PlatformOperator's BundleDeployment away and lets the PlatformOperator go when that is gone. A
// BundleDeployment that belongs to somebody else is not touched.
func remove(ctx context.Context, s *state) (bool, error) {
	if s.operator.DeletionTimestamp == nil {
		return false, nil
	}
	if !slices.Contains(s.before.Finalizers, platformv1alpha1.Finalizer) {
		if held := heldBy(s.before.Finalizers); held != "" {
			s.setFrom(platformv1alpha1.ConditionProgressing, isFalse(platformv1alpha1.ReasonBlocked,
				fmt.Sprintf("The manager has let go of PlatformOperator %q, which %s.", s.before.Name, held)))
		}
		return true, nil
	}
	if s.deployment != nil && ownership.BelongsTo(s.deployment, s.operator) {
		if err := s.handOnDeletion(ctx); err != nil {
			return true, err
		}
		if s.deployment.DeletionTimestamp == nil {
			preconditions := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(s.deployment.UID))}
			if err := s.deploymentClient.Delete(ctx, s.deployment.Name, preconditions); err != nil && !apierrors.IsNotFound(err) {
				return true, fmt.Errorf("deleting its BundleDeployment: %w", err)
			}
			s.event(corev1.EventTypeNormal, platformv1alpha1.EventRemovalStarted, "Removing PlatformOperator %q", s.operator.Name)
		}
		if takenDown(s.deployment) { // what is not there keeps no cluster from its next version
			s.operator.Status.Installed, s.operator.Status.Target = nil, nil
			s.setFrom(platformv1alpha1.ConditionUpgradeable, upgradeableCondition(s.counted(), s.on.Version))
		}
		s.setFrom(platformv1alpha1.ConditionProgressing, removalCondition(s.deployment))
		s.setFrom(platformv1alpha1.ConditionHealthy, removalHealth(s))
		return true, nil
	}
	updated := s.before.DeepCopy()
	updated.Finalizers = slices.DeleteFunc(updated.Finalizers, func(name string) bool { return name == platformv1alpha1.Finalizer })
	_, err := s.operatorClient.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	if err == nil || apierrors.IsNotFound(err) {
		s.operator = nil // gone: there is no status left to write
		return true, nil
	}
	return true, fmt.Errorf("releasing its finalizer: %w", err)
}

// handOnDeletion makes the BundleDeployment's spec.deletion what the PlatformOperator says now: before the removal begins, so
// that it never begins by an earlier word, and while it lasts, because that is how a user lets one go on that is held by
// custom resources. Nothing else of a BundleDeployment matters any more.
func (s *state) handOnDeletion(ctx context.Context) error {
	if equality.Semantic.DeepEqual(s.deployment.Spec.Deletion, s.operator.Spec.Deletion) {
		return nil
	}
	updated := s.deployment.DeepCopy()
	updated.Spec.Deletion = s.operator.Spec.Deletion.DeepCopy()
	stored, err := s.deploymentClient.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	if apierrors.IsNotFound(err) {
		return nil // it went meanwhile, and the event of that will come
	}
	if err != nil {
		return fmt.Errorf("handing spec.deletion on to its BundleDeployment: %w", err)
	}
	if s.operator.Generation == s.operator.Status.ObservedGeneration {
		s.tellPutBack()
	}
	s.deployment = stored
	return nil
}

// removalCondition says how far the removal is, in the words of the BundleDeployment once that tells of it. One that does not go
// on before somebody does something is no progress.
func removalCondition(deployment *corev1alpha2.BundleDeployment) metav1.Condition {
	const begun = "The operator is being taken down"
	if takenDown(deployment) {
		return isFalse(platformv1alpha1.ReasonBlocked, fmt.Sprintf("What was applied has been taken down, or let go of; BundleDeployment %q %s.", deployment.Name, heldBy(deployment.Finalizers)))
	}
	if blocked := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionRemovalBlocked); blocked != nil && blocked.Status == metav1.ConditionTrue {
		return isFalse(platformv1alpha1.ReasonBlocked, "The removal waits: "+blocked.Message)
	}
	condition := meta.FindStatusCondition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	if condition == nil || condition.Reason != corev1alpha2.ReasonRemoving {
		return isTrue(platformv1alpha1.ReasonRemoving, begun+".")
	}
	return isTrue(platformv1alpha1.ReasonRemoving, describe(condition, begun)+".")
}

// removalHealth returns Healthy during a removal. It does not wait until the BundleDeployment reports that its health is no longer
// checked.
func removalHealth(s *state) metav1.Condition {
	if takenDown(s.deployment) {
		return healthyCondition(s)
	}
	return isUnknown(platformv1alpha1.ReasonUnknown, "It is being removed, and not looked after any more.")
}

// takenDown says whether nothing of the operator is left but the BundleDeployment itself, which somebody else's finalizers hold.
func takenDown(deployment *corev1alpha2.BundleDeployment) bool {
	return deployment.DeletionTimestamp != nil && heldBy(deployment.Finalizers) != ""
}

// heldBy says who holds an object that is being deleted when the manager does not any more; empty when nobody does for long: the
// manager itself, and Kubernetes' garbage collector, take their finalizers off.
func heldBy(finalizers []string) string {
	var others []string
	for _, name := range finalizers {
		switch name {
		case platformv1alpha1.Finalizer, corev1alpha2.Finalizer, corev1alpha2.FinalizerCachedBundle, corev1alpha2.FinalizerUnpackCache:
			return ""
		case metav1.FinalizerDeleteDependents, metav1.FinalizerOrphanDependents:
			continue
		}
		others = append(others, fmt.Sprintf("%q", name))
	}
	if len(others) == 0 {
		return ""
	}
	more := ""
	if len(others) > maxHolders {
		others, more = others[:maxHolders], fmt.Sprintf(" and %d more", len(others)-maxHolders)
	}
	return "is held by its finalizers " + strings.Join(others, ", ") + more +
		"; whoever set them has to take them off, and when nobody is left to do that, take them off by hand (metadata.finalizers)"
}
