// Package widgets is a minimal operator that uses client-go only. It maintains a Deployment for each Widget. Its tests show how
// to use pkg/scenario, and use no other package of this project.
package widgets

import (
	"context"
	"fmt"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	appsapply "k8s.io/client-go/applyconfigurations/apps/v1"
	coreapply "k8s.io/client-go/applyconfigurations/core/v1"
	metaapply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// fieldManager is the operator's field manager for server-side apply.
const fieldManager = "widgets"

var resource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}

// widget holds the fields of a Widget that the operator uses.
type widget struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Replicas int32 `json:"replicas"`
	} `json:"spec"`
	Status struct {
		Conditions []metav1.Condition `json:"conditions,omitempty"`
	} `json:"status"`
}

type operator struct {
	client      kubernetes.Interface
	dynamic     dynamic.Interface
	widgets     cache.GenericLister
	deployments appslisters.DeploymentLister
	queue       workqueue.TypedRateLimitingInterface[cache.ObjectName]
}

// Run runs the operator until the context is done. It then returns nil, or the context's error if the caches were not yet synced.
func Run(ctx context.Context, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	dynamicClient, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	built, own := informers.NewSharedInformerFactory(client, 0), dynamicinformer.NewDynamicSharedInformerFactory(dynamicClient, 0)
	deployments, widgets := built.Apps().V1().Deployments(), own.ForResource(resource)
	o := &operator{
		client: client, dynamic: dynamicClient, widgets: widgets.Lister(), deployments: deployments.Lister(),
		queue: workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]()),
	}
	defer o.queue.ShutDown() // also when Run returns early: a synctest bubble requires that the queue's goroutines end
	for _, informer := range []cache.SharedIndexInformer{deployments.Informer(), widgets.Informer()} {
		if _, err := informer.AddEventHandler(o.handler()); err != nil {
			return err
		}
	}
	built.StartWithContext(ctx)
	own.Start(ctx.Done())
	defer built.Shutdown()
	defer own.Shutdown()
	if !cache.WaitForCacheSync(ctx.Done(), deployments.Informer().HasSynced, widgets.Informer().HasSynced) {
		return ctx.Err()
	}
	var worker sync.WaitGroup
	worker.Go(func() { o.work(ctx) })
	<-ctx.Done()
	o.queue.ShutDown()
	worker.Wait()
	return nil
}

// handler enqueues the names of objects. A Deployment has the name of its Widget.
func (o *operator) handler() cache.ResourceEventHandler {
	enqueue := func(object any) {
		if name, err := cache.DeletionHandlingObjectToName(object); err == nil {
			o.queue.Add(name)
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: enqueue, UpdateFunc: func(_, object any) { enqueue(object) }, DeleteFunc: enqueue}
}

func (o *operator) work(ctx context.Context) {
	for {
		name, ended := o.queue.Get()
		if ended {
			return
		}
		if err := o.sync(ctx, name); err != nil && ctx.Err() == nil {
			utilruntime.HandleErrorWithContext(ctx, err, "a Widget is tried again", "widget", name)
			o.queue.AddRateLimited(name)
		} else {
			o.queue.Forget(name)
		}
		o.queue.Done(name)
	}
}

// sync applies the Deployment of a Widget if the Deployment is missing or has a different number of replicas. It updates the Widget's
// condition Available. It does nothing if the Widget is deleted.
func (o *operator) sync(ctx context.Context, name cache.ObjectName) error {
	found, err := o.widgets.ByNamespace(name.Namespace).Get(name.Name)
	if apierrors.IsNotFound(err) {
		return nil // the garbage collector deletes its Deployment
	}
	if err != nil {
		return err
	}
	object, isUnstructured := found.(*unstructured.Unstructured)
	if !isUnstructured {
		return fmt.Errorf("%s is a %T", name, found)
	}
	var read widget
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &read); err != nil {
		return err
	}
	if read.DeletionTimestamp != nil {
		return nil
	}
	live, err := o.deployments.Deployments(name.Namespace).Get(name.Name)
	if err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	if live == nil || live.Spec.Replicas == nil || *live.Spec.Replicas != read.Spec.Replicas {
		if live, err = o.apply(ctx, &read); err != nil {
			return err
		}
	}
	return o.report(ctx, object, &read, live)
}

// apply applies the Deployment of a Widget. It first reads the Widget from the API server, because the cache may still contain a deleted
// Widget, whose Deployment must not be created again. For a deleted Widget, it returns an error; the next attempt does not find the Widget
// in the cache.
func (o *operator) apply(ctx context.Context, w *widget) (*appsv1.Deployment, error) {
	if _, err := o.dynamic.Resource(resource).Namespace(w.Namespace).Get(ctx, w.Name, metav1.GetOptions{}); err != nil {
		return nil, err
	}
	labels := map[string]string{"widget": w.Name}
	container := coreapply.Container().WithName("main").WithImage("example.com/widget:v1")
	declared := appsapply.Deployment(w.Name, w.Namespace).WithLabels(labels).
		WithOwnerReferences(metaapply.OwnerReference().WithAPIVersion("example.com/v1").WithKind("Widget").WithName(w.Name).WithUID(w.UID).WithController(true)).
		WithSpec(appsapply.DeploymentSpec().WithReplicas(w.Spec.Replicas).WithSelector(metaapply.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(coreapply.PodTemplateSpec().WithLabels(labels).WithSpec(coreapply.PodSpec().WithContainers(container))))
	return o.client.AppsV1().Deployments(w.Namespace).Apply(ctx, declared, metav1.ApplyOptions{FieldManager: fieldManager, Force: true})
}

// report updates the condition Available if it changed.
func (o *operator) report(ctx context.Context, object *unstructured.Unstructured, w *widget, deployment *appsv1.Deployment) error {
	condition := metav1.Condition{
		Type: "Available", Status: metav1.ConditionTrue, Reason: "AsExpected", ObservedGeneration: w.Generation,
		Message: fmt.Sprintf("%d of %d replicas are available", deployment.Status.AvailableReplicas, w.Spec.Replicas),
	}
	if deployment.Status.AvailableReplicas < w.Spec.Replicas {
		condition.Status, condition.Reason = metav1.ConditionFalse, "Unavailable"
	}
	if !meta.SetStatusCondition(&w.Status.Conditions, condition) {
		return nil
	}
	status, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&w.Status)
	if err != nil {
		return err
	}
	updated := object.DeepCopy()
	updated.Object["status"] = status
	_, err = o.dynamic.Resource(resource).Namespace(w.Namespace).UpdateStatus(ctx, updated, metav1.UpdateOptions{FieldManager: fieldManager})
	return err
}
