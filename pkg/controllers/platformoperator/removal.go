package platformoperator

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/finalizer"
	"github.com/openshift/platform-operators/pkg/operatorstatus"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// addFinalizer adds the finalizer, if it is missing, before anything is created, so that the manager handles the deletion.
func (c *controller) addFinalizer(ctx context.Context, r *reconciliation) (done bool, err error) {
	if slices.Contains(r.operator.Finalizers, platformv1alpha1.Finalizer) {
		return false, nil
	}
	stored, err := c.setFinalizers(ctx, r.operator, append(slices.Clone(r.operator.Finalizers), platformv1alpha1.Finalizer))
	if err != nil {
		return true, err
	}
	r.operator = stored
	return false, nil
}

// setFinalizers replaces the finalizers of a PlatformOperator, and returns the PlatformOperator as it is stored.
func (c *controller) setFinalizers(ctx context.Context, operator *platformv1alpha1.PlatformOperator, finalizers []string) (*platformv1alpha1.PlatformOperator, error) {
	patch, err := finalizer.MergePatch(operator, finalizers)
	if err != nil {
		return nil, err
	}
	return c.operatorClient.Patch(ctx, operator.Name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: fieldManager})
}

// remove deletes the BundleDeployment of a deleted PlatformOperator. When the BundleDeployment no longer exists, remove removes the
// finalizer. It does not change a BundleDeployment that belongs to another owner. If the PlatformOperator is not being deleted, it does
// nothing and done is false.
func (c *controller) remove(ctx context.Context, r *reconciliation) (done bool, err error) {
	if r.operator.DeletionTimestamp == nil {
		return false, nil
	}
	holds := slices.Contains(r.operator.Finalizers, platformv1alpha1.Finalizer)
	deployment := r.current.Deployment
	if holds && (deployment == nil || !ownership.BelongsTo(deployment, r.operator)) {
		return true, c.release(ctx, r.operator)
	}
	if holds {
		if err := c.deleteDeployment(ctx, r); err != nil {
			return true, err
		}
	}
	if deployment != nil && !ownership.BelongsTo(deployment, r.operator) {
		r.current.Deployment = nil
	}
	status := operatorstatus.Removal(c.statusInput(r))
	r.status = &status
	return true, nil
}

func (c *controller) deleteDeployment(ctx context.Context, r *reconciliation) error {
	if err := c.propagateDeletion(ctx, r); err != nil {
		return err
	}
	deployment := r.current.Deployment
	if deployment.DeletionTimestamp != nil {
		return nil
	}
	preconditions := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(deployment.UID))}
	if err := c.deploymentClient.Delete(ctx, deployment.Name, preconditions); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting its BundleDeployment: %w", err)
	}
	c.normalEvent(r.operator, platformv1alpha1.EventRemovalStarted, "Removing PlatformOperator %q", r.operator.Name)
	return nil
}

// release removes the manager's finalizer, so that the API server deletes the PlatformOperator. After that, there is no status to write. A
// PlatformOperator that does not exist is not an error.
func (c *controller) release(ctx context.Context, operator *platformv1alpha1.PlatformOperator) error {
	others := slices.DeleteFunc(slices.Clone(operator.Finalizers), func(name string) bool { return name == platformv1alpha1.Finalizer })
	if _, err := c.setFinalizers(ctx, operator, others); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("releasing its finalizer: %w", err)
	}
	return nil
}

// propagateDeletion copies spec.deletion to the BundleDeployment, if it differs. It does so before the removal starts, so that the removal
// never uses an earlier setting. It also does so during the removal, because a user changes the setting to continue a removal that custom
// resources block. Other fields of the BundleDeployment no longer have an effect.
func (c *controller) propagateDeletion(ctx context.Context, r *reconciliation) error {
	if equality.Semantic.DeepEqual(r.current.Deployment.Spec.Deletion, r.operator.Spec.Deletion) {
		return nil
	}
	updated := r.current.Deployment.DeepCopy()
	updated.Spec.Deletion = r.operator.Spec.Deletion.DeepCopy()
	stored, err := c.deploymentClient.Update(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	if apierrors.IsNotFound(err) {
		return nil // the watch event of its deletion enqueues the PlatformOperator
	}
	if err != nil {
		return fmt.Errorf("handing spec.deletion on to its BundleDeployment: %w", err)
	}
	if r.operator.Generation == r.operator.Status.ObservedGeneration {
		c.publishReverted(r)
	}
	r.current.Deployment = stored
	return nil
}
