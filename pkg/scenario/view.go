package scenario

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
)

// View is a read-only view of a cluster's objects at one revision. It reads the storage and sends no requests. It may be used concurrently.
//
// Returned objects are in the storage version of their kind. Views share the objects, so callers must not modify them.
type View struct {
	storage  *storageReader
	revision int64
	failed   *viewError
}

// viewError is the first error of a View. The View shares it with the views that View.Ago returned.
type viewError struct {
	mu  sync.Mutex
	err error
}

func (e *viewError) set(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err == nil {
		e.err = err
	}
}

func (e *viewError) get() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Revision returns the revision of the last write that the view includes.
func (v *View) Revision() int64 { return v.revision }

// Get returns an object, or nil if it does not exist. The namespace of a cluster-scoped object is empty.
func (v *View) Get(resource schema.GroupResource, namespace, name string) *unstructured.Unstructured {
	key := apiserver.StorageKey(resource, namespace, name)
	response, err := v.storage.client.Get(context.Background(), key, kubernetes.GetOptions{Revision: v.revision})
	if err != nil {
		v.failed.set(err)
		return nil
	}
	if response.KV == nil {
		return nil
	}
	return v.decode(response.KV)
}

// List returns the objects of a resource in a namespace, sorted by name. An empty namespace selects all objects of the resource.
func (v *View) List(resource schema.GroupResource, namespace string) []*unstructured.Unstructured {
	prefix := apiserver.StorageKey(resource, namespace, "") + "/"
	response, err := v.storage.client.List(context.Background(), prefix, kubernetes.ListOptions{Revision: v.revision})
	if err != nil {
		v.failed.set(err)
		return nil
	}
	objects := make([]*unstructured.Unstructured, 0, len(response.Kvs))
	for _, each := range response.Kvs {
		if object := v.decode(each); object != nil {
			objects = append(objects, object)
		}
	}
	return objects
}

// Ago returns a view of the objects as they were the given time ago. In a bubble, the time is virtual. For a time before Cluster.Check was
// called, Ago returns the objects at the time of that call.
func (v *View) Ago(by time.Duration) *View {
	return &View{storage: v.storage, revision: min(v.revision, v.storage.revisionAt(time.Now().Add(-by))), failed: v.failed}
}

// isCompacted reports whether an object could not be read because the revision was compacted.
func (v *View) isCompacted() bool { return errors.Is(v.failed.get(), rpctypes.ErrCompacted) }

// err returns the first error of the view.
func (v *View) err() error { return v.failed.get() }

func (v *View) decode(stored *mvccpb.KeyValue) *unstructured.Unstructured {
	object, err := v.storage.decode(stored)
	if err != nil {
		v.failed.set(err)
	}
	return object
}

// storageReader reads objects from a cluster's storage. It may be used concurrently.
type storageReader struct {
	client kubernetes.Interface

	mu sync.Mutex
	// decoded caches each object at the revision that was decoded last, keyed by storage key.
	decoded map[string]decodedObject
	// times holds the times of writes and the revisions after them, in chronological order. It is used to find the revision at a time.
	times []timedRevision
}

type decodedObject struct {
	revision int64
	object   *unstructured.Unstructured
}

type timedRevision struct {
	time     time.Time
	revision int64
}

func newStorageReader(store *etcd.Store) *storageReader {
	return &storageReader{
		client:  etcd.NewClient(context.Background(), store).Kubernetes,
		decoded: map[string]decodedObject{}, times: []timedRevision{{time.Now(), store.Revision()}},
	}
}

// at returns a view of the objects at a revision.
func (s *storageReader) at(revision int64) *View {
	return &View{storage: s, revision: revision, failed: &viewError{}}
}

// wrote records the current time and the revision after a write.
func (s *storageReader) wrote(revision int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.times = append(s.times, timedRevision{time.Now(), revision})
}

// revisionAt returns the last revision that was recorded at or before a time, or the first recorded revision if all were recorded later.
func (s *storageReader) revisionAt(at time.Time) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.times) - 1; i > 0; i-- {
		if !s.times[i].time.After(at) {
			return s.times[i].revision
		}
	}
	return s.times[0].revision
}

func (s *storageReader) decode(stored *mvccpb.KeyValue) (*unstructured.Unstructured, error) {
	key := string(stored.Key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.decoded[key]; known.revision == stored.ModRevision {
		return known.object, nil
	}
	object, err := decodeObject(stored.Value)
	if err != nil {
		return nil, fmt.Errorf("decoding %s from the storage: %w", key, err)
	}
	object.SetResourceVersion(strconv.FormatInt(stored.ModRevision, 10))
	s.decoded[key] = decodedObject{stored.ModRevision, object}
	return object, nil
}

// protobufPrefix is the prefix of objects in protobuf, the format in which the storage keeps built-in kinds. All other objects are JSON.
var protobufPrefix = []byte("k8s\x00")

// decodeObject decodes an object from JSON, or from the protobuf of a built-in kind.
func decodeObject(content []byte) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	if !bytes.HasPrefix(content, protobufPrefix) {
		return object, object.UnmarshalJSON(content)
	}
	decoded, kind, err := scheme.Codecs.UniversalDeserializer().Decode(content, nil, nil)
	if err != nil {
		return nil, err
	}
	if object.Object, err = runtime.DefaultUnstructuredConverter.ToUnstructured(decoded); err != nil {
		return nil, err
	}
	object.SetGroupVersionKind(*kind)
	return object, nil
}
