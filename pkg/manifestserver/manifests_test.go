package manifestserver_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// TestOurManifests serves the manifests of this component, and the kinds that they define.
func TestOurManifests(t *testing.T) {
	files, err := filepath.Glob("../../manifests/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("finding manifests: %v", err)
	}
	options := manifestserver.Options{KubernetesVersion: "v1.36.3", Clock: clocktesting.NewFakePassiveClock(now)}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		object := parse(t, string(content))
		switch object.GetKind() {
		case "ServiceMonitor", "PrometheusRule":
			continue // defined by another component
		case "CustomResourceDefinition":
			definition := &apiextensionsv1.CustomResourceDefinition{}
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, definition); err != nil {
				t.Fatal(err)
			}
			options.Definitions = append(options.Definitions, definition)
		}
		options.Objects = append(options.Objects, object)
	}
	server, err := manifestserver.New(options)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(server.InputErrors()...); err != nil {
		t.Error(err)
	}
	platform := must(versioned.NewForConfig(configOf(server)))(t)
	manager := must(platform.OperatorV1alpha1().PlatformOperatorManagers().Get(t.Context(), "cluster", metav1.GetOptions{}))(t)
	manager.Status.ObservedGeneration = manager.Generation
	updated := must(platform.OperatorV1alpha1().PlatformOperatorManagers().UpdateStatus(t.Context(), manager, metav1.UpdateOptions{}))(t)
	if updated.ResourceVersion == manager.ResourceVersion || updated.Generation != manager.Generation {
		t.Errorf("updated %+v", updated.ObjectMeta)
	}
	c := newClient(t, server)
	c.object(patch("", "/apis/operator.openshift.io/v1alpha1/platformoperatormanagers/cluster/status?fieldManager=one", apply,
		`{apiVersion: operator.openshift.io/v1alpha1, kind: PlatformOperatorManager, metadata: {name: cluster}, status: {conditions: [{type: A, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`))
	got := c.object(patch("", "/apis/operator.openshift.io/v1alpha1/platformoperatormanagers/cluster/status?fieldManager=two", apply,
		`{apiVersion: operator.openshift.io/v1alpha1, kind: PlatformOperatorManager, metadata: {name: cluster}, status: {conditions: [{type: B, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`))
	if conditions, _, _ := unstructured.NestedSlice(got.Object, "status", "conditions"); len(conditions) < 2 {
		t.Errorf("conditions %v", conditions)
	}
}
