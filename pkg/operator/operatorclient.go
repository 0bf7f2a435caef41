package operator

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	operatorv1 "github.com/openshift/api/operator/v1"
	applyoperatorv1 "github.com/openshift/client-go/operator/applyconfigurations/operator/v1"
	"github.com/openshift/library-go/pkg/operator/genericoperatorclient"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
)

// newOperatorClient builds library-go's client for the operator resource "cluster" and the informers behind it.
func newOperatorClient(config *rest.Config, clock clock.PassiveClock) (v1helpers.OperatorClientWithFinalizers, dynamicinformer.DynamicSharedInformerFactory, error) {
	client, informers, err := genericoperatorclient.NewClusterScopedOperatorClient(clock, config,
		operatorv1alpha1.SchemeGroupVersion.WithResource("platformoperatormanagers"),
		operatorv1alpha1.SchemeGroupVersion.WithKind("PlatformOperatorManager"),
		extractSpec, extractStatus)
	if err != nil {
		return nil, nil, fmt.Errorf("building the client of the operator resource: %w", err)
	}
	return persistentClient{client}, informers, nil
}

// persistentClient is a client for the operator resource that returns ErrManagerMissing instead of NotFound when it reads or updates the
// resource. On NotFound, library-go's status controller would delete the ClusterOperator. Then the CVO would have to recreate it, and an
// alert would fire. The operator resource is recreated within a second, so an ordinary error and a retry are sufficient. Controllers
// recognize ErrManagerMissing and do not report it as their own error.
type persistentClient struct {
	v1helpers.OperatorClientWithFinalizers
}

func persistent(err error) error {
	if apierrors.IsNotFound(err) {
		return operatorv1alpha1.ErrManagerMissing
	}
	return err
}

// GetOperatorState calls the wrapped client, and returns ErrManagerMissing instead of NotFound.
func (c persistentClient) GetOperatorState() (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	spec, status, version, err := c.OperatorClientWithFinalizers.GetOperatorState()
	return spec, status, version, persistent(err)
}

// GetOperatorStateWithQuorum calls the wrapped client, and returns ErrManagerMissing instead of NotFound.
func (c persistentClient) GetOperatorStateWithQuorum(ctx context.Context) (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	spec, status, version, err := c.OperatorClientWithFinalizers.GetOperatorStateWithQuorum(ctx)
	return spec, status, version, persistent(err)
}

// UpdateOperatorStatus calls the wrapped client, and returns ErrManagerMissing instead of NotFound: the resource may have been deleted
// since it was read.
func (c persistentClient) UpdateOperatorStatus(ctx context.Context, oldResourceVersion string, in *operatorv1.OperatorStatus) (*operatorv1.OperatorStatus, error) {
	out, err := c.OperatorClientWithFinalizers.UpdateOperatorStatus(ctx, oldResourceVersion, in)
	return out, persistent(err)
}

// extractSpec and extractStatus return the fields of the operator resource that a field manager has applied, for library-go; nil if the
// object has no such fields. Generated apply configurations need a published schema, which the types of a CRD do not have. The OLM kind of
// openshift/api has the same shape (inline OperatorSpec and OperatorStatus), so its schema is used.
func extractSpec(object *unstructured.Unstructured, fieldManager string) (*applyoperatorv1.OperatorSpecApplyConfiguration, error) {
	shape, err := shapeOf(object)
	if err != nil {
		return nil, err
	}
	extracted, err := applyoperatorv1.ExtractOLM(shape, fieldManager)
	if err != nil || extracted.Spec == nil {
		return nil, err
	}
	return &extracted.Spec.OperatorSpecApplyConfiguration, nil
}

func extractStatus(object *unstructured.Unstructured, fieldManager string) (*applyoperatorv1.OperatorStatusApplyConfiguration, error) {
	shape, err := shapeOf(object)
	if err != nil {
		return nil, err
	}
	extracted, err := applyoperatorv1.ExtractOLMStatus(shape, fieldManager)
	if err != nil || extracted.Status == nil {
		return nil, err
	}
	return &extracted.Status.OperatorStatusApplyConfiguration, nil
}

func shapeOf(object *unstructured.Unstructured) (*operatorv1.OLM, error) {
	shape := &operatorv1.OLM{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, shape); err != nil {
		return nil, fmt.Errorf("reading PlatformOperatorManager %q: %w", object.GetName(), err)
	}
	return shape, nil
}
