package catalogs

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/catalog"
)

// servedByLabel is what OLM puts on the pod that serves a CatalogSource, with the CatalogSource's name. While it polls for
// a newer image, the pod that may take over has the label without a name.
const servedByLabel = "olm.catalogSource"

// imagesField is where a pod in our cache has the images that it runs, by digest; empty when it cannot be told.
const imagesField = "images"

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// newPodInformer watches the pods that serve CatalogSources. Of each only what names its content is kept.
func newPodInformer(client dynamic.Interface) (cache.SharedIndexInformer, error) {
	informer := dynamicinformer.NewFilteredDynamicInformer(client, pods, metav1.NamespaceAll, 0,
		cache.Indexers{servedByLabel: servedBy}, func(options *metav1.ListOptions) { options.LabelSelector = servedByLabel }).Informer()
	if err := informer.SetTransform(onlyImages); err != nil {
		return nil, fmt.Errorf("watching the pods of CatalogSources: %w", err)
	}
	return informer, nil
}

// servedBy indexes pods by the key of the CatalogSource that they serve.
func servedBy(object any) ([]string, error) {
	if key := servedKey(object); key != "" {
		return []string{key}, nil
	}
	return nil, nil
}

// servedKey is "namespace/name" of the CatalogSource that a pod serves, empty when it serves none.
func servedKey(object any) string {
	if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
		object = tombstone.Obj
	}
	pod, ok := object.(*unstructured.Unstructured)
	if !ok || pod.GetLabels()[servedByLabel] == "" {
		return ""
	}
	return pod.GetNamespace() + "/" + pod.GetLabels()[servedByLabel]
}

// onlyImages leaves of a pod what identifies it and what it runs.
func onlyImages(object any) (any, error) {
	pod, ok := object.(*unstructured.Unstructured)
	if !ok {
		return object, nil // a tombstone: what is in it was transformed before
	}
	if _, done := pod.Object[imagesField]; done {
		return object, nil
	}
	kept := &unstructured.Unstructured{Object: map[string]any{imagesField: imagesOf(pod)}}
	kept.SetGroupVersionKind(pod.GroupVersionKind())
	kept.SetNamespace(pod.GetNamespace())
	kept.SetName(pod.GetName())
	kept.SetUID(pod.GetUID())
	kept.SetResourceVersion(pod.GetResourceVersion())
	kept.SetLabels(map[string]string{servedByLabel: pod.GetLabels()[servedByLabel]})
	return kept, nil
}

// ended is what imagesOf says of a pod that runs nothing any more, and never will.
const ended = "ended"

// imagesOf names, by digest, what a pod runs; init containers too, because one of them may bring the catalog that another
// image's server serves. It is empty while the pod is not ready or on its way out: then another may be serving.
func imagesOf(pod *unstructured.Unstructured) string {
	switch phase := text(pod, "status", "phase"); {
	case phase == "Failed" || phase == "Succeeded":
		return ended
	case pod.GetDeletionTimestamp() != nil || !hasCondition(pod, "Ready"):
		return ""
	}
	var images []string
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		statuses, _, err := unstructured.NestedSlice(pod.Object, "status", field)
		if err != nil {
			return ""
		}
		for _, entry := range statuses {
			status, _ := entry.(map[string]any)
			name, _ := status["name"].(string)
			image, _ := status["imageID"].(string)
			if image == "" {
				return ""
			}
			images = append(images, name+"="+image)
		}
	}
	slices.Sort(images)
	return strings.Join(images, " ")
}

// servedImages names the content of a CatalogSource by the images that its pods run; empty where nothing tells: the pods
// cannot be read, are just being replaced, are not all of one image, or serve what is in no image.
func servedImages(informer cache.SharedIndexInformer, catalogSource *unstructured.Unstructured) string {
	if text(catalogSource, "spec", "image") == "" || text(catalogSource, "spec", "address") != "" || !informer.HasSynced() {
		return ""
	}
	serving, err := informer.GetIndexer().ByIndex(servedByLabel, catalogSource.GetNamespace()+"/"+catalogSource.GetName())
	if err != nil {
		return ""
	}
	found := ""
	for _, object := range serving {
		pod, ok := object.(*unstructured.Unstructured)
		if !ok {
			return ""
		}
		images := text(pod, imagesField)
		switch {
		case images == ended:
			continue
		case images == "" || found != "" && found != images:
			return ""
		}
		found = images
	}
	return found
}

// describeServed describes CatalogSources together with what their pods run.
func describeServed(informer cache.SharedIndexInformer) func(*unstructured.Unstructured) description {
	return func(object *unstructured.Unstructured) description {
		d := describeCatalogSource(object)
		d.content = servedImages(informer, object)
		return d
	}
}

// enqueueServed queues the CatalogSource of a pod that came, went, or runs something else than before. What else changes of
// a pod says nothing of catalogs.
func enqueueServed(informer cache.SharedIndexInformer, syncContext factory.SyncContext) error {
	add := func(object any) {
		if key := servedKey(object); key != "" {
			syncContext.Queue().Add(catalog.KindCatalogSource + "/" + key)
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: add, DeleteFunc: add, UpdateFunc: func(old, object any) {
		before, _ := old.(*unstructured.Unstructured)
		after, _ := object.(*unstructured.Unstructured)
		if before != nil && after != nil && servedKey(old) == servedKey(object) && text(before, imagesField) == text(after, imagesField) {
			return
		}
		add(old)
		add(object)
	}})
	return err
}
