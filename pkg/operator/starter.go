package operator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/imageconfig"
)

// Operator is the manager with all controllers, whose event handlers are registered with the informers.
type Operator struct {
	input       *Input
	controllers []controller
	inventory   *clusterInventory
	imageConfig *imageconfig.Cluster // nil if Input.Images was given
	catalogs    *catalogState
	// runCatalogInformers runs the informers of the catalogs controller until its context ends.
	runCatalogInformers func(context.Context)
	// revokeStaleGrants revokes permissions that an ended process or a restored backup has left behind, until its context ends.
	revokeStaleGrants func(context.Context)
	// forgetKinds makes the next sync read which kinds the cluster serves.
	forgetKinds func()
	tasks       *background.Tasks

	// draining serializes calls of DrainQueue. If two calls ran at once, one could block because the other has removed the last key.
	draining       sync.Mutex
	startInformers sync.Once
	// informers counts the goroutines that StartInformers starts, except those of informer factories.
	informers sync.WaitGroup
}

// controller is one entry of the list of controllers.
type controller struct {
	factory.Controller
	workers int
	// stage is the position of the controller in RunOnce, and keys returns the keys that RunOnce syncs; see keyFunc.
	stage int
	keys  keyFunc
	// degraded is the client of a controller with WithSyncDegradedOnError, for RunOnce; nil for other controllers.
	degraded v1helpers.OperatorClient
	// syncContext has the queue of the controller. Only LoggingSyncer has a queue of its own, so that the one in its syncContext is unused.
	syncContext factory.SyncContext
}

// Start builds all controllers from the input, starts the informers, and runs the controllers until the context ends.
func Start(ctx context.Context, input *Input) error {
	built, err := Build(ctx, input)
	if err != nil {
		return err
	}
	built.Run(ctx)
	return nil
}

// Run starts the informers, runs the controllers, and revokes permissions that an ended process or a restored backup has left behind, until
// the context ends. If the caller started the informers, Run also waits until their context has ended.
func (o *Operator) Run(ctx context.Context) {
	o.StartInformers(ctx)
	var running sync.WaitGroup
	running.Go(func() { o.revokeStaleGrants(ctx) })
	for _, each := range o.controllers {
		running.Go(func() { each.Run(ctx, each.workers) })
	}
	klog.Infof("started %d controllers against Kubernetes %s", len(o.controllers), o.input.KubernetesVersion)
	running.Wait()
	o.informers.Wait()
	o.ShutDown() // a controller whose caches have not synced leaves its queue open
}

// StartInformers starts the informers and returns. They run until the context ends. Only the first call has an effect.
func (o *Operator) StartInformers(ctx context.Context) {
	o.startInformers.Do(func() {
		o.input.OperatorInformers.Start(ctx.Done())
		o.input.ConfigInformers.Start(ctx.Done())
		o.input.PlatformInformers.Start(ctx.Done())
		o.input.LimitsInformers.Start(ctx.Done())
		o.informers.Go(func() { o.input.RevisionSecrets.RunWithContext(ctx) })
		o.informers.Go(func() { o.inventory.kinds.Run(ctx) })
		o.informers.Go(func() { o.inventory.installations.Run(ctx) })
		if o.imageConfig != nil {
			o.informers.Go(func() { o.imageConfig.Run(ctx) })
		}
		o.informers.Go(func() { o.runCatalogInformers(ctx) })
	})
}

// WaitForCaches waits until the informers have listed their objects. It returns an error if the context ends first. For kinds of other
// components, such as CatalogSources, it waits only a few seconds. When it returns, event handlers may still be adding keys to queues.
func (o *Operator) WaitForCaches(ctx context.Context) error {
	synced := []cache.InformerSynced{o.input.Operator.Informer().HasSynced, o.inventory.kinds.HasSynced, o.inventory.installations.HasSynced, o.catalogs.changes.HasSynced}
	for _, informer := range o.input.sharedInformers(o.inventory.kinds) {
		synced = append(synced, informer.HasSynced)
	}
	if !cache.WaitForCacheSync(ctx.Done(), synced...) {
		return fmt.Errorf("waiting for the caches of the manager: %w", context.Cause(ctx))
	}
	return nil
}

// Controllers returns the names of all controllers, in the order in which data passes through them.
func (o *Operator) Controllers() []string {
	names := make([]string, len(o.controllers))
	for i, each := range o.controllers {
		names[i] = each.Name()
	}
	return names
}

// SyncOnce runs one sync of a controller for one key of its queue. The caches must have synced. A controller with one worker must not be
// running. The sync adds keys to the queue as in a running controller. SyncOnce returns the error of the sync, but neither requeues the key
// nor sets a condition because of it. For a factory.SyntheticRequeueError, it adds the key to the queue and returns nil.
func (o *Operator) SyncOnce(ctx context.Context, controllerName, key string) error {
	found, err := o.controller(controllerName)
	if err != nil {
		return err
	}
	err = found.Sync(ctx, keyedContext{found.syncContext, key})
	if errors.Is(err, factory.SyntheticRequeueError) {
		found.syncContext.Queue().Add(key)
		return nil
	}
	return err
}

// DrainQueue removes the keys from the queue of a controller, and returns them. They name the objects that have changed since the last
// call. The controller must not be running. Keys that were added with a delay are returned once they are due.
//
// Two causes of syncs add no key, so the caller must sync factory.DefaultQueueKey for them: the resyncs of operatorconfig and StatusSyncer,
// and a new log level for LoggingSyncer, which has its own queue.
func (o *Operator) DrainQueue(controllerName string) ([]string, error) {
	found, err := o.controller(controllerName)
	if err != nil {
		return nil, err
	}
	o.draining.Lock()
	defer o.draining.Unlock()
	var keys []string
	for queue := found.syncContext.Queue(); queue.Len() > 0; {
		item, _ := queue.Get()
		queue.Done(item)
		queue.Forget(item)
		if key, ok := item.(string); ok {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// WaitIdle waits until the background tasks that syncs started have ended: fetches of sources, reads of catalogs, checks of namespaces, and
// the revocation of permissions for these checks. It returns an error if the context ends first.
//
// By the time a task has ended, it has added its key to the queue of its controller. Revocations are retried while the API server refuses
// them. Watches are not tasks. The search for versions that would unblock a cluster upgrade is a sync with its own key.
func (o *Operator) WaitIdle(ctx context.Context) error { return o.tasks.Wait(ctx) }

func (o *Operator) controller(name string) (controller, error) {
	i := slices.IndexFunc(o.controllers, func(each controller) bool { return each.Name() == name })
	if i < 0 {
		return controller{}, fmt.Errorf("there is no controller %q; there are %q", name, o.Controllers())
	}
	return o.controllers[i], nil
}

// keyedContext is a SyncContext for one key.
type keyedContext struct {
	factory.SyncContext
	key string
}

// QueueKey returns the key.
func (c keyedContext) QueueKey() string { return c.key }
