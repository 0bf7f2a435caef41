package operator

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/yaml"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
)

func TestStaticRelatedObjectsAreThoseOfTheManifest(t *testing.T) {
	files, err := filepath.Glob("../../manifests/*_60-clusteroperator.yaml")
	if err != nil || len(files) != 1 {
		t.Fatalf("looking for the ClusterOperator's manifest: %q, %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	manifest := &configv1.ClusterOperator{}
	if err := yaml.Unmarshal(content, manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Name != ClusterOperatorName {
		t.Errorf("the manifest is of %q", manifest.Name)
	}
	want := staticRelatedObjects("openshift-platform-operators")
	if diff := cmp.Diff(want, manifest.Status.RelatedObjects); diff != "" {
		t.Errorf("code and manifest name different objects (-code +manifest):\n%s", diff)
	}
}

func TestInstallNamespacesAreSortedUniqueAndBounded(t *testing.T) {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)
	for i := range 2 * maxRelatedNamespaces {
		deployment := &corev1alpha2.BundleDeployment{ObjectMeta: metav1.ObjectMeta{Name: string(rune('a'+i/26)) + string(rune('a'+i%26))}}
		deployment.Spec.InstallNamespace = "ns-" + deployment.Name
		if i%2 == 1 {
			deployment.Spec.InstallNamespace = "ns-aa"
		}
		if err := indexer.Add(deployment); err != nil {
			t.Fatal(err)
		}
	}
	lister := corelisters.NewBundleDeploymentLister(indexer)
	if set, _ := installNamespaces(func() bool { return false }, lister)(); set {
		t.Error("a cache that is not synced is taken at its word, so that a restart takes namespaces out of the ClusterOperator")
	}
	set, references := installNamespaces(func() bool { return true }, lister)()
	if !set || len(references) != maxRelatedNamespaces {
		t.Fatalf("got %d references, set %t", len(references), set)
	}
	for i := 1; i < len(references); i++ {
		if references[i-1].Name >= references[i].Name {
			t.Errorf("%q stands before %q", references[i-1].Name, references[i].Name)
		}
	}
}

func TestOptionsSayEverythingThatIsWrongAtOnce(t *testing.T) {
	if err := NewOptions().Validate(); err != nil {
		t.Errorf("the payload's own settings are refused: %v", err)
	}
	wrong := Options{ContentDir: "relative", DegradedAfter: -time.Second}
	err := wrong.Validate()
	for _, word := range []string{"--content-dir", "OPERATOR_IMAGE_VERSION", "--degraded-after", "--version-within"} {
		if err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("the error does not name %s: %v", word, err)
		}
	}
}

// absent is library-go's client of an operator resource that was deleted.
type absent struct {
	v1helpers.OperatorClientWithFinalizers
}

func (absent) GetOperatorState() (*operatorv1.OperatorSpec, *operatorv1.OperatorStatus, string, error) {
	return nil, nil, "", apierrors.NewNotFound(schema.GroupResource{Resource: "platformoperatormanagers"}, "cluster")
}

func TestOperatorClientNeverSaysNotFound(t *testing.T) {
	_, _, _, err := persistentClient{absent{}}.GetOperatorState()
	if !errors.Is(err, errNoOperatorResource) || apierrors.IsNotFound(err) {
		t.Errorf("got %v, upon which library-go may delete the ClusterOperator", err)
	}
}

func TestExtractStatusGivesWhatTheManagerApplied(t *testing.T) {
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
		t.Errorf("extracted %+v", got.Conditions)
	}
	if got, err := extractStatus(object, "nobody"); err != nil || got != nil && len(got.Conditions) != 0 {
		t.Errorf("nobody applied %+v, %v", got, err)
	}
	if _, err := extractSpec(object, "ours"); err != nil {
		t.Errorf("the spec has a field of our own kind: %v", err)
	}
}
