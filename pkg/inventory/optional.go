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

// OptionalConfig says which objects an Optional watches.
type OptionalConfig struct {
	// Resource is the kind's; it has to be one of a CustomResourceDefinition.
	Resource schema.GroupVersionResource
	// Indexers and Transform are as in any informer, and may be nil.
	Indexers  cache.Indexers
	Transform cache.TransformFunc
}

// Optional watches objects of a kind that the cluster may not serve. Nothing is asked of the API server before the kind is
// served; it is watched from then on, and no longer once it is not. Whoever listens is told of what came and went, whether it
// was the objects or their kind.
type Optional struct {
	config OptionalConfig
	client dynamic.Interface
	kinds  *Kinds
	// turned gets an entry when the kind came or went.
	turned chan struct{}

	lock     sync.Mutex
	informer cache.SharedIndexInformer
	handlers []cache.ResourceEventHandler
	// troubled is told of errors; nil is nobody but the log.
	troubled cache.WatchErrorHandlerWithContext
	// present are the objects of which listeners know.
	present map[string]any
}

// NewOptional prepares the watch; nothing is asked before Run. kinds have to be run by somebody.
func NewOptional(client dynamic.Interface, kinds *Kinds, config OptionalConfig) (*Optional, error) {
	o := &Optional{config: config, client: client, kinds: kinds, turned: make(chan struct{}, 1), present: map[string]any{}}
	if err := o.renew(); err != nil {
		return nil, err
	}
	name := config.Resource.GroupResource().String()
	if _, err := kinds.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		if found, ok := object.(metav1.Object); ok && found.GetName() == name {
			select {
			case o.turned <- struct{}{}:
			default: // told already
			}
		}
	}}); err != nil {
		return nil, fmt.Errorf("watching for %s to be served: %w", name, err)
	}
	return o, nil
}

// renew makes the informer: each runs once.
func (o *Optional) renew() error {
	indexers := cache.Indexers{}
	maps.Copy(indexers, o.config.Indexers)
	informer := dynamicinformer.NewFilteredDynamicInformer(o.client, o.config.Resource, metav1.NamespaceAll, 0, indexers, nil).Informer()
	if o.config.Transform != nil {
		if err := informer.SetTransform(o.config.Transform); err != nil {
			return fmt.Errorf("watching %s: %w", o.config.Resource.Resource, err)
		}
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{AddFunc: o.came, UpdateFunc: o.changed, DeleteFunc: o.went}); err != nil {
		return fmt.Errorf("watching %s: %w", o.config.Resource.Resource, err)
	}
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.troubled != nil {
		if err := informer.SetWatchErrorHandlerWithContext(o.troubled); err != nil {
			return fmt.Errorf("watching %s: %w", o.config.Resource.Resource, err)
		}
	}
	o.informer = informer
	return nil
}

// SetWatchErrorHandlerWithContext has somebody told, before Run, when the API server does not have the kind listed or watched though
// it is served. That it is not there is told to nobody: it goes at other moments than its definition, which may define it and not
// be let serve it.
func (o *Optional) SetWatchErrorHandlerWithContext(handler cache.WatchErrorHandlerWithContext) error {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.troubled = func(ctx context.Context, reflector *cache.Reflector, err error) {
		if apierrors.IsNotFound(err) {
			cache.DefaultWatchErrorHandler(ctx, reflector, err)
			return
		}
		handler(ctx, reflector, err)
	}
	return o.informer.SetWatchErrorHandlerWithContext(o.troubled)
}

// AddEventHandler registers a handler before Run; it is called from the goroutine that watches and must not block.
func (o *Optional) AddEventHandler(handler cache.ResourceEventHandler) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.handlers = append(o.handlers, handler)
}

// GetStore gives what is there; nothing while the kind is not served. It is to be asked for anew each time.
func (o *Optional) GetStore() cache.Store { return o.now().GetStore() }

func (o *Optional) now() cache.SharedIndexInformer {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.informer
}

// Settled says whether what there is is known, or that the cluster serves no such kind.
func (o *Optional) Settled() bool {
	return o.kinds.HasSynced() && (!o.kinds.Serves(o.config.Resource) || o.now().HasSynced())
}

// Run watches until the context ends, whenever the kind is served.
func (o *Optional) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if o.kinds.Serves(o.config.Resource) {
			o.whileServed(ctx)
			continue
		}
		select {
		case <-ctx.Done():
		case <-o.turned:
		}
	}
}

// whileServed watches until the kind is no longer served, or the context ends.
func (o *Optional) whileServed(ctx context.Context) {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{})
	informer := o.now()
	go func() {
		defer close(ended)
		informer.RunWithContext(watching)
	}()
	for ctx.Err() == nil && o.kinds.Serves(o.config.Resource) {
		select {
		case <-ctx.Done():
		case <-o.turned:
		}
	}
	stop()
	<-ended
	if ctx.Err() != nil {
		return
	}
	klog.Infof("%s are no longer served; they are watched again once they are", o.config.Resource.GroupResource())
	if err := o.renew(); err != nil {
		klog.Errorf("preparing to watch again: %v", err) // a new informer takes every transform and handler
		return
	}
	for _, object := range o.left() {
		o.went(object)
	}
}

// left are the objects that listeners take for present, in the order of their names.
func (o *Optional) left() []any {
	o.lock.Lock()
	defer o.lock.Unlock()
	var objects []any
	for _, key := range slices.Sorted(maps.Keys(o.present)) {
		objects = append(objects, o.present[key])
	}
	return objects
}

func (o *Optional) came(object any, initially bool) {
	for _, handler := range o.note(object, true) {
		handler.OnAdd(object, initially)
	}
}

func (o *Optional) changed(before, after any) {
	for _, handler := range o.note(after, true) {
		handler.OnUpdate(before, after)
	}
}

func (o *Optional) went(object any) {
	for _, handler := range o.note(object, false) {
		handler.OnDelete(object)
	}
}

// note remembers whether an object is there, and gives who is to be told.
func (o *Optional) note(object any, there bool) []cache.ResourceEventHandler {
	o.lock.Lock()
	defer o.lock.Unlock()
	if key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(object); err == nil {
		if there {
			o.present[key] = object
		} else {
			delete(o.present, key)
		}
	}
	return o.handlers
}
