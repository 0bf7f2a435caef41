package scenario_test

import (
	"context"
	"fmt"
	"sync"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// observer is the user of informers. It may do everything.
const observer = "observer"

// grantObserver creates the permissions of the user observer.
func (s story) grantObserver() {
	s.Helper()
	_, err := s.admin.RbacV1().ClusterRoleBindings().Create(s.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: observer},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: observer}},
	}, metav1.CreateOptions{})
	s.must(err)
	s.must(s.Settle())
}

var (
	configMapResource = corev1.SchemeGroupVersion.WithResource("configmaps")
	secretResource    = corev1.SchemeGroupVersion.WithResource("secrets")
)

// informerKinds are functions that return an informer of a resource in namespace "default" with one kind of client.
var informerKinds = map[string]func(config *rest.Config, resource schema.GroupVersionResource) (cache.SharedIndexInformer, error){
	"typed": func(config *rest.Config, resource schema.GroupVersionResource) (cache.SharedIndexInformer, error) {
		client, err := kubernetes.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		informer, err := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("default")).ForResource(resource)
		if err != nil {
			return nil, err
		}
		return informer.Informer(), nil
	},
	"dynamic": func(config *rest.Config, resource schema.GroupVersionResource) (cache.SharedIndexInformer, error) {
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, "default", nil).ForResource(resource).Informer(), nil
	},
	"metadata": func(config *rest.Config, resource schema.GroupVersionResource) (cache.SharedIndexInformer, error) {
		client, err := metadata.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		objects := client.Resource(resource).Namespace("default")
		return cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
			ListWithContextFunc:  func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return objects.List(ctx, o) },
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) { return objects.Watch(ctx, o) },
		}, client), &metav1.PartialObjectMetadata{}, 0, cache.Indexers{}), nil
	},
}

// observed is an informer of the user observer, and what it has notified.
type observed struct {
	story
	informer cache.SharedIndexInformer
	began    time.Time
	mu       sync.Mutex
	// all are the notifications, such as "10s update a 1 to 2". An object is shown as its name and its label "v".
	all []string
}

// observe starts an informer, waits until it has listed, and returns it. It runs until stop is called. The seconds in notifications count
// from now.
func (s story) observe(kind string, resource schema.GroupVersionResource) (o *observed, stop func()) {
	s.Helper()
	informer, err := informerKinds[kind](s.ClientConfig(observer), resource)
	s.must(err)
	o = &observed{story: s, informer: informer, began: time.Now()}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(object any, _ bool) { o.notify("add", nil, object) },
		UpdateFunc: func(before, now any) { o.notify("update", before, now) },
		DeleteFunc: func(object any) { o.notify("delete", nil, object) },
	})
	s.must(err)
	ctx, cancel := context.WithCancel(s.Context())
	var running sync.WaitGroup
	running.Go(func() { informer.RunWithContext(ctx) })
	listed, timeout := context.WithTimeout(ctx, time.Minute)
	defer timeout()
	if !cache.WaitForCacheSync(listed.Done(), informer.HasSynced) {
		cancel()
		running.Wait()
		s.Fatal("the informer does not list")
	}
	synctest.Wait()
	return o, func() {
		cancel()
		running.Wait()
	}
}

func (o *observed) notify(what string, before, now any) {
	if unknown, isUnknown := now.(cache.DeletedFinalStateUnknown); isUnknown {
		what, now = "miss the deletion of", unknown.Obj
	}
	object, err := meta.Accessor(now)
	if err != nil || object.GetName() == "kube-root-ca.crt" {
		return
	}
	text := fmt.Sprintf("%s %s %s %s", time.Since(o.began).Round(time.Second), what, object.GetName(), object.GetLabels()["v"])
	if before, err := meta.Accessor(before); err == nil {
		if before.GetResourceVersion() == object.GetResourceVersion() {
			return // the informer has listed again
		}
		text = fmt.Sprintf("%s %s %s %s to %s", time.Since(o.began).Round(time.Second), what, object.GetName(), before.GetLabels()["v"], object.GetLabels()["v"])
		if before.GetUID() != object.GetUID() {
			text += ", another object"
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = append(o.all, text)
}

// notifications returns all notifications after the goroutines of the bubble have become idle.
func (o *observed) notifications() []string {
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.all...)
}

// cached returns the objects in the informer's cache, except kube-root-ca.crt, as names to labels "v".
func (o *observed) cached() map[string]string {
	synctest.Wait()
	all := map[string]string{}
	for _, each := range o.informer.GetStore().List() {
		object, err := meta.Accessor(each)
		o.must(err)
		if object.GetName() != "kube-root-ca.crt" {
			all[object.GetName()] = object.GetLabels()["v"]
		}
	}
	return all
}

// write creates, updates or deletes a ConfigMap or a Secret, and then lets ten seconds pass. A write is "<verb> <name> <label v>"; names of
// Secrets begin with "secret".
func (s story) write(writes ...string) {
	s.Helper()
	for _, write := range writes {
		var verb, name, value string
		_, err := fmt.Sscan(write+" -", &verb, &name, &value)
		s.must(err)
		resource, kind := configMapResource, "ConfigMap"
		if name == "secret" {
			resource, kind = secretResource, "Secret"
		}
		objects := s.dynamic.Resource(resource).Namespace("default")
		switch verb {
		case "create":
			object := s.widget(name, nil)
			object.SetLabels(map[string]string{"v": value})
			object.SetAPIVersion("v1")
			object.SetKind(kind)
			_, err = objects.Create(s.Context(), object, metav1.CreateOptions{})
		case "update":
			_, err = objects.Patch(s.Context(), name, types.MergePatchType, fmt.Appendf(nil, `{"metadata":{"labels":{"v":%q}}}`, value), metav1.PatchOptions{})
		default:
			err = objects.Delete(s.Context(), name, metav1.DeleteOptions{})
		}
		s.must(err)
		time.Sleep(10 * time.Second)
	}
}

// watchLabel begins a watch of the ConfigMaps that a label selector selects, as the user observer.
func (s story) watchLabel(selector string) watch.Interface {
	s.Helper()
	client, err := kubernetes.NewForConfig(s.ClientConfig(observer))
	s.must(err)
	list, err := client.CoreV1().ConfigMaps("default").List(s.Context(), metav1.ListOptions{})
	s.must(err)
	events, err := client.CoreV1().ConfigMaps("default").Watch(s.Context(), metav1.ListOptions{LabelSelector: selector, ResourceVersion: list.ResourceVersion})
	s.must(err)
	return events
}

// eventTypes stops a watch, and returns the types of the events that it has delivered.
func eventTypes(events watch.Interface) (types []watch.EventType) {
	defer events.Stop()
	for {
		synctest.Wait()
		select {
		case event := <-events.ResultChan():
			types = append(types, event.Type)
		default:
			return types
		}
	}
}
