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

// servedByLabel is the label that OLM sets on a pod that serves a CatalogSource. Its value is the CatalogSource's name. While OLM polls for
// a newer image, the pod that may replace the current one has this label with an empty value.
const servedByLabel = "olm.catalogSource"

// imagesField is the field in which a cached pod holds the digests of its images; empty if they are unknown.
const imagesField = "images"

var pods = schema.GroupVersionResource{Version: "v1", Resource: "pods"}

// newPodInformer returns an informer for the pods that serve CatalogSources. It caches only the fields that identify the content that the
// pods serve.
func newPodInformer(client dynamic.Interface) (cache.SharedIndexInformer, error) {
	informer := dynamicinformer.NewFilteredDynamicInformer(client, pods, metav1.NamespaceAll, 0,
		cache.Indexers{servedByLabel: servedBy}, func(options *metav1.ListOptions) { options.LabelSelector = servedByLabel }).Informer()
	if err := informer.SetTransform(reducePod); err != nil {
		return nil, fmt.Errorf("watching the pods of CatalogSources: %w", err)
	}
	return informer, nil
}

// servedBy is an index function that returns the key of a pod's CatalogSource, or nothing for other pods.
func servedBy(object any) ([]string, error) {
	if key := servedKey(object); key != "" {
		return []string{key}, nil
	}
	return nil, nil
}

// servedKey returns "namespace/name" of a pod's CatalogSource; empty if the pod has none.
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

// reducePod returns a copy of a pod for the cache, with only the pod's identity, label and images.
func reducePod(object any) (any, error) {
	pod, ok := object.(*unstructured.Unstructured)
	if !ok {
		return object, nil // a tombstone, whose object is already transformed
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

// podEnded is the result of imagesOf for a pod that has terminated.
const podEnded = "ended"

// imagesOf returns the digests of a pod's images, including those of init containers, which may provide the content that another image
// serves. It returns podEnded for a pod that has terminated. It returns an empty string while the pod is not ready or is being deleted,
// because another pod may be serving.
func imagesOf(pod *unstructured.Unstructured) string {
	switch phase := text(pod, "status", "phase"); {
	case phase == "Failed" || phase == "Succeeded":
		return podEnded
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

// servedImages returns the images of a CatalogSource's pods if they identify its content. Otherwise it returns an empty string: if the pods
// are unknown, are being replaced or have different images, or if the content is not in an image.
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
		case images == podEnded:
			continue
		case images == "" || found != "" && found != images:
			return ""
		}
		found = images
	}
	return found
}

// describeServed returns a function that describes CatalogSources together with the images of their pods.
func describeServed(informer cache.SharedIndexInformer) func(*unstructured.Unstructured) description {
	return func(object *unstructured.Unstructured) description {
		d := describeCatalogSource(object)
		d.content = servedImages(informer, object)
		return d
	}
}

// enqueueServed registers an event handler that queues a CatalogSource when one of its pods is added or deleted, or when the pod's images
// change. It ignores other changes to pods.
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
