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

// retryAfter is how long a write that failed waits for its next try.
const retryAfter = time.Second

// ClientConfigs returns a configuration of clients that act as a user.
type ClientConfigs func(user string) *rest.Config

// controller does what follows from a change of an object, of which either may be nil.
type controller interface {
	changed(ctx context.Context, before, now *object) error
}

// Run runs the controllers on what a store holds until the context ends. The users that they act as must be allowed everything.
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

// The users of the controllers, as in kube-controller-manager.
const (
	garbageCollectorUser = "system:serviceaccount:kube-system:generic-garbage-collector"
	namespacesUser       = "system:serviceaccount:kube-system:namespace-controller"
	clusterRolesUser     = "system:serviceaccount:kube-system:clusterrole-aggregation-controller"
)

// Users returns who the controllers act as.
func Users() []string { return []string{garbageCollectorUser, namespacesUser, clusterRolesUser} }

// runner shows every change to every controller, one after the other.
type runner struct {
	graph       *graph
	client      *etcdclient.Client
	controllers []controller
	// failed are changes that a controller could not do what follows from.
	failed []change
}

func (r *runner) run(ctx context.Context) error {
	existing, err := r.client.Kubernetes.List(ctx, keyPrefix, etcdclient.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing all objects: %w", err)
	}
	var begun []*object
	for _, kv := range existing.Kvs {
		o, err := r.record(kv)
		if err != nil {
			return err
		}
		begun = append(begun, o)
	}
	for _, o := range begun { // when all are known: an owner may come behind what it owns
		r.show(ctx, change{now: o})
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
			again := r.failed
			r.failed = nil
			for _, change := range again {
				r.try(ctx, change)
			}
		}
	}
}

func (r *runner) record(kv *mvccpb.KeyValue) (*object, error) {
	o, err := decode(kv)
	if err != nil {
		return nil, err
	}
	o.ResourceVersion = fmt.Sprint(kv.ModRevision) // which is not stored
	r.graph.set(string(kv.Key), o)
	return o, nil
}

func (r *runner) apply(ctx context.Context, response clientv3.WatchResponse) error {
	if err := response.Err(); err != nil {
		return fmt.Errorf("watching all objects: %w", err)
	}
	for _, event := range response.Events {
		key := string(event.Kv.Key)
		shown := change{before: r.graph.byKey[key]}
		if event.Type == clientv3.EventTypeDelete {
			r.graph.set(key, nil)
		} else {
			var err error
			if shown.now, err = r.record(event.Kv); err != nil {
				return err
			}
		}
		r.show(ctx, shown)
	}
	return nil
}

// change is a change of an object, of which either state may be missing, and the controller that it is shown to.
type change struct {
	before, now *object
	controller  controller
}

// show shows a change to every controller.
func (r *runner) show(ctx context.Context, shown change) {
	for _, shown.controller = range r.controllers {
		r.try(ctx, shown)
	}
}

// try shows a change to its controller. What fails, as it may in a story with faults, is tried again later.
func (r *runner) try(ctx context.Context, shown change) {
	err := shown.controller.changed(ctx, shown.before, shown.now)
	if err == nil || ctx.Err() != nil {
		return
	}
	klog.Warningf("a controller of the cluster in memory: %v; trying again in %s", err, retryAfter)
	r.failed = append(r.failed, shown)
}
