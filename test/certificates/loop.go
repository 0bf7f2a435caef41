package certificates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// tryAgain is the time that a loop waits after a failed pass, for example because of a conflict. It is also the interval at which define
// and undefine poll.
const tryAgain = 200 * time.Millisecond

var (
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	secrets     = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	configMaps  = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	validating  = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}
	mutating    = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
)

// loop is a controller that watches some resources. After any change it processes all their objects, because there are few.
type loop struct {
	client  dynamic.Interface
	listers map[schema.GroupVersionResource]cache.GenericLister
	log     io.Writer

	cancel  context.CancelFunc
	factory dynamicinformer.DynamicSharedInformerFactory
	running sync.WaitGroup
	changed chan struct{}
}

// startLoop creates a loop and returns when its caches are filled. It does not watch resources that the API server does not serve. name is
// the user agent and field manager. The caller must call run.
func startLoop(ctx context.Context, config *rest.Config, name string, log io.Writer, watched ...schema.GroupVersionResource) (*loop, error) {
	config = rest.CopyConfig(config)
	config.UserAgent = name // also the field manager, which the API server derives from the user agent if a request has none
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	if watched, err = served(config, watched); err != nil {
		return nil, fmt.Errorf("starting %s: %w", name, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	l := &loop{
		client: client, log: log, cancel: cancel, changed: make(chan struct{}, 1),
		listers: map[schema.GroupVersionResource]cache.GenericLister{},
		factory: dynamicinformer.NewDynamicSharedInformerFactory(client, 0),
	}
	wake := cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { l.wake() },
		UpdateFunc: func(any, any) { l.wake() },
		DeleteFunc: func(any) { l.wake() },
	}
	for _, resource := range watched {
		informer := l.factory.ForResource(resource)
		l.listers[resource] = informer.Lister()
		if _, err := informer.Informer().AddEventHandler(wake); err != nil {
			cancel()
			return nil, fmt.Errorf("starting %s: %w", name, err)
		}
	}
	l.factory.Start(ctx.Done())
	for resource, synced := range l.factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			cancel()
			return nil, fmt.Errorf("starting %s: reading all %s: %w", name, resource.Resource, context.Cause(ctx))
		}
	}
	return l, nil
}

// served returns those of the resources that the API server serves. For example, the API server in memory has no APIServices.
func served(config *rest.Config, resources []schema.GroupVersionResource) ([]schema.GroupVersionResource, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	var found []schema.GroupVersionResource
	for _, resource := range resources {
		enabled, err := discovery.IsResourceEnabled(client, resource)
		if err != nil {
			return nil, fmt.Errorf("looking for %s: %w", resource.GroupResource(), err)
		}
		if enabled {
			found = append(found, resource)
		}
	}
	return found, nil
}

// run starts a goroutine that calls pass at once and after every change. After a failure, it calls pass again after tryAgain. It writes the
// errors from pass to the log. The goroutine ends with ctx.
func (l *loop) run(ctx context.Context, pass func(context.Context) error) {
	l.running.Go(func() {
		retry := time.NewTimer(0)
		defer retry.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-l.changed:
			case <-retry.C:
			}
			if err := pass(ctx); err != nil && ctx.Err() == nil {
				fmt.Fprintf(l.log, "certificates: %v\n", err)
				retry.Reset(tryAgain)
			}
		}
	})
}

func (l *loop) wake() {
	select {
	case l.changed <- struct{}{}:
	default: // a pass that will see the change is due
	}
}

func (l *loop) stop() {
	l.cancel()
	l.running.Wait()
	l.factory.Shutdown()
}

// each calls do with a copy of every object of a resource, even after an error, and joins the errors. If the API server does not serve the
// resource, each does nothing.
func (l *loop) each(resource schema.GroupVersionResource, do func(*unstructured.Unstructured) error) error {
	lister, isServed := l.listers[resource]
	if !isServed {
		return nil
	}
	found, err := lister.List(labels.Everything())
	if err != nil {
		return err
	}
	var faults []error
	for _, each := range found {
		object, ok := each.(*unstructured.Unstructured)
		if !ok {
			continue
		}
		if err := do(object.DeepCopy()); err != nil {
			faults = append(faults, fmt.Errorf("%s %s/%s: %w", resource.Resource, object.GetNamespace(), object.GetName(), err))
		}
	}
	return errors.Join(faults...)
}
