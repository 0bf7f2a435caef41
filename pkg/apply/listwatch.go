package apply

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

// ownedOnly lists and watches the objects of one resource that are some BundleDeployment's. The API server selects by a label,
// which everybody may set who may write the object; of what has nothing but the label no informer ever hears, so that nothing
// of it is kept and nobody is woken up for it.
type ownedOnly struct {
	client dynamic.NamespaceableResourceInterface

	mu sync.Mutex
	// passed has the owner of each object that the informer knows, by its key: one that stops being owned is deleted to it.
	passed map[string]string
}

const ownerSelector = corev1alpha2.LabelOwnerKind + "=" + corev1alpha2.OwnerKindBundleDeployment

// listWatch is for an informer of the resource. Only one informer may use it.
func (o *ownedOnly) listWatch(client dynamic.Interface) cache.ListerWatcher {
	return cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{ListWithContextFunc: o.list, WatchFuncWithContext: o.watch}, client)
}

// list reads page by page and gives all in one. It always asks for the newest state: the API server gives what its cache had
// some time ago in one page, however large.
func (o *ownedOnly) list(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	owned, passed := &unstructured.UnstructuredList{Object: map[string]any{}}, map[string]string{}
	err := pager.Each(ctx, o.client.List, metav1.ListOptions{LabelSelector: ownerSelector, TimeoutSeconds: options.TimeoutSeconds}, func(page *unstructured.UnstructuredList) (bool, error) {
		if owned.GetResourceVersion() == "" {
			owned.SetAPIVersion(page.GetAPIVersion())
			owned.SetKind(page.GetKind())
			owned.SetResourceVersion(page.GetResourceVersion())
		}
		for i := range page.Items {
			if owner, is := ownership.MarksOf(&page.Items[i]).Owner(); is {
				owned.Items = append(owned.Items, page.Items[i])
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
	return owned, nil
}

func (o *ownedOnly) watch(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
	options.LabelSelector = ownerSelector
	source, err := o.client.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	if options.SendInitialEvents != nil && *options.SendInitialEvents {
		o.reset() // the informer begins anew
	}
	filtered := &ownedWatch{of: o, source: source, result: make(chan watch.Event), stopped: make(chan struct{})}
	go filtered.run()
	return filtered, nil
}

func (o *ownedOnly) reset() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.passed = map[string]string{}
}

// ownedWatch passes on the events of owned objects.
type ownedWatch struct {
	of      *ownedOnly
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
		event, owner, pass := w.of.filter(event)
		if !pass {
			continue
		}
		select {
		case w.result <- event:
			w.of.note(event, owner)
		case <-w.stopped:
			return
		}
	}
}

// filter says what of an event is passed on, and whose object it is about. An object that is not owned any more is deleted for
// whoever listens, under the name of the owner that it had.
func (o *ownedOnly) filter(event watch.Event) (passed watch.Event, owner string, pass bool) {
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
	return watch.Event{Type: watch.Deleted, Object: remains(live, owner)}, owner, known
}

// remains is what is told of an object that is gone, or not owned any more.
func remains(live *unstructured.Unstructured, owner string) *unstructured.Unstructured {
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

// note keeps what was delivered: what was not is delivered again by the next watch.
func (o *ownedOnly) note(event watch.Event, owner string) {
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
