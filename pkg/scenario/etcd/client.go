package etcd

import (
	"context"
	"fmt"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/kubernetes"
)

// NewClient returns a client for the store that k8s.io/apiserver's etcd3 storage can use. Methods that this storage does not call return
// errors or panic. Closing the client has no effect; a watch ends when its context ends.
func NewClient(ctx context.Context, store *Store) *kubernetes.Client {
	client := clientv3.NewCtxClient(ctx)
	client.KV = keys{store: store}
	client.Watcher = watcher{store}
	client.Lease = leases{store: store}
	return &kubernetes.Client{Client: client, Kubernetes: operations{store}}
}

// operations implements kubernetes.Interface: the operations of etcd that Kubernetes uses.
type operations struct{ store *Store }

// Get implements kubernetes.Interface.
func (o operations) Get(_ context.Context, key string, options kubernetes.GetOptions) (kubernetes.GetResponse, error) {
	found, _, revision, err := o.store.list(key, "", options.Revision, 1)
	response := kubernetes.GetResponse{Revision: revision}
	if len(found) == 1 {
		response.KV = found[0]
	}
	return response, err
}

// List implements kubernetes.Interface.
func (o operations) List(_ context.Context, prefix string, options kubernetes.ListOptions) (kubernetes.ListResponse, error) {
	start := prefix
	if options.Continue != "" {
		start = options.Continue
	}
	found, count, revision, err := o.store.list(start, clientv3.GetPrefixRangeEnd(prefix), options.Revision, options.Limit)
	return kubernetes.ListResponse{Kvs: found, Count: count, Revision: revision}, err
}

// Count implements kubernetes.Interface.
func (o operations) Count(_ context.Context, prefix string, _ kubernetes.CountOptions) (int64, error) {
	_, count, _, err := o.store.list(prefix, clientv3.GetPrefixRangeEnd(prefix), 0, 0)
	return count, err
}

// maxValue is the maximum size of a value in bytes: the default of etcd's flag --max-request-bytes. etcd also counts the key and some
// overhead.
const maxValue = 1536 << 10

// OptimisticPut implements kubernetes.Interface.
func (o operations) OptimisticPut(_ context.Context, key string, value []byte, expected int64, options kubernetes.PutOptions) (kubernetes.PutResponse, error) {
	if len(value) > maxValue {
		return kubernetes.PutResponse{}, rpctypes.ErrRequestTooLarge
	}
	current, revision, written, err := o.store.put(key, value, expected, options.LeaseID)
	response := kubernetes.PutResponse{Succeeded: written, Revision: revision}
	if !written && options.GetOnFailure {
		response.KV = current
	}
	return response, err
}

// OptimisticDelete implements kubernetes.Interface.
func (o operations) OptimisticDelete(_ context.Context, key string, expected int64, options kubernetes.DeleteOptions) (kubernetes.DeleteResponse, error) {
	current, revision, deleted := o.store.remove(key, expected)
	response := kubernetes.DeleteResponse{Succeeded: deleted, Revision: revision}
	if !deleted && options.GetOnFailure {
		response.KV = current
	}
	return response, nil
}

// keys implements the method of clientv3.KV that a watch uses for its initial list.
type keys struct {
	clientv3.KV // nil: all methods except Get panic
	store       *Store
}

// Get implements clientv3.KV. It supports the options for a range, a revision and a limit, and ignores all others.
func (k keys) Get(_ context.Context, key string, options ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	op := clientv3.OpGet(key, options...)
	found, count, revision, err := k.store.list(key, string(op.RangeBytes()), op.Rev(), op.Limit())
	if err != nil {
		return nil, err
	}
	return &clientv3.GetResponse{Header: &pb.ResponseHeader{Revision: revision}, Kvs: found, Count: count, More: count > int64(len(found))}, nil
}

// watcher implements clientv3.Watcher.
type watcher struct{ store *Store }

// Watch implements clientv3.Watcher. Every event includes the previous version of the key, or nil for a new key. There are no progress
// notifications, except one after each event that a Delay made late.
func (w watcher) Watch(ctx context.Context, key string, options ...clientv3.OpOption) clientv3.WatchChan {
	op := clientv3.OpGet(key, options...)
	return w.store.watch(ctx, key, string(op.RangeBytes()), op.Rev())
}

// RequestProgress implements clientv3.Watcher. It always returns an error. Only a watch cache would call it.
func (watcher) RequestProgress(context.Context) error {
	return fmt.Errorf("the etcd in memory sends no progress notifications")
}

// Close implements clientv3.Watcher.
func (watcher) Close() error { return nil }

// leases implements the methods of clientv3.Lease that the storage uses for objects with a time to live.
type leases struct {
	clientv3.Lease // nil: all methods except Grant and Close panic
	store          *Store
}

// Grant implements clientv3.Lease.
func (l leases) Grant(_ context.Context, ttl int64) (*clientv3.LeaseGrantResponse, error) {
	return &clientv3.LeaseGrantResponse{ID: l.store.grant(time.Duration(ttl) * time.Second), TTL: ttl}, nil
}

// Close implements clientv3.Lease.
func (leases) Close() error { return nil }
