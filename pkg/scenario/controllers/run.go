package controllers

import (
	"context"
	"fmt"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	etcdclient "go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// retryAfter is the delay before a controller that failed handles a change again.
const retryAfter = time.Second

// ClientConfigs is a function that returns a configuration for clients that authenticate as a user.
type ClientConfigs func(user string) *rest.Config

// controller handles changes to objects. before is nil for a new object, and now is nil for a deleted one. If handle returns an error, the
// runner calls it again with the same change.
type controller interface {
	handle(ctx context.Context, before, now *object) error
}

// Run runs the controllers on a store's objects. It returns the context's error when the context ends, or a different error when a watch or
// the decoding of an object fails. The API server must allow all requests by the users that Users returns.
func Run(ctx context.Context, store *etcd.Store, configs ClientConfigs) error {
	r := &runner{graph: newGraph(), client: etcd.NewClient(ctx, store)}
	collector := &garbageCollector{graph: r.graph}
	var err error
	if collector.client, err = metadata.NewForConfig(configs(garbageCollectorUser)); err != nil {
		return fmt.Errorf("building the garbage collector's client: %w", err)
	}
	spaces := &namespaces{graph: r.graph, collector: &garbageCollector{graph: r.graph}}
	if spaces.client, err = kubernetes.NewForConfig(configs(namespacesUser)); err != nil {
		return fmt.Errorf("building the client of the controller of Namespaces: %w", err)
	}
	if spaces.collector.client, err = metadata.NewForConfig(configs(namespacesUser)); err != nil {
		return fmt.Errorf("building the client of the controller of Namespaces: %w", err)
	}
	roles := &clusterRoles{}
	if roles.client, err = kubernetes.NewForConfig(configs(clusterRolesUser)); err != nil {
		return fmt.Errorf("building the client of the aggregation of ClusterRoles: %w", err)
	}
	r.controllers = []controller{collector, spaces, roles}
	return r.run(ctx)
}

// The users as which the controllers authenticate, as in kube-controller-manager.
const (
	garbageCollectorUser = "system:serviceaccount:kube-system:generic-garbage-collector"
	namespacesUser       = "system:serviceaccount:kube-system:namespace-controller"
	clusterRolesUser     = "system:serviceaccount:kube-system:clusterrole-aggregation-controller"
)

// Users returns the users as which the controllers authenticate.
func Users() []string { return []string{garbageCollectorUser, namespacesUser, clusterRolesUser} }

// runner watches all objects, and passes every change to every controller, one at a time. It retries changes that a controller failed to
// handle.
type runner struct {
	graph       *graph
	client      *etcdclient.Client
	controllers []controller
	// failed are the changes that a controller failed to handle. They are retried after retryAfter.
	failed []change
}

func (r *runner) run(ctx context.Context) error {
	existing, err := r.client.Kubernetes.List(ctx, keyPrefix, etcdclient.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing all objects: %w", err)
	}
	var objects []*object
	for _, kv := range existing.Kvs {
		o, err := r.record(kv)
		if err != nil {
			return err
		}
		objects = append(objects, o)
	}
	for _, o := range objects { // after all are in the graph, because an owner may be listed after its dependents
		r.dispatch(ctx, change{now: o})
	}
	changes := r.client.Watch(ctx, keyPrefix, clientv3.WithPrefix(), clientv3.WithRev(existing.Revision+1))
	for {
		var retry <-chan time.Time
		if len(r.failed) > 0 {
			retry = time.After(retryAfter)
		}
		select {
		case response, open := <-changes:
			if !open {
				return ctx.Err()
			}
			if err := r.apply(ctx, response); err != nil {
				return err
			}
		case <-retry:
			failed := r.failed
			r.failed = nil
			for _, change := range failed {
				r.handle(ctx, change)
			}
		}
	}
}

func (r *runner) record(kv *mvccpb.KeyValue) (*object, error) {
	o, err := decode(kv)
	if err != nil {
		return nil, err
	}
	o.ResourceVersion = fmt.Sprint(kv.ModRevision) // the stored object has none
	r.graph.set(string(kv.Key), o)
	return o, nil
}

func (r *runner) apply(ctx context.Context, response clientv3.WatchResponse) error {
	if err := response.Err(); err != nil {
		return fmt.Errorf("watching all objects: %w", err)
	}
	for _, event := range response.Events {
		key := string(event.Kv.Key)
		changed := change{before: r.graph.byKey[key]}
		if event.Type == clientv3.EventTypeDelete {
			r.graph.set(key, nil)
		} else {
			var err error
			if changed.now, err = r.record(event.Kv); err != nil {
				return err
			}
		}
		r.dispatch(ctx, changed)
	}
	return nil
}

// change is a change to an object, and the controller that handles it. before and now are the arguments for controller.handle.
type change struct {
	before, now *object
	controller  controller
}

// dispatch passes a change to every controller.
func (r *runner) dispatch(ctx context.Context, changed change) {
	for _, changed.controller = range r.controllers {
		r.handle(ctx, changed)
	}
}

// handle passes a change to its controller. If the controller fails, handle keeps the change so that it can be retried.
func (r *runner) handle(ctx context.Context, changed change) {
	err := changed.controller.handle(ctx, changed.before, changed.now)
	if err == nil || ctx.Err() != nil {
		return
	}
	klog.Warningf("a controller of the cluster in memory: %v; retrying in %s", err, retryAfter)
	r.failed = append(r.failed, changed)
}
