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

// enqueueFrom turns the events of one kind of catalog into queue keys. An object that goes away is queued as well: its
// sync finds it gone.
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

// RunInformers runs the informers of both kinds of catalogs, and of the Pods that serve them, until the context ends. It waits for the
// informers of the Config first, which somebody else runs. A kind that the cluster does not serve is watched from when it does, without a
// restart when OLM appears.
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
		running.Go(func() { c.describeLate(ctx, syncCtx) })
	}
	running.Wait()
}

// describeListed makes the snapshots know of every catalog before anybody chooses from them, or which kinds they do not know all
// of. For a kind that is not served it does not wait, and for the API server only so long; it says whether all have been listed.
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

// describeLate does the same for kinds that could not be listed in time, each once it can, and tells whoever wants a package: what is
// in a catalog is told by itself, and that there is none by nobody else.
func (c *controller) describeLate(ctx context.Context, syncCtx factory.SyncContext) {
	if err := wait.PollUntilContextCancel(ctx, listRetry, false, func(context.Context) (bool, error) {
		if slices.Equal(c.unlisted(), c.snapshots.Unlisted()) {
			return false, nil // nothing is new
		}
		return c.describeAll(syncCtx), nil
	}); err != nil {
		return // the manager ends
	}
	wanted, err := c.wantedPackages()
	if err != nil {
		klog.Warningf("telling that every kind of catalog is listed: %v", err)
		return
	}
	c.changes.Notify(slices.Sorted(maps.Keys(wanted)))
}

// describeAll describes the catalogs that are known by now, and says whether those are all.
func (c *controller) describeAll(syncCtx factory.SyncContext) bool {
	unlisted := c.unlisted() // before looking at what there is: what is listed meanwhile is described the next time
	wanted, err := c.wantedPackages()
	if err != nil {
		klog.Warningf("describing catalogs: %v", err)
		return false
	}
	for _, key := range c.everyCatalog(nil) {
		id, err := parseID(key)
		if err != nil {
			continue
		}
		if d, found, err := c.lookUp(id); err == nil && found {
			c.tell(id, c.snapshots.UpdateInfo(c.info(d, wanted)))
			syncCtx.Queue().Add(key) // in case it was deleted in between
		}
	}
	c.snapshots.SetUnlisted(unlisted)
	return len(unlisted) == 0
}

// unlisted are the kinds of catalogs that are served and have not been listed, sorted.
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
