package platformoperator

import (
	"cmp"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/deploymentspec"
	"github.com/openshift/platform-operators/pkg/operatorstatus"
	"github.com/openshift/platform-operators/pkg/upgradestep"
)

// deploy executes the decided step. It creates the BundleDeployment, updates it if a step starts or another client changed a field that
// this controller sets, or deletes it to install it in another namespace. It does not change fields that other clients set. It does
// nothing if the step has no bundle or is postponed. done is true if the PlatformOperator no longer exists, or if the cache has an earlier
// spec of it.
func (c *controller) deploy(ctx context.Context, r *reconciliation) (done bool, err error) {
	if r.step.Bundle == nil || r.step.Postponed {
		return false, nil
	}
	write := c.create
	if r.current.Deployment != nil {
		if write = c.change(r); write == nil {
			return false, nil
		}
	}
	if isCurrent, err := c.isCurrent(ctx, r.operator); err != nil || !isCurrent {
		return true, err
	}
	return false, write(ctx, r)
}

// change returns the write that changes the existing BundleDeployment; nil if it needs no change.
func (c *controller) change(r *reconciliation) func(context.Context, *reconciliation) error {
	if namespace := deploymentspec.NamespaceToMoveTo(r.operator, r.current, r.stepInput.Decision.Chosen); namespace != "" {
		return func(ctx context.Context, r *reconciliation) error { return c.moveToNamespace(ctx, r, namespace) }
	}
	desired := c.desiredDeployment(r)
	if equality.Semantic.DeepEqual(desired, r.current.Deployment) {
		return nil
	}
	return func(ctx context.Context, r *reconciliation) error { return c.update(ctx, r, desired) }
}

// desiredDeployment returns the existing BundleDeployment with the fields that follow from the step's bundle and the spec.
func (c *controller) desiredDeployment(r *reconciliation) *corev1alpha2.BundleDeployment {
	deployment := r.current.Deployment
	desired := deploymentspec.New(r.operator, *r.step.Bundle, cmp.Or(r.step.Start, r.current.Start), deployment.Spec.InstallNamespace)
	return deploymentspec.Merge(deployment, desired, r.operator)
}

// isCurrent reports whether the PlatformOperator still exists on the API server, with the same spec. An informer that is behind may still
// contain a deleted one, or an earlier spec. Without this check, the manager would create a BundleDeployment that the garbage collector
// deletes again and again until the informer catches up. It could also go back to the version or the namespace of the earlier spec, or end a
// pause.
func (c *controller) isCurrent(ctx context.Context, operator *platformv1alpha1.PlatformOperator) (bool, error) {
	live, err := c.operatorClient.Get(ctx, operator.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil // the watch event enqueues it
	}
	if err != nil {
		return false, fmt.Errorf("reading it before its BundleDeployment is written: %w", err)
	}
	return live.UID == operator.UID && live.Generation == operator.Generation && live.DeletionTimestamp == nil, nil
}

func (c *controller) create(ctx context.Context, r *reconciliation) error {
	bundle := *r.step.Bundle
	namespace, isDefault := deploymentspec.InstallNamespace(r.operator, r.stepInput.Decision.Chosen)
	desired := deploymentspec.New(r.operator, bundle, r.step.Start, namespace)
	if isDefault {
		desired.Annotations[platformv1alpha1.AnnotationNamespaceDefaulted] = "true"
	}
	created, err := c.deploymentClient.Create(ctx, desired, metav1.CreateOptions{FieldManager: fieldManager})
	if apierrors.IsInvalid(err) {
		remedy := "Exclude it in spec.package.version, or set another spec.install.namespace"
		if r.step.Action == upgradestep.Restore { // whatever the version range is
			remedy = "Correct spec.install, or delete the PlatformOperator and create it again"
		}
		r.refuse("Version %s cannot be installed in namespace %q: %v. %s.", bundle.Version, namespace, err, remedy)
		return nil
	}
	if err != nil {
		return fmt.Errorf("creating its BundleDeployment: %w", err)
	}
	c.normalEvent(r.operator, platformv1alpha1.EventInstallStarted, "Installing version %s of package %q for PlatformOperator %q in namespace %q",
		bundle.Version, r.operator.Spec.Package.Name, r.operator.Name, created.Spec.InstallNamespace)
	r.setCurrent(created, r.step.Start)
	return nil
}

// update updates the BundleDeployment. If the API server rejects the update, update reports that in the status and returns nil.
func (c *controller) update(ctx context.Context, r *reconciliation, desired *corev1alpha2.BundleDeployment) error {
	stored, err := c.deploymentClient.Update(ctx, desired, metav1.UpdateOptions{FieldManager: fieldManager})
	if apierrors.IsInvalid(err) { // the existing BundleDeployment stays
		r.refuse("Version %s cannot be put into BundleDeployment %q: %v. Exclude it in spec.package.version, or correct spec.install.",
			r.step.Bundle.Version, desired.Name, err)
		return nil
	}
	if err != nil {
		return fmt.Errorf("updating its BundleDeployment: %w", err)
	}
	start := cmp.Or(r.step.Start, r.current.Start)
	c.publishUpdate(r, start)
	r.setCurrent(stored, start)
	return nil
}

// publishUpdate sends the Event for an update to the BundleDeployment: either a step has started, or another client's change was reverted.
// It sends none if a change to the spec or to the recorded bundle caused the update.
func (c *controller) publishUpdate(r *reconciliation, start *upgradestep.StepStart) {
	from, to := r.current.Recorded, r.step.Bundle
	if text := operatorstatus.SettingsStep(start, to); r.step.Start != nil && text != "" {
		c.normalEvent(r.operator, platformv1alpha1.EventUpgradeStarted, "PlatformOperator %q: %s", r.operator.Name, text)
		return
	}
	if from == nil || !upgradestep.SameBundle(*from, *to) {
		if upgradestep.IsNotRetried(r.current.Deployment) {
			from = r.operator.Status.Installed // the recorded bundle does not run
		}
		c.normalEvent(r.operator, platformv1alpha1.EventUpgradeStarted, "Moving PlatformOperator %q from version %s to version %s%s",
			r.operator.Name, operatorstatus.VersionOf(from), to.Version, selfCertification(start))
		return
	}
	// If the recorded bundle differs, the manager caused the update, because the catalog may now describe the bundle differently. The
	// manager also caused it if the recorded settings differ, because the BundleDeployment was written by a manager that did not record
	// them.
	isSameSpec := r.operator.Generation == r.operator.Status.ObservedGeneration
	if isSameSpec && equality.Semantic.DeepEqual(from, to) && deploymentspec.HasRecordedSettings(r.operator, r.current.Deployment) {
		c.publishReverted(r)
	}
}

// selfCertification returns the suffix of an Event for a step that is permitted only by the admin, through SelfCertified edges; empty for
// other steps.
func selfCertification(start *upgradestep.StepStart) string {
	if start != nil && start.Trigger == platformv1alpha1.TriggerSelfCertified {
		return ", which only SelfCertified edges permit"
	}
	return ""
}

// publishReverted sends the Event that reports that another client's change to the BundleDeployment was reverted.
func (c *controller) publishReverted(r *reconciliation) {
	c.normalEvent(r.operator, platformv1alpha1.EventBundleDeploymentReverted, "BundleDeployment %q was changed by another client; the manager reverted the change. Change PlatformOperator %q instead",
		r.current.Deployment.Name, r.operator.Name)
}

// setCurrent makes the written BundleDeployment and its step the current state of the sync.
func (r *reconciliation) setCurrent(deployment *corev1alpha2.BundleDeployment, start *upgradestep.StepStart) {
	r.current.Deployment, r.current.Recorded, r.current.Start = deployment, r.step.Bundle, start
}

// moveToNamespace deletes the BundleDeployment, because its install namespace is immutable. A later sync creates it again in the given
// namespace. If the BundleDeployment has changed since it was read, moveToNamespace does not delete it, because it may be installed by now.
func (c *controller) moveToNamespace(ctx context.Context, r *reconciliation, namespace string) error {
	deployment := r.current.Deployment
	preconditions := metav1.NewUIDPreconditions(string(deployment.UID))
	preconditions.ResourceVersion = &deployment.ResourceVersion
	err := c.deploymentClient.Delete(ctx, deployment.Name, metav1.DeleteOptions{Preconditions: preconditions})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil // the watch event enqueues the PlatformOperator
	}
	if err != nil {
		return fmt.Errorf("deleting its BundleDeployment, to install it in namespace %q: %w", namespace, err)
	}
	c.normalEvent(r.operator, platformv1alpha1.EventRemovalStarted,
		"Removing the unfinished installation of PlatformOperator %q in namespace %q, to install it in namespace %q",
		r.operator.Name, deployment.Spec.InstallNamespace, namespace)
	return nil
}
