package inventory_test

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/platform-operators/pkg/inventory"
)

func ExampleInstallations_All() {
	definition := func(name, group, version string) runtime.Object {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": map[string]any{"name": name},
			"spec": map[string]any{"group": group, "versions": []any{map[string]any{"name": version, "served": true}}},
		}}
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{
		{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "subscriptions"}:       "SubscriptionList",
		{Group: "olm.operatorframework.io", Version: "v1", Resource: "clusterextensions"}:     "ClusterExtensionList",
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: "CustomResourceDefinitionList",
	}, definition("subscriptions.operators.coreos.com", "operators.coreos.com", "v1alpha1"), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
		"metadata": map[string]any{"namespace": "quay-enterprise", "name": "quay"},
		"spec":     map[string]any{"name": "project-quay"},
		"status":   map[string]any{"installedCSV": "quay-operator.v3.10.1"},
	}})
	kinds, err := inventory.NewKinds(client)
	if err != nil {
		fmt.Println(err)
		return
	}
	installations, err := inventory.NewInstallations(client, kinds)
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go kinds.Run(ctx)
	go installations.Run(ctx)
	cache.WaitForCacheSync(ctx.Done(), installations.HasSynced)
	for _, found := range installations.All() {
		fmt.Printf("%s has %s in version %s\n", found.Installer, found.Package, found.Version)
	}
	// Output: Subscription quay-enterprise/quay has project-quay in version 3.10.1
}
