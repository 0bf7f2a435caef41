package catalogs

import (
	"context"
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/controller/factory"

	"github.com/openshift/platform-operators/pkg/inventory"
)

func newInformer(client dynamic.Interface, kinds *inventory.Kinds, resource schema.GroupVersionResource) (*inventory.Optional, error) {
	return inventory.NewOptional(client, kinds, inventory.OptionalConfig{
		Resource: resource, Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc},
	})
}

// enqueueFrom registers an event handler that queues the key of each catalog of one kind that is added, changed or deleted.
func (c *controller) enqueueFrom(source *catalogKind, syncContext factory.SyncContext) {
	add := func(object any) {
		if tombstone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = tombstone.Obj
		}
		if catalogObject, ok := object.(*unstructured.Unstructured); ok {
			syncContext.Queue().Add(source.describe(catalogObject).id.String())
		}
	}
	source.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: add, UpdateFunc: func(_, object any) { add(object) }, DeleteFunc: add,
	})
}

// RunInformers runs the informers of both kinds of catalogs, and of the pods that serve them, until the context ends. It first waits until
// the informers of the Config, which the caller runs, are synced. It starts to watch a kind when the cluster serves it, so installing OLM
// requires no restart.
func (c *Controller) RunInformers(ctx context.Context) {
	if cache.WaitForCacheSync(ctx.Done(), c.needed...) {
		c.controller.runInformers(ctx, c.syncCtx)
	}
}

func (c *controller) runInformers(ctx context.Context, syncCtx factory.SyncContext) {
	c.snapshots.SetUnlisted(slices.Collect(maps.Keys(c.sources)))
	var running sync.WaitGroup
	for _, source := range c.sources {
		running.Go(func() { source.informer.Run(ctx) })
	}
	running.Go(func() { c.pods.Run(ctx.Done()) })
	if !c.describeListed(ctx, syncCtx) {
		running.Go(func() { c.describeWhenListed(ctx, syncCtx) })
	}
	running.Wait()
}

// describeListed stores a snapshot for every catalog before bundles are selected, or records the kinds that are not listed. It does not
// wait for kinds that are not served, and it waits at most listTimeout for the API server. It reports whether all served kinds have been
// listed.
func (c *controller) describeListed(ctx context.Context, syncCtx factory.SyncContext) bool {
	defer c.providerChanges.SetListed()
	defer c.changes.SetListed()
	listing, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	synced := []cache.InformerSynced{c.pods.HasSynced}
	for _, source := range c.sources {
		synced = append(synced, source.informer.Settled)
	}
	if !cache.WaitForCacheSync(listing.Done(), synced...) {
		klog.Warningf("not every kind of catalog, and the pods of CatalogSources, could be listed within %s; going on with what could", listTimeout)
	}
	return c.describeAll(syncCtx)
}

// describeWhenListed describes the catalogs of kinds that were not listed in time, as soon as they are listed. At the end it notifies the
// users of all wanted packages, because no event reports the absence of catalogs. It returns when all kinds are listed or the context ends.
func (c *controller) describeWhenListed(ctx context.Context, syncCtx factory.SyncContext) {
	if err := wait.PollUntilContextCancel(ctx, listRetry, false, func(context.Context) (bool, error) {
		if slices.Equal(c.unlisted(), c.snapshots.Unlisted()) {
			return false, nil // nothing has changed
		}
		return c.describeAll(syncCtx), nil
	}); err != nil {
		return // the manager shuts down
	}
	wanted, err := c.wantedPackages()
	if err != nil {
		klog.Warningf("telling that every kind of catalog is listed: %v", err)
		return
	}
	c.changes.Notify(slices.Sorted(maps.Keys(wanted)))
}

// describeAll stores a snapshot for each known catalog and queues it. It reports whether all served kinds have been listed.
func (c *controller) describeAll(syncCtx factory.SyncContext) bool {
	unlisted := c.unlisted() // before the catalogs are listed, so that those that appear meanwhile are described the next time
	wanted, err := c.wantedPackages()
	if err != nil {
		klog.Warningf("describing catalogs: %v", err)
		return false
	}
	for _, key := range c.allKeys(nil) {
		id, err := parseID(key)
		if err != nil {
			continue
		}
		if d, found, err := c.lookUp(id); err == nil && found {
			c.notify(id, c.snapshots.UpdateInfo(c.info(d, wanted)))
			syncCtx.Queue().Add(key) // because it may have been deleted since
		}
	}
	c.snapshots.SetUnlisted(unlisted)
	return len(unlisted) == 0
}

// unlisted returns the kinds of catalogs that are served and have not been listed, sorted.
func (c *controller) unlisted() []string {
	var kinds []string
	for kind, source := range c.sources {
		if !source.informer.Settled() {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}
