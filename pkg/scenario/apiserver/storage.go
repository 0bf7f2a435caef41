package apiserver

import (
	"cmp"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/etcd3"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/apiserver/pkg/storage/value/encrypt/identity"
	"k8s.io/client-go/tools/cache"

	"go.etcd.io/etcd/client/v3/kubernetes"
)

// keyPrefix is the prefix of all keys, as in kube-apiserver.
const keyPrefix = "/registry"

// coreGroup is the name of the core group in keys.
const coreGroup = "core"

// storageOptions is a generic.RESTOptionsGetter that gives each registry k8s.io/apiserver's etcd3 storage without a watch cache.
type storageOptions struct {
	client *kubernetes.Client
	// codec encodes and decodes stored objects.
	codec runtime.Codec
}

var _ generic.RESTOptionsGetter = storageOptions{}

// GetRESTOptions implements generic.RESTOptionsGetter.
func (o storageOptions) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	config := storagebackend.NewDefaultConfig(keyPrefix, o.codec)
	return generic.RESTOptions{
		StorageConfig:           config.ForResource(resource),
		Decorator:               o.store,
		ResourcePrefix:          resourcePrefix(resource),
		EnableGarbageCollection: true,
		DeleteCollectionWorkers: 1,
	}, nil
}

// resourcePrefix returns the part of a resource's keys that follows keyPrefix.
func resourcePrefix(resource schema.GroupResource) string {
	return cmp.Or(resource.Group, coreGroup) + "/" + resource.Resource
}

// StorageKey returns the key of an object in the store. The namespace of a cluster-scoped object is empty.
func StorageKey(resource schema.GroupResource, namespace, name string) string {
	return path.Join(keyPrefix, resourcePrefix(resource), namespace, name)
}

// ParseStorageKey is the inverse of StorageKey: it returns the object that has the given key in the store. isObject is false if the key is
// not the key of an object.
func ParseStorageKey(key string) (resource schema.GroupResource, namespace, name string, isObject bool) {
	parts := strings.Split(strings.TrimPrefix(key, keyPrefix+"/"), "/")
	if len(parts) < 3 || len(parts) > 4 || !strings.HasPrefix(key, keyPrefix+"/") {
		return schema.GroupResource{}, "", "", false
	}
	resource = schema.GroupResource{Group: parts[0], Resource: parts[1]}
	if resource.Group == coreGroup {
		resource.Group = ""
	}
	if len(parts) == 4 {
		namespace = parts[2]
	}
	return resource, namespace, parts[len(parts)-1], true
}

// store is a generic.StorageDecorator that returns etcd3 storage without a watch cache.
//
//nolint:revive // which has that many arguments
func (o storageOptions) store(config *storagebackend.ConfigForResource, resourcePrefix string, _ func(runtime.Object) (string, error),
	newObject, newList func() runtime.Object, _ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers) (storage.Interface, factory.DestroyFunc, error) {
	versioner := storage.APIObjectVersioner{}
	store, err := etcd3.New(o.client, nil, config.Codec, newObject, newList, config.Prefix, resourcePrefix, config.GroupResource,
		identity.NewEncryptCheckTransformer(), config.LeaseManagerConfig, etcd3.NewDefaultDecoder(config.Codec, versioner), versioner)
	if err != nil {
		return nil, nil, err
	}
	return store, store.Close, nil
}
