package inventory

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/resolve"
)

// defined returns a CustomResourceDefinition of this kind with these labels, which serves v1 and no longer v1beta1.
func defined(t *testing.T, kind, labels string) *unstructured.Unstructured {
	return object(t, fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %ss.example.com, labels: {%s}},
		spec: {group: example.com, names: {kind: %s}, versions: [{name: v1, served: true}, {name: v1beta1, served: false}]}}`, kind, labels, kind))
}

func TestKindsAndTheirOwners(t *testing.T) {
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{definitions: "CustomResourceDefinitionList"},
		defined(t, "A", "core.rukpak.io/owner-kind: BundleDeployment, core.rukpak.io/owner-name: quay"),
		defined(t, "B", "operators.coreos.com/etcd.zoo: ''"),
		defined(t, "C", "olm.operatorframework.io/owner-kind: ClusterExtension, olm.operatorframework.io/owner-name: clair"),
		defined(t, "D", "other: yes"),
		object(t, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: strange}, spec: {versions: 7}}`),
	)
	k, err := NewKinds(client)
	if err != nil {
		t.Fatal(err)
	}
	told := make(chan string, 20)
	if _, err := k.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) { told <- object.(*metav1.PartialObjectMetadata).Name }}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { k.Run(ctx); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended })
	if !cache.WaitForCacheSync(ctx.Done(), k.HasSynced) {
		t.Fatal("never synced")
	}
	gvk := func(kind string) catalog.GVK { return catalog.GVK{Group: "example.com", Version: "v1", Kind: kind} }
	want := []resolve.Kind{
		{GVK: gvk("A"), Operator: "quay"},
		{GVK: gvk("B"), Installer: "OLM's operator etcd.zoo"},
		{GVK: gvk("C"), Installer: "ClusterExtension clair"},
		{GVK: gvk("D")},
	}
	if diff := cmp.Diff(want, k.All()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for range 5 {
		<-told
	}
	if err := client.Resource(definitions).Delete(ctx, "Ds.example.com", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if name := <-told; name != "Ds.example.com" {
		t.Errorf("told of %s", name)
	}
	if diff := cmp.Diff(want[:3], k.All()); diff != "" {
		t.Errorf("after one has gone (-want +got):\n%s", diff)
	}
}
