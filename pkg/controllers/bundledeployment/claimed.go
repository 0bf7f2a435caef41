package bundledeployment

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// checkName ends the sync of a BundleDeployment if a PlatformOperator that does not own it has the same name. The objects of both would
// have the same labels and field manager, so each would change the other's objects.
func checkName(_ context.Context, s *reconciliation) (bool, error) {
	claimed, err := s.c.isClaimed(s.before)
	if claimed {
		s.machine.ReportNameTaken(&s.deployment.Status, s.c.clock.Now())
	}
	return claimed || err != nil, err
}

// concernsName reports whether there is a BundleDeployment with the name of a PlatformOperator that does not own it. Other events for
// PlatformOperators do not concern this controller.
func (c *controller) concernsName(object any) bool {
	operator, ok := object.(metav1.Object)
	if !ok {
		return false
	}
	deployment, err := c.deployments.Get(operator.GetName())
	return err == nil && !ownership.BelongsTo(deployment, operator)
}
