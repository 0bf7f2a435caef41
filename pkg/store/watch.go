package store

import (
	"context"
	"reflect"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
)

// NewInformer returns an informer that reports when somebody deletes or changes a Secret that stores part of a revision. It watches only
// the metadata, so the Secrets' data is not transferred.
func NewInformer(client metadata.Interface, namespace string) cache.SharedIndexInformer {
	secrets := client.Resource(corev1.SchemeGroupVersion.WithResource("secrets")).Namespace(namespace)
	return cache.NewSharedIndexInformerWithOptions(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.LabelSelector = LabelDeployment
			return secrets.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.LabelSelector = LabelDeployment
			return secrets.Watch(ctx, options)
		},
	}, client), &metav1.PartialObjectMetadata{}, cache.SharedIndexInformerOptions{ObjectDescription: "Secrets of revisions"})
}

// Watch adds an event handler that calls changed when a Secret of a revision is deleted, created or replaced, or gets different labels or a
// different owner. changed gets the name of the BundleDeployment and the number of the revision. It is not called for the Secrets that
// exist at the start, but it is called for the writes and deletions of this process. It must not block. The informer must watch the Secrets
// of namespace. Call Watch before the informer starts.
func (r *Revisions) Watch(informer cache.SharedIndexInformer, namespace string, changed func(deployment string, number int64)) error {
	r.metadata, r.namespace = informer.GetStore(), namespace
	report := func(object any) {
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = tombstone.Obj
		}
		secret, err := meta.Accessor(object)
		if err != nil {
			return
		}
		labels := secret.GetLabels()
		if number, err := strconv.ParseInt(labels[LabelNumber], 10, 64); err == nil {
			changed(labels[LabelDeployment], number)
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc: func(object any, isInInitialList bool) {
			if !isInInitialList {
				report(object)
			}
		},
		UpdateFunc: func(before, after any) {
			old, err := meta.Accessor(before)
			if err != nil {
				return
			}
			changed, err := meta.Accessor(after)
			if err == nil && (old.GetUID() != changed.GetUID() || !reflect.DeepEqual(old.GetLabels(), changed.GetLabels()) ||
				!reflect.DeepEqual(old.GetOwnerReferences(), changed.GetOwnerReferences())) {
				report(before)
				report(after)
			}
		},
		DeleteFunc: report,
	})
	return err
}
