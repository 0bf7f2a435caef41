package controllers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// object is the metadata of one version of a stored object.
type object struct {
	metav1.PartialObjectMetadata
	resource schema.GroupVersionResource
	// deletionSent is true if a deletion of this version was sent. The next event for the object replaces this value.
	deletionSent bool
}

func (o *object) String() string {
	if o.Namespace == "" {
		return fmt.Sprintf("%s %q", o.Kind, o.Name)
	}
	return fmt.Sprintf("%s %q", o.Kind, o.Namespace+"/"+o.Name)
}

func (o *object) deleting() bool { return o.DeletionTimestamp != nil }

func (o *object) hasFinalizer(name string) bool { return slices.Contains(o.Finalizers, name) }

// keyPrefix is the prefix of the keys of all objects: /registry/<group>/<resource>/[<namespace>/]<name>. The core group is "core".
const keyPrefix = "/registry/"

// protobufPrefix is the prefix of objects that are stored as protobuf.
var protobufPrefix = []byte("k8s\x00")

// decode decodes the metadata of a stored object. In the protobuf message of each kind, the metadata is field 1.
func decode(kv *mvccpb.KeyValue) (*object, error) {
	parts := strings.Split(strings.TrimPrefix(string(kv.Key), keyPrefix), "/")
	if len(parts) < 3 {
		return nil, fmt.Errorf("%q is not the key of an object", kv.Key)
	}
	found := &object{}
	if encoded, isProtobuf := bytes.CutPrefix(kv.Value, protobufPrefix); isProtobuf {
		envelope := &runtime.Unknown{}
		if err := envelope.Unmarshal(encoded); err != nil {
			return nil, fmt.Errorf("reading %q: %w", kv.Key, err)
		}
		if err := found.Unmarshal(envelope.Raw); err != nil {
			return nil, fmt.Errorf("reading the metadata of %q: %w", kv.Key, err)
		}
		found.APIVersion, found.Kind = envelope.APIVersion, envelope.Kind
	} else if err := json.Unmarshal(kv.Value, &found.PartialObjectMetadata); err != nil {
		return nil, fmt.Errorf("reading the metadata of %q: %w", kv.Key, err)
	}
	version, err := schema.ParseGroupVersion(found.APIVersion)
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", kv.Key, err)
	}
	found.resource = version.WithResource(parts[1])
	return found, nil
}

// graph holds all objects of the cluster, with indexes by key, UID and owner.
type graph struct {
	byKey      map[string]*object
	byUID      map[types.UID]*object
	dependents map[types.UID]map[*object]bool
}

func newGraph() *graph {
	return &graph{byKey: map[string]*object{}, byUID: map[types.UID]*object{}, dependents: map[types.UID]map[*object]bool{}}
}

// set stores an object under its key, or removes the key if now is nil. It returns the object that was stored before, or nil.
func (g *graph) set(key string, now *object) (before *object) {
	before = g.byKey[key]
	if before != nil {
		delete(g.byKey, key)
		delete(g.byUID, before.UID)
		for _, owner := range before.OwnerReferences {
			delete(g.dependents[owner.UID], before)
			if len(g.dependents[owner.UID]) == 0 {
				delete(g.dependents, owner.UID)
			}
		}
	}
	if now != nil {
		g.byKey[key], g.byUID[now.UID] = now, now
		for _, owner := range now.OwnerReferences {
			if g.dependents[owner.UID] == nil {
				g.dependents[owner.UID] = map[*object]bool{}
			}
			g.dependents[owner.UID][now] = true
		}
	}
	return before
}

// dependentsOf returns the objects with an owner reference to a UID, in a stable order.
func (g *graph) dependentsOf(uid types.UID) []*object {
	var all []*object
	for dependent := range g.dependents[uid] {
		all = append(all, dependent)
	}
	sortObjects(all)
	return all
}

// in returns the objects in a namespace, in a stable order.
func (g *graph) in(namespace string) []*object {
	var all []*object
	for _, object := range g.byKey {
		if object.Namespace == namespace {
			all = append(all, object)
		}
	}
	sortObjects(all)
	return all
}

func sortObjects(objects []*object) {
	slices.SortFunc(objects, func(a, b *object) int { return strings.Compare(a.sortKey(), b.sortKey()) })
}

func (o *object) sortKey() string {
	return strings.Join([]string{o.resource.Group, o.resource.Resource, o.Namespace, o.Name, string(o.UID)}, "/")
}
