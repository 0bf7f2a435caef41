package scenarios

import (
	"context"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// unchecked are the names of the CRDs whose schemas simplify replaces with one that accepts everything. They belong to OLM. Their schemas
// contain the fields of whole Deployments, and are larger than all other schemas together. The manager only lists objects of these kinds.
var unchecked = []string{"clusterserviceversions.operators.coreos.com", "subscriptions.operators.coreos.com"}

// simplify removes descriptions and large schemas from a CustomResourceDefinition, because several informers in each story decode all
// definitions. This saves a fifth of the story's time. It does not change other objects.
func simplify(object *unstructured.Unstructured) {
	if object.GetKind() != "CustomResourceDefinition" {
		return
	}
	removeDescriptions(object.Object)
	if !slices.Contains(unchecked, object.GetName()) {
		return
	}
	versions, _, _ := unstructured.NestedSlice(object.Object, "spec", "versions")
	for _, version := range versions {
		if version, isObject := version.(map[string]any); isObject {
			version["schema"] = map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
		}
	}
	_ = unstructured.SetNestedSlice(object.Object, versions, "spec", "versions") // cannot fail, because the field exists
}

// removeDescriptions removes descriptions from a definition and from all schemas in it. Stories do not need them, because only `kubectl
// explain` shows them.
func removeDescriptions(part any) {
	switch part := part.(type) {
	case map[string]any:
		if _, isText := part["description"].(string); isText { // otherwise it is a property that is named description
			delete(part, "description")
		}
		for _, each := range part {
			removeDescriptions(each)
		}
	case []any:
		for _, each := range part {
			removeDescriptions(each)
		}
	}
}

// simplifyDefinitions simplifies all CustomResourceDefinitions in the cluster.
func simplifyDefinitions(ctx context.Context, config *rest.Config) error {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	definitions := client.Resource(apiextensionsv1.SchemeGroupVersion.WithResource("customresourcedefinitions"))
	list, err := definitions.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		simplify(&list.Items[i])
		if _, err := definitions.Update(ctx, &list.Items[i], metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}
