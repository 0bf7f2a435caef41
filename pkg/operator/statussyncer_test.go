package operator

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	configv1 "github.com/openshift/api/config/v1"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

// Errors that occur in every cluster are not logged as failed syncs (HRD-T7); all others are.
func TestTransientErrorsOfStatusSyncer(t *testing.T) {
	resource := configv1.Resource("clusteroperators")
	for _, test := range []struct {
		name      string
		err       error
		transient bool
	}{
		{"conditions are missing after a start", fmt.Errorf("%w: Degraded", errIncomplete), true},
		{"the operator resource is not yet created", fmt.Errorf("reading: %w", operatorv1alpha1.ErrManagerMissing), true},
		{"the cache lags behind the former write", apierrors.NewConflict(resource, ClusterOperatorName, errors.New("the object has been modified")), true},
		{"the write is forbidden", apierrors.NewForbidden(resource, ClusterOperatorName, errors.New("no RBAC policy matched")), false},
		{"the API server is not available", apierrors.NewServiceUnavailable("starting"), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := isTransient(test.err); got != test.transient {
				t.Errorf("isTransient(%v) = %v, want %v", test.err, got, test.transient)
			}
		})
	}
}
