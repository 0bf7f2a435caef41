package livecache

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/ownership"
	"github.com/openshift/platform-operators/pkg/pager"
)

// ownedOnly lists and watches the objects of one resource that some BundleDeployment owns. The API server selects by a label, which any
// client that writes the object may set. Objects that have only the label are not passed to the informer, so they use no memory and enqueue
// nothing.
type ownedOnly struct {
	client dynamic.NamespaceableResourceInterface
	// started is called after each start of a watch.
	started func()

	mu sync.Mutex
	// passed holds the objects that the informer has received: it maps their keys to their owners. An object that is no longer owned is
	// reported to the informer as deleted.
	passed map[string]string
}

// ownerSelector selects the objects that have the owner label of a BundleDeployment.
const ownerSelector = corev1alpha2.LabelOwnerKind + "=" + corev1alpha2.OwnerKindBundleDeployment

// listWatch returns a ListerWatcher for an informer of the resource. Only one informer may use it.
func (o *ownedOnly) listWatch(client dynamic.Interface) cache.ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{ListWithContextFunc: o.list, WatchFuncWithContext: o.watch}, client)
}

// list reads page by page and returns one list. It requests the newest state, because otherwise the API server returns an older state from
// its cache, in one page of any size.
func (o *ownedOnly) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	objects, passed := &unstructured.UnstructuredList{Object: map[string]any{}}, map[string]string{}
	err := pager.Each(ctx, o.client.List, metav1.ListOptions{LabelSelector: ownerSelector, TimeoutSeconds: options.TimeoutSeconds}, func(page *unstructured.UnstructuredList) (bool, error) {
		if objects.GetResourceVersion() == "" {
			objects.SetAPIVersion(page.GetAPIVersion())
			objects.SetKind(page.GetKind())
			objects.SetResourceVersion(page.GetResourceVersion())
		}
		for i := range page.Items {
			if owner, owned := ownership.MarksOf(&page.Items[i]).Owner(); owned {
				objects.Items = append(objects.Items, page.Items[i])
				passed[storeKey(page.Items[i].GetNamespace(), page.Items[i].GetName())] = owner
			}
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passed = passed
	return objects, nil
}

// watch returns a watch that delivers only the events of owned objects.
func (o *ownedOnly) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.LabelSelector = ownerSelector
	source, err := o.client.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	o.started()
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		o.reset() // the informer starts with an empty store
	}
	filtered := &ownedWatch{list: o, source: source, result: make(chan watch.Event), stopped: make(chan struct{})}
	go filtered.run()
	return filtered, nil
}

func (o *ownedOnly) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passed = map[string]string{}
}

// ownedWatch is a watch that passes only the events of owned objects to an informer.
type ownedWatch struct {
	list    *ownedOnly
	source  watch.Interface
	result  chan watch.Event
	once    sync.Once
	stopped chan struct{}
}

// ResultChan implements watch.Interface.
func (w *ownedWatch) ResultChan() <-chan watch.Event { return w.result }

// Stop implements watch.Interface.
func (w *ownedWatch) Stop() {
	w.once.Do(func() {
		close(w.stopped)
		w.source.Stop()
	})
}

func (w *ownedWatch) run() {
	defer close(w.result)
	defer w.source.Stop()
	for event := range w.source.ResultChan() {
		event, owner, pass := w.list.filter(event)
		if !pass {
			continue
		}
		select {
		case w.result <- event:
			w.list.recordPassed(event, owner)
		case <-w.stopped:
			return
		}
	}
}

// filter returns the event to pass to the informer, and the owner of its object. pass is false if the informer must not receive the event.
// An event for an object that is no longer owned becomes a deletion, with the previous owner. The owner of a bookmark or an error is empty.
func (o *ownedOnly) filter(event watch.Event) (filtered watch.Event, owner string, pass bool) {
	live, ok := event.Object.(*unstructured.Unstructured)
	if !ok || event.Type == watch.Bookmark || event.Type == watch.Error {
		return event, "", true
	}
	owner, owned := ownership.MarksOf(live).Owner()
	if owned && event.Type != watch.Deleted {
		return event, owner, true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	owner, known := o.passed[storeKey(live.GetNamespace(), live.GetName())]
	return watch.Event{Type: watch.Deleted, Object: deletedState(live, owner)}, owner, known
}

// deletedState returns the object of a deletion event: its identity, and the labels of its previous owner.
func deletedState(live *unstructured.Unstructured, owner string) *unstructured.Unstructured {
	gone := &unstructured.Unstructured{Object: map[string]any{}}
	gone.SetAPIVersion(live.GetAPIVersion())
	gone.SetKind(live.GetKind())
	gone.SetNamespace(live.GetNamespace())
	gone.SetName(live.GetName())
	gone.SetUID(live.GetUID())
	gone.SetResourceVersion(live.GetResourceVersion())
	gone.SetLabels(map[string]string{corev1alpha2.LabelOwnerKind: corev1alpha2.OwnerKindBundleDeployment, corev1alpha2.LabelOwnerName: owner})
	return gone
}

// recordPassed records an event that the informer has received. It does nothing for bookmarks and errors. An event that the informer has
// not received is not recorded, because the next watch delivers it again.
func (o *ownedOnly) recordPassed(event watch.Event, owner string) {
	live, ok := event.Object.(*unstructured.Unstructured)
	if !ok || owner == "" {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	key := storeKey(live.GetNamespace(), live.GetName())
	if event.Type == watch.Deleted {
		delete(o.passed, key)
		return
	}
	o.passed[key] = owner
}
