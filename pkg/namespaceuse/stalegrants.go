package namespaceuse

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// grants returns a ListerWatcher for ClusterRole RoleName, which is the grant of a check.
func grants(client metadata.Interface) cache.ListerWatcher {
	clusterRoles := client.Resource(clusterRoles)
	selector := fields.OneTermEqualSelector(metav1.ObjectNameField, RoleName).String()
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			options.FieldSelector = selector
			return clusterRoles.List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			options.FieldSelector = selector
			return clusterRoles.Watch(ctx, options)
		},
	}, client)
}

// RevokeStaleGrants watches ClusterRole RoleName, and revokes the grant whenever no check of this process holds it. It returns when the
// context ends. A process can end before it revokes its grant, and the restore of an etcd backup can bring a revoked grant back.
func (c *Checker) RevokeStaleGrants(ctx context.Context) {
	found := make(chan struct{}, 1)
	found <- struct{}{} // revokes the grant of an earlier process even if the watch fails
	notify := func(any) {
		select {
		case found <- struct{}{}:
		default: // the pending CleanUp also covers this event
		}
	}
	informer := cache.NewSharedIndexInformerWithOptions(c.grants, &metav1.PartialObjectMetadata{},
		cache.SharedIndexInformerOptions{ObjectDescription: "ClusterRole " + RoleName})
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: notify, UpdateFunc: func(_, changed any) { notify(changed) }}); err != nil {
		klog.Warningf("watching ClusterRole %q: %v", RoleName, err) // only an informer that has stopped returns an error
	}
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { informer.RunWithContext(ctx) })
	for {
		select {
		case <-ctx.Done():
			return
		case <-found:
			if !c.holdsGrant.Load() { // the running check revokes its grant itself
				c.CleanUp(ctx)
			}
		}
	}
}
