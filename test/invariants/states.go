package invariants

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
)

// installedIsTrue is the rule that a BundleDeployment's Installed is True while all objects of its active revision exist. For a
// PlatformOperator, Installed is True if and only if status.installed names a bundle. When nothing is in progress, that is the bundle of
// the active revision. After a user has deleted the BundleDeployment, status.installed names the bundle that the manager reinstalls.
func installedIsTrue(c *Cluster) error {
	var errs []error
	for _, deployment := range c.Deployments() {
		errs = append(errs, c.checkDeploymentInstalled(deployment))
	}
	for _, operator := range c.Operators() {
		errs = append(errs, c.checkOperatorInstalled(operator))
	}
	return errors.Join(errs...)
}

func (c *Cluster) checkDeploymentInstalled(deployment *corev1alpha2.BundleDeployment) error {
	installed := condition(deployment.Status.Conditions, corev1alpha2.ConditionInstalled)
	active := c.revisions(deployment)[deployment.Status.ActiveRevision]
	if deployment.DeletionTimestamp != nil || active == nil || installed.Status == metav1.ConditionTrue {
		return nil
	}
	for _, each := range active.objects {
		if c.liveObject(keyOf(each)) == nil {
			return nil
		}
	}
	return fmt.Errorf("BundleDeployment %q has Installed=%s (%s), but all objects of its active revision %d exist",
		deployment.Name, installed.Status, installed.Reason, active.number)
}

func (c *Cluster) checkOperatorInstalled(operator *platformv1alpha1.PlatformOperator) error {
	installed, record := condition(operator.Status.Conditions, platformv1alpha1.ConditionInstalled), operator.Status.Installed
	if operator.DeletionTimestamp != nil || installed.Status == "" {
		return nil
	}
	isRestored := len(operator.Status.History) > 0 && operator.Status.History[0].Trigger == platformv1alpha1.TriggerRestored
	if (installed.Status == metav1.ConditionTrue) != (record != nil) && (!isRestored || record == nil) {
		return fmt.Errorf("PlatformOperator %q has Installed=%s (%s), but status.installed is set: %t",
			operator.Name, installed.Status, installed.Reason, record != nil)
	}
	deployment := c.Deployment(operator.Name)
	if record == nil || deployment == nil || c.operatorOf(deployment) != operator ||
		condition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing).Reason != corev1alpha2.ReasonAsExpected {
		return nil
	}
	for _, each := range deployment.Status.Revisions {
		if each.Number == deployment.Status.ActiveRevision && each.Version != "" && each.Version != record.Version {
			return fmt.Errorf("PlatformOperator %q has version %s in status.installed, but the active revision of its BundleDeployment has version %s",
				operator.Name, record.Version, each.Version)
		}
	}
	return nil
}

// generationIsObserved is the rule that status.observedGeneration and the observedGeneration of each condition equal metadata.generation.
// During a removal, the manager does not evaluate all conditions, so some may have an earlier generation.
func generationIsObserved(c *Cluster) error {
	var errs []error
	for _, each := range c.Deployments() {
		errs = append(errs, checkObserved("BundleDeployment", each, each.Status.ObservedGeneration, each.Status.Conditions))
	}
	for _, each := range c.Operators() {
		errs = append(errs, checkObserved("PlatformOperator", each, each.Status.ObservedGeneration, each.Status.Conditions))
	}
	return errors.Join(errs...)
}

func checkObserved(kind string, object metav1.Object, observed int64, conditions []metav1.Condition) error {
	if observed != object.GetGeneration() {
		return fmt.Errorf("%s %q has generation %d, but status.observedGeneration is %d",
			kind, object.GetName(), object.GetGeneration(), observed)
	}
	for _, each := range conditions {
		isEarlier := each.ObservedGeneration < object.GetGeneration()
		if each.ObservedGeneration > object.GetGeneration() || isEarlier && object.GetDeletionTimestamp() == nil {
			return fmt.Errorf("%s %q has generation %d, but observedGeneration of condition %s is %d",
				kind, object.GetName(), object.GetGeneration(), each.Type, each.ObservedGeneration)
		}
	}
	return nil
}

// isBusy reports whether a BundleDeployment is being removed, or whether Progressing has a reason other than AsExpected. In the latter case
// a rollout or pruning is in progress or blocked, and the cluster may differ from the active revision.
func isBusy(deployment *corev1alpha2.BundleDeployment) bool {
	progressing := condition(deployment.Status.Conditions, corev1alpha2.ConditionProgressing)
	return deployment.DeletionTimestamp != nil || progressing.Reason != corev1alpha2.ReasonAsExpected
}

// healthyIsReady is the rule that all objects of the active revision exist and its Deployments are available while Healthy is True and no
// other change is in progress. While a PlatformOperator's Healthy is True, that of its BundleDeployment is True.
func healthyIsReady(c *Cluster) error {
	var errs []error
	for _, deployment := range c.Deployments() {
		revision := c.revisions(deployment)[deployment.Status.ActiveRevision]
		healthy := condition(deployment.Status.Conditions, corev1alpha2.ConditionHealthy).Status == metav1.ConditionTrue
		operator := c.operatorOf(deployment)
		if operator != nil && operator.DeletionTimestamp == nil && !healthy &&
			condition(operator.Status.Conditions, platformv1alpha1.ConditionHealthy).Status == metav1.ConditionTrue {
			errs = append(errs, fmt.Errorf("PlatformOperator %q has Healthy=True, but its BundleDeployment does not", operator.Name))
		}
		if !healthy || revision == nil || isBusy(deployment) {
			continue
		}
		if err := c.checkReady(revision); err != nil {
			errs = append(errs, fmt.Errorf("BundleDeployment %q has Healthy=True, but %w", deployment.Name, err))
		}
	}
	return errors.Join(errs...)
}

// nothingRemains is the rule that no object that a revision listed still has the owner labels and the field manager of a removed
// BundleDeployment. The manager removes the labels from objects that a removal keeps.
func nothingRemains(c *Cluster) error {
	var errs []error
	for _, each := range c.Deployments() {
		c.revisions(each) // adds their objects to ruleState.applied
	}
	for of, objects := range c.state.applied {
		if c.Deployment(of.name) != nil {
			continue // a BundleDeployment of this name exists, which may have adopted the objects
		}
		for each := range objects {
			object := c.liveObject(each)
			if object != nil && object.GetDeletionTimestamp() == nil && marksOf(object).prove(of.name) {
				errs = append(errs, fmt.Errorf("BundleDeployment %q was removed, but %s still has its owner labels", of.name, each))
			}
		}
	}
	return errors.Join(errs...)
}
