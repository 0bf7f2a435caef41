package bundledeployment

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/ownership"
)

// isClaimed reports whether a PlatformOperator of the same name exists that does not own the BundleDeployment.
func (c *controller) isClaimed(deployment *corev1alpha2.BundleDeployment) (bool, error) {
	operator, err := c.operators.Get(deployment.Name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading PlatformOperator %q: %w", deployment.Name, err)
	}
	return !ownership.BelongsTo(deployment, operator), nil
}

// checkName ends the sync of a BundleDeployment that has the name of a PlatformOperator that does not own it. The labels and the field
// manager of both would be the same, so that either would take the other's objects for its own.
func checkName(_ context.Context, s *reconciliation) (bool, error) {
	claimed, err := s.c.isClaimed(s.before)
	if claimed {
		s.reportClaimed()
	}
	return claimed || err != nil, err
}

func (s *reconciliation) reportClaimed() {
	name := s.deployment.Name
	why := fmt.Sprintf("PlatformOperator %q has this name and does not own this BundleDeployment: "+
		"the manager fetches, applies, repairs and prunes nothing for it. "+
		"To install the PlatformOperator, delete this BundleDeployment (\"kubectl delete bundledeployment %s\"). "+
		"To keep this BundleDeployment, delete the PlatformOperator.", name, name)
	s.deployment.Status.ObservedGeneration = s.deployment.Generation
	installed, reason := metav1.ConditionFalse, corev1alpha2.ReasonInstallFailed
	if meta.IsStatusConditionTrue(s.before.Status.Conditions, corev1alpha2.ConditionInstalled) {
		installed, reason = metav1.ConditionTrue, corev1alpha2.ReasonReconcileFailed
	}
	s.set(metav1.Condition{Type: corev1alpha2.ConditionInstalled, Status: installed, Reason: reason, Message: why})
	s.set(metav1.Condition{Type: corev1alpha2.ConditionProgressing, Status: metav1.ConditionFalse, Reason: corev1alpha2.ReasonBlocked, Message: why})
	const looks = "Not evaluated: a PlatformOperator has this name. See the Progressing condition."
	s.set(metav1.Condition{Type: corev1alpha2.ConditionHealthy, Status: metav1.ConditionUnknown, Reason: corev1alpha2.ReasonBlocked, Message: looks})
	s.set(metav1.Condition{Type: corev1alpha2.ConditionDrifted, Status: metav1.ConditionUnknown, Reason: corev1alpha2.ReasonReconcileFailed, Message: looks})
	for _, each := range []string{corev1alpha2.ConditionUnpacked, corev1alpha2.ConditionHasValidBundle} {
		if meta.FindStatusCondition(s.before.Status.Conditions, each) == nil {
			s.set(metav1.Condition{Type: each, Status: metav1.ConditionUnknown, Reason: corev1alpha2.ReasonUnpackPending, Message: "Nothing is fetched; the Progressing condition says why."})
		}
	}
}

// concernsName reports whether an event of a PlatformOperator concerns the BundleDeployment of its name: one that it does not own.
func (c *controller) concernsName(object any) bool {
	operator, ok := object.(metav1.Object)
	if !ok {
		return false
	}
	deployment, err := c.deployments.Get(operator.GetName())
	return err == nil && !ownership.BelongsTo(deployment, operator)
}
