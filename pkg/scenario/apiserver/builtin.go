package apiserver

import (
	"fmt"
	"maps"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	discoveryendpoint "k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/applyconfigurations"

	"github.com/openshift/platform-operators/pkg/scenario/builtin"
)

// installBuiltin adds the built-in kinds to a server. It does not use GenericAPIServer.InstallAPIGroup, which needs OpenAPI definitions
// that only k8s.io/kubernetes has. Server-side apply works with the schemas in client-go's apply configurations.
func (b *builder) installBuiltin(server *genericapiserver.GenericAPIServer) error {
	converter := typeConverter{applyconfigurations.NewTypeConverter(b.scheme), managedfields.NewDeducedTypeConverter()}
	var versions []schema.GroupVersion
	storages := map[schema.GroupVersion]map[string]rest.Storage{}
	add := func(version schema.GroupVersion, name string, storage rest.Storage) {
		if storages[version] == nil {
			versions = append(versions, version)
			storages[version] = map[string]rest.Storage{}
		}
		storages[version][name] = storage
	}
	for _, kind := range builtin.Kinds() {
		parts, err := kind.Storage(b.scheme, storageOptions{b.etcd, b.builtinCodec(kind.GroupVersion)}, b.authorizer)
		if err != nil {
			return err
		}
		if kind.Resource == "pods" {
			maps.Copy(parts, builtin.PodSubresources(parts[kind.Resource], b.kubernetes.PolicyV1()))
		}
		for name, part := range parts {
			add(kind.GroupVersion, name, part)
		}
	}
	for _, review := range builtin.Reviews() {
		add(review.GroupVersion, review.Resource, review.Storage(reviewer{withPrivilegedGroup(b.authorizer), b.authorizer}))
	}
	for _, version := range versions {
		if err := b.installVersion(server, version, storages[version], converter); err != nil {
			return fmt.Errorf("serving %s: %w", version, err)
		}
	}
	return nil
}

// installVersion adds one version of a group to the server and to discovery.
func (b *builder) installVersion(server *genericapiserver.GenericAPIServer, version schema.GroupVersion, storage map[string]rest.Storage, converter managedfields.TypeConverter) error {
	root := genericapiserver.APIGroupPrefix
	manager := server.AggregatedDiscoveryGroupManager
	if version.Group == "" {
		root = genericapiserver.DefaultLegacyAPIPrefix
		manager = server.AggregatedLegacyDiscoveryGroupManager
	}
	info := genericapiserver.NewDefaultAPIGroupInfo(version.Group, b.scheme, runtime.NewParameterCodec(b.scheme), b.codecs)
	served := map[string][]string{}
	for name := range storage {
		served[name] = []string{version.String()}
	}
	group := &endpoints.APIGroupVersion{
		Storage: storage, Root: root, GroupVersion: version, AllServedVersionsByResource: served,
		OptionsExternalVersion: info.OptionsExternalVersion, MetaGroupVersion: info.MetaGroupVersion,
		ParameterCodec: info.ParameterCodec, Serializer: info.NegotiatedSerializer,
		Creater: b.scheme, Convertor: b.scheme, ConvertabilityChecker: b.scheme, UnsafeConvertor: runtime.UnsafeObjectConvertor(b.scheme),
		Defaulter: b.scheme, Typer: b.scheme, Namer: runtime.Namer(meta.NewAccessor()), TypeConverter: converter,
		EquivalentResourceRegistry: server.EquivalentResourceRegistry,
		Admit:                      b.admission, MinRequestTimeout: minWatch, Authorizer: server.Authorizer, MaxRequestBodyBytes: maxRequestBody,
	}
	resources, _, err := group.InstallREST(server.Handler.GoRestfulContainer)
	if err != nil {
		return err
	}
	manager.AddGroupVersion(version.Group, apidiscoveryv2.APIVersionDiscovery{
		Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent, Version: version.Version, Resources: resources,
	})
	if version.Group == "" {
		handler := discovery.NewLegacyRootAPIHandler(discovery.DefaultAddresses{DefaultAddress: host}, server.Serializer, root)
		server.Handler.GoRestfulContainer.Add(discoveryendpoint.WrapAggregatedDiscoveryToHandler(handler, manager, manager).GenerateWebService(root, metav1.APIVersions{}))
		return nil
	}
	known := metav1.GroupVersionForDiscovery{GroupVersion: version.String(), Version: version.Version}
	apiGroup := metav1.APIGroup{Name: version.Group, Versions: []metav1.GroupVersionForDiscovery{known}, PreferredVersion: known}
	server.DiscoveryGroupManager.AddGroup(apiGroup)
	server.Handler.GoRestfulContainer.Add(discovery.NewAPIGroupHandler(server.Serializer, apiGroup).WebService())
	return nil
}

// builtinCodec returns the codec that stores objects in an API version, as protobuf like kube-apiserver.
func (b *builder) builtinCodec(version schema.GroupVersion) runtime.Codec {
	info, _ := runtime.SerializerInfoForMediaType(b.codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	internal := schema.GroupVersion{Group: version.Group, Version: runtime.APIVersionInternal}
	return untyped{b.codecs.CodecForVersions(info.Serializer, b.codecs.UniversalDeserializer(), version, internal)}
}

// untyped is a codec that removes apiVersion and kind from decoded objects, because registries expect objects without them. In
// kube-apiserver, the conversion to the internal version removes them.
type untyped struct{ runtime.Codec }

// Decode implements runtime.Decoder.
func (u untyped) Decode(data []byte, defaults *schema.GroupVersionKind, into runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	object, kind, err := u.Codec.Decode(data, defaults, into)
	if object != nil {
		object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	}
	return object, kind, err
}

// reviewer is the builtin.Reviewer that uses the server's authorizer.
type reviewer struct {
	authorizer.Authorizer
	authorizer.RuleResolver
}
