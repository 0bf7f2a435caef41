package apiserver

import (
	"cmp"
	"path"

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
	return cmp.Or(resource.Group, "core") + "/" + resource.Resource
}

// StorageKey returns the key of an object in the store. The namespace of a cluster-scoped object is empty.
func StorageKey(resource schema.GroupResource, namespace, name string) string {
	return path.Join(keyPrefix, resourcePrefix(resource), namespace, name)
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
