package manifestserver_test

import (
	"context"
	"fmt"
	"log"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/manifestserver"
)

// A controller applies a ConfigMap in a namespace of the input.
func Example() {
	namespace := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "a", "resourceVersion": "100"},
	}}
	server, err := manifestserver.New(manifestserver.Options{
		Objects: []*unstructured.Unstructured{namespace}, KubernetesVersion: "v1.36.3",
		Clock: clocktesting.NewFakePassiveClock(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)),
	})
	if err != nil {
		log.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(&rest.Config{Host: "https://server.example", Transport: server})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	server.Begin(manifestserver.Sync{Controller: "example"})
	settings := applycorev1.ConfigMap("settings", "a").WithData(map[string]string{"color": "blue"})
	if _, err := client.CoreV1().ConfigMaps("a").Apply(ctx, settings, metav1.ApplyOptions{FieldManager: "example"}); err != nil {
		log.Fatal(err)
	}

	mutations, err := server.Mutations()
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range mutations {
		fmt.Println(m.Sync.Controller, m.Action, m.Resource.Resource, m.Namespace, m.Name, m.Object.GetResourceVersion(), m.Object.GetCreationTimestamp().UTC())
	}
	// Output: example Apply configmaps a settings 101 2026-03-04 05:06:07 +0000 UTC
}
