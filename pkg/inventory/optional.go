package inventory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// OptionalConfig selects the objects that an Optional watches.
type OptionalConfig struct {
	// Resource is the watched resource. A CustomResourceDefinition must define it.
	Resource schema.GroupVersionResource
	// Indexers and Transform are those of the informer, and may be nil.
	Indexers  cache.Indexers
	Transform cache.TransformFunc
}

// Optional watches objects of a kind that the cluster may not serve. It starts to watch when the kind is served, stops when the kind is no
// longer served, and makes no request otherwise. Handlers are notified of added and deleted objects, including when their kind appears or
// disappears.
type Optional struct {
	config OptionalConfig
	client dynamic.Interface
	kinds  *Kinds
	// changed receives an element when the kind appears or disappears.
	changed chan struct{}

	lock     sync.Mutex
	informer cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
	// watchErrorHandler handles list and watch errors. If it is nil, they are only logged.
	watchErrorHandler cache.WatchErrorHandlerWithContext
	// present holds the objects that exist according to the last notification of handlers, keyed by namespace and name.
	present map[string]any
}

// NewOptional returns an Optional. It makes no request before Run. The caller must run kinds.
func NewOptional(client dynamic.Interface, kinds *Kinds, config OptionalConfig) (*Optional, error) {
	o := &Optional{config: config, client: client, kinds: kinds, changed: make(chan struct{}, 1), present: map[string]any{}}
	if err := o.renew(); err != nil {
		return nil, err
	}
	name := config.Resource.GroupResource().String()
	if _, err := kinds.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		if found, ok := object.(metav1.Object); ok && found.GetName() == name {
			select {
			case o.changed <- struct{}{}:
			default: // a notification is pending already
			}
		}
	}}); err != nil {
		return nil, fmt.Errorf("watching for %s to be served: %w", name, err)
	}
	return o, nil
}

// renew creates a new informer, because each can run only once.
func (o *Optional) renew() error {
	indexers := cache.Indexers{}
	maps.Copy(indexers, o.config.Indexers)
	informer := dynamicinformer.NewFilteredDynamicInformer(o.client, o.config.Resource, metav1.NamespaceAll, 0, indexers, nil).Informer()
	if o.config.Transform != nil {
		if err := informer.SetTransform(o.config.Transform); err != nil {
			return fmt.Errorf("watching %s: %w", o.config.Resource.Resource, err)
		}
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{AddFunc: o.onAdd, UpdateFunc: o.onUpdate, DeleteFunc: o.onDelete}); err != nil {
		return fmt.Errorf("watching %s: %w", o.config.Resource.Resource, err)
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.watchErrorHandler != nil {
		if err := informer.SetWatchErrorHandlerWithContext(o.watchErrorHandler); err != nil {
			return fmt.Errorf("watching %s: %w", o.config.Resource.Resource, err)
		}
	}
	o.informer = informer
	return nil
}

// SetWatchErrorHandlerWithContext sets the handler for list and watch errors while the kind is served. It must be called before Run. The
// handler does not receive NotFound errors, which are not a fault: a resource does not disappear at the same time as its
// CustomResourceDefinition, and a CustomResourceDefinition can exist before it is served.
func (o *Optional) SetWatchErrorHandlerWithContext(handler cache.WatchErrorHandlerWithContext) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.watchErrorHandler = func(ctx context.Context, reflector *cache.Reflector, err error) {
		if apierrors.IsNotFound(err) {
			cache.DefaultWatchErrorHandler(ctx, reflector, err)
			return
		}
		handler(ctx, reflector, err)
	}
	return o.informer.SetWatchErrorHandlerWithContext(o.watchErrorHandler)
}

// AddEventHandler registers a handler. It must be called before Run. The handler is called from the watching goroutine and must not block.
func (o *Optional) AddEventHandler(handler cache.ResourceEventHandler) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.handlers = append(o.handlers, handler)
}

// Resource returns the watched resource.
func (o *Optional) Resource() schema.GroupVersionResource { return o.config.Resource }

// GetStore returns the store of the current informer, which is empty while the kind is not served. Callers must not keep the store, because
// another informer, with another store, replaces this one when the kind is no longer served.
func (o *Optional) GetStore() cache.Store { return o.current().GetStore() }

func (o *Optional) current() cache.SharedIndexInformer {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.informer
}

// Settled reports whether all existing objects are known, or the cluster does not serve the kind.
func (o *Optional) Settled() bool {
	return o.kinds.HasSynced() && (!o.kinds.Serves(o.config.Resource) || o.current().HasSynced())
}

// Run watches whenever the kind is served, until the context ends.
func (o *Optional) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if o.kinds.Serves(o.config.Resource) {
			o.whileServed(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-o.changed:
		}
	}
}

// whileServed watches until the kind is no longer served, or the context ends.
func (o *Optional) whileServed(ctx context.Context) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{})
	informer := o.current()
	go func() {
		defer close(ended)
		informer.RunWithContext(watching)
	}()
	for ctx.Err() == nil && o.kinds.Serves(o.config.Resource) {
		select {
		case <-ctx.Done():
		case <-o.changed:
		}
	}
	stop()
	<-ended
	if ctx.Err() != nil {
		return
	}
	klog.Infof("%s are no longer served; they are watched again once they are", o.config.Resource.GroupResource())
	if err := o.renew(); err != nil {
		klog.Errorf("preparing to watch again: %v", err) // a new informer accepts every transform and handler
		return
	}
	for _, object := range o.remaining() {
		o.onDelete(object)
	}
}

// remaining returns the objects that handlers were notified of, sorted by name.
func (o *Optional) remaining() []any {
	o.lock.Lock()
	defer o.lock.Unlock()
	var objects []any
	for _, key := range slices.Sorted(maps.Keys(o.present)) {
		objects = append(objects, o.present[key])
	}
	return objects
}

func (o *Optional) onAdd(object any, initially bool) {
	for _, handler := range o.setPresent(object, true) {
		handler.OnAdd(object, initially)
	}
}

func (o *Optional) onUpdate(before, after any) {
	for _, handler := range o.setPresent(after, true) {
		handler.OnUpdate(before, after)
	}
}

func (o *Optional) onDelete(object any) {
	for _, handler := range o.setPresent(object, false) {
		handler.OnDelete(object)
	}
}

// setPresent records whether an object exists, and returns the handlers to notify.
func (o *Optional) setPresent(object any, exists bool) []cache.ResourceEventHandler {
	o.lock.Lock()
	defer o.lock.Unlock()
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		if exists {
			o.present[key] = object
		} else {
			delete(o.present, key)
		}
	}
	return o.handlers
}
