package operator

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalogsource/proxy"
)

func TestValidateReportsAllInvalidOptions(t *testing.T) {
	if err := NewOptions().Validate(); err != nil {
		t.Errorf("Validate rejects the settings of the payload: %v", err)
	}
	wrong := Options{ContentDir: "relative", DegradedAfter: -time.Second, CatalogProxy: proxy.Config{URL: "http://127.0.0.1:8090"}}
	err := wrong.Validate()
	for _, word := range []string{"--content-dir", "OPERATOR_IMAGE_VERSION", "--degraded-after", "--version-within", "GRPC_PROXY"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not name %s: %v", word, err)
		}
	}
}

// absent is a client of an operator resource that was deleted.
type absent struct {
	v1helpers.OperatorClientWithFinalizers
}

var errAbsent = apierrors.NewNotFound(schema.GroupResource{Resource: "platformoperatormanagers"}, "cluster")

func (absent) GetOperatorState() (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	return nil, nil, "", errAbsent
}

func (absent) GetOperatorStateWithQuorum(context.Context) (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	return nil, nil, "", errAbsent
}

func (absent) UpdateOperatorStatus(context.Context, string, *operatorv1.OperatorStatus) (*operatorv1.OperatorStatus, error) {
	return nil, errAbsent
}

func TestPersistentClientNeverReturnsNotFound(t *testing.T) {
	client := persistentClient{absent{}}
	_, _, _, get := client.GetOperatorState()
	_, _, _, quorum := client.GetOperatorStateWithQuorum(t.Context())
	_, update := client.UpdateOperatorStatus(t.Context(), "1", &operatorv1.OperatorStatus{})
	for request, err := range map[string]error{"GetOperatorState": get, "GetOperatorStateWithQuorum": quorum, "UpdateOperatorStatus": update} {
		if !errors.Is(err, operatorv1alpha1.ErrManagerMissing) || apierrors.IsNotFound(err) {
			t.Errorf("%s returns %v, want an error that is not NotFound and that controllers recognize", request, err)
		}
	}
}

func TestExtractStatusReturnsTheAppliedFields(t *testing.T) {
	object := &unstructured.Unstructured{}
	err := yaml.Unmarshal([]byte(`
apiVersion: operator.openshift.io/v1alpha1
kind: PlatformOperatorManager
metadata:
  name: cluster
  managedFields:
  - manager: ours
    operation: Apply
    subresource: status
    apiVersion: operator.openshift.io/v1alpha1
    fieldsType: FieldsV1
    fieldsV1: {"f:status": {"f:conditions": {"k:{\"type\":\"OursDegraded\"}": {".": {}, "f:type": {}, "f:status": {}}}}}
spec: {managementState: Managed, catalogNamespaces: [a]}
status:
  conditions:
  - {type: OursDegraded, status: "False", lastTransitionTime: null}
  - {type: TheirsDegraded, status: "True", lastTransitionTime: null}
`), &object.Object)
	if err != nil {
		t.Fatal(err)
	}
	got, err := extractStatus(object, "ours")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Conditions) != 1 || *got.Conditions[0].Type != "OursDegraded" || *got.Conditions[0].Status != operatorv1.ConditionFalse {
		t.Errorf("unexpected conditions %+v", got.Conditions)
	}
	if got, err := extractStatus(object, "nobody"); err != nil || got != nil && len(got.Conditions) != 0 {
		t.Errorf("a field manager that applied nothing has %+v, %v", got, err)
	}
	if _, err := extractSpec(object, "ours"); err != nil {
		t.Errorf("extractSpec fails for a field that only our kind has: %v", err)
	}
}
