package main

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta/testrestmapper"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
)

func TestRemoveKeepsNamespacesAndCRDs(t *testing.T) {
	object := func(apiVersion, kind, namespace, name string) unstructured.Unstructured {
		o := unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name}}}
		o.SetNamespace(namespace)
		return o
	}
	operator := rendered{namespace: "a", objects: []unstructured.Unstructured{
		object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "as.example.com"),
		object("v1", "ServiceAccount", "a", "account"),
		object("rbac.authorization.k8s.io/v1", "ClusterRole", "", "role"),
		object("apps/v1", "Deployment", "a", "manager"),
		object("v1", "Service", "a", "gone-already"),
	}}
	var there []runtime.Object
	for i := 1; i < 4; i++ {
		there = append(there, &operator.objects[i])
	}
	client := dynamicfake.NewSimpleDynamicClient(scheme.Scheme, there...)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "somebody-elses", Name: "pod"}}
	loop := plainLoop{kubernetes: fake.NewClientset(pod), dynamic: client, mapper: testrestmapper.TestOnlyStaticRESTMapper(scheme.Scheme)}
	deletions, polls, err := loop.remove(t.Context(), []rendered{operator}, 1, metav1.DeletePropagationForeground)
	if err != nil {
		t.Fatal(err)
	}
	var deleted []string
	for _, action := range client.Actions() {
		deletion, ok := action.(clienttesting.DeleteAction)
		if !ok {
			t.Errorf("unexpected request: %s %s", action.GetVerb(), action.GetResource().Resource)
			continue
		}
		deleted = append(deleted, deletion.GetName())
		if inForeground := *deletion.GetDeleteOptions().PropagationPolicy == metav1.DeletePropagationForeground; inForeground != (action.GetResource().Resource == "deployments") {
			t.Errorf("%s is deleted in the foreground: %t", action.GetResource().Resource, inForeground)
		}
	}
	if len(deleted) == 0 || deleted[0] != "manager" {
		t.Errorf("deleted %q; want workloads first", deleted)
	}
	slices.Sort(deleted)
	if diff := cmp.Diff([]string{"account", "gone-already", "manager", "role"}, deleted); diff != "" {
		t.Errorf("deleted (-want +got):\n%s", diff)
	}
	if deletions != 4 || polls != 1 {
		t.Errorf("counted %d deletions and %d looks, want 4 and 1", deletions, polls)
	}
}

func TestRemoveWaitsForPods(t *testing.T) {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "pod"}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	loop := plainLoop{kubernetes: fake.NewClientset(pod)}
	if polls, err := loop.waitForPods(ctx, []rendered{{namespace: "a"}}); err == nil || polls != 1 {
		t.Errorf("got %v after %d looks; a Pod of the operator is left", err, polls)
	}
}
