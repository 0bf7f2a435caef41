package workloads

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	batchlisters "k8s.io/client-go/listers/batch/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

// The users that the Runner authenticates as. The API server must allow all of their requests.
const (
	controllerUser = "system:kube-controller-manager"
	kubeletUser    = "system:node:" + nodeName
)

// Users returns the users that a Runner authenticates as. The API server must allow all of their requests.
func Users() []string { return []string{controllerUser, kubeletUser} }

// Runner runs the controllers, the scheduler and the kubelet of a cluster.
type Runner struct {
	controller, kubelet kubernetes.Interface
	informers           informers.SharedInformerFactory
	deployments         appslisters.DeploymentLister
	replicaSets         appslisters.ReplicaSetLister
	statefulSets        appslisters.StatefulSetLister
	daemonSets          appslisters.DaemonSetLister
	jobs                batchlisters.JobLister
	pods                corelisters.PodLister
	queue               workqueue.TypedRateLimitingInterface[key]

	mu       sync.Mutex
	behavior func(*corev1.Pod) Behavior
}

// key identifies an object in the work queue. resource is a plural resource name, such as "pods".
type key struct{ resource, namespace, name string }

// New returns a Runner whose Pods have the behavior Ready. The caller must call Run. configs returns a configuration for clients that
// authenticate as a user.
func New(configs func(user string) *rest.Config) (*Runner, error) {
	r := &Runner{behavior: func(*corev1.Pod) Behavior { return Ready() }}
	var err error
	if r.controller, err = kubernetes.NewForConfig(configs(controllerUser)); err != nil {
		return nil, fmt.Errorf("building the client of workload controllers: %w", err)
	}
	if r.kubelet, err = kubernetes.NewForConfig(configs(kubeletUser)); err != nil {
		return nil, fmt.Errorf("building the kubelet's client: %w", err)
	}
	r.queue = workqueue.NewTypedRateLimitingQueue(workqueue.NewTypedItemExponentialFailureRateLimiter[key](time.Second, time.Minute))
	r.informers = informers.NewSharedInformerFactory(r.controller, 0)
	apps := r.informers.Apps().V1()
	r.deployments, r.replicaSets = apps.Deployments().Lister(), apps.ReplicaSets().Lister()
	r.statefulSets, r.daemonSets = apps.StatefulSets().Lister(), apps.DaemonSets().Lister()
	r.jobs = r.informers.Batch().V1().Jobs().Lister()
	core := r.informers.Core().V1()
	r.pods = core.Pods().Lister()
	for resource, informer := range map[string]cache.SharedIndexInformer{
		"deployments": apps.Deployments().Informer(), "replicasets": apps.ReplicaSets().Informer(),
		"statefulsets": apps.StatefulSets().Informer(), "daemonsets": apps.DaemonSets().Informer(),
		"jobs": r.informers.Batch().V1().Jobs().Informer(), "pods": core.Pods().Informer(), "nodes": core.Nodes().Informer(),
	} {
		if _, err := informer.AddEventHandler(r.handler(resource)); err != nil {
			return nil, fmt.Errorf("watching %s: %w", resource, err)
		}
	}
	return r, nil
}

// handler returns an event handler that queues each changed object of a resource, and the workload that controls the object.
func (r *Runner) handler(resource string) cache.ResourceEventHandler {
	owners := map[string]string{"Deployment": "deployments", "ReplicaSet": "replicasets", "StatefulSet": "statefulsets", "DaemonSet": "daemonsets", "Job": "jobs"}
	add := func(changed any) {
		if deleted, isTombstone := changed.(cache.DeletedFinalStateUnknown); isTombstone {
			changed = deleted.Obj
		}
		object := changed.(metav1.Object)
		r.queue.Add(key{resource, object.GetNamespace(), object.GetName()})
		if owner := metav1.GetControllerOf(object); owner != nil && owners[owner.Kind] != "" {
			r.queue.Add(key{owners[owner.Kind], object.GetNamespace(), owner.Name})
		}
	}
	return cache.ResourceEventHandlerFuncs{AddFunc: add, UpdateFunc: func(_, changed any) { add(changed) }, DeleteFunc: add}
}

// Run runs the workloads until the context ends.
func (r *Runner) Run(ctx context.Context) {
	r.informers.Start(ctx.Done())
	r.informers.WaitForCacheSync(ctx.Done())
	defer r.informers.Shutdown()
	stop := context.AfterFunc(ctx, r.queue.ShutDown)
	defer stop()
	for {
		next, shutdown := r.queue.Get()
		if shutdown {
			return
		}
		if err := r.sync(ctx, next); err == nil || apierrors.IsNotFound(err) { // a deleted object needs no sync
			r.queue.Forget(next)
		} else if ctx.Err() == nil {
			klog.V(2).Infof("running workloads of the cluster in memory: %s \"%s/%s\": %v; retrying", next.resource, next.namespace, next.name, err)
			r.queue.AddRateLimited(next)
		}
		r.queue.Done(next)
	}
}

func (r *Runner) sync(ctx context.Context, next key) error {
	switch next.resource {
	case "deployments":
		return r.syncDeployment(ctx, next)
	case "replicasets":
		return r.syncReplicaSet(ctx, next)
	case "statefulsets":
		return r.syncStatefulSet(ctx, next)
	case "daemonsets":
		return r.syncDaemonSet(ctx, next)
	case "jobs":
		return r.syncJob(ctx, next)
	case "nodes":
		return r.queuePods()
	}
	return r.syncPod(ctx, next)
}
