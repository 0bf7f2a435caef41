// Package registries serves built-in kinds with Kubernetes' registries and the in-memory storage of package scenario. It is a module of its
// own, because a program that imports k8s.io/kubernetes has to replace the versions of two dozen modules.
package registries

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controlplane"
	controlplaneapiserver "k8s.io/kubernetes/pkg/controlplane/apiserver"
	"k8s.io/kubernetes/pkg/generated/openapi"
	admissionregistrationrest "k8s.io/kubernetes/pkg/registry/admissionregistration/rest"
	appsrest "k8s.io/kubernetes/pkg/registry/apps/rest"
	authenticationrest "k8s.io/kubernetes/pkg/registry/authentication/rest"
	authorizationrest "k8s.io/kubernetes/pkg/registry/authorization/rest"
	autoscalingrest "k8s.io/kubernetes/pkg/registry/autoscaling/rest"
	batchrest "k8s.io/kubernetes/pkg/registry/batch/rest"
	coordinationrest "k8s.io/kubernetes/pkg/registry/coordination/rest"
	discoveryrest "k8s.io/kubernetes/pkg/registry/discovery/rest"
	networkingrest "k8s.io/kubernetes/pkg/registry/networking/rest"
	policyrest "k8s.io/kubernetes/pkg/registry/policy/rest"
	rbacrest "k8s.io/kubernetes/pkg/registry/rbac/rest"
	schedulingrest "k8s.io/kubernetes/pkg/registry/scheduling/rest"
	storagerest "k8s.io/kubernetes/pkg/registry/storage/rest"

	"github.com/openshift/platform-operators/pkg/scenario/apiserver"
)

// Kubernetes implements apiserver.Registries with Kubernetes' registries.
type Kubernetes struct{}

var _ apiserver.Registries = Kubernetes{}

// Scheme implements apiserver.Registries. It returns the scheme of Kubernetes' built-in types.
func (Kubernetes) Scheme() *runtime.Scheme { return legacyscheme.Scheme }

// Configure implements apiserver.Registries. It sets the OpenAPI definitions of the types, which server-side apply needs.
func (Kubernetes) Configure(config *genericapiserver.RecommendedConfig) {
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(legacyscheme.Scheme))
}

// Install implements apiserver.Registries. It installs the core group and the groups of providers in server.
func (Kubernetes) Install(server *genericapiserver.GenericAPIServer, services apiserver.Services) error {
	enabled := controlplane.DefaultAPIResourceConfigSource()
	core, err := newCore(enabled, services)
	if err != nil {
		return fmt.Errorf("the core group: %w", err)
	}
	if err := server.InstallLegacyAPIGroup(genericapiserver.DefaultLegacyAPIPrefix, core); err != nil {
		return fmt.Errorf("the core group: %w", err)
	}
	for _, provider := range providers(server, services) {
		group, err := provider.NewRESTStorage(enabled, services.Storage(codec(provider.GroupName())))
		if err != nil {
			return fmt.Errorf("group %s: %w", provider.GroupName(), err)
		}
		if err := server.InstallAPIGroup(&group); err != nil {
			return fmt.Errorf("group %s: %w", provider.GroupName(), err)
		}
	}
	return nil
}

// providers returns the storage providers of the API groups in package builtin, except for the core group.
func providers(server *genericapiserver.GenericAPIServer, services apiserver.Services) []controlplaneapiserver.RESTStorageProvider {
	return []controlplaneapiserver.RESTStorageProvider{
		admissionregistrationrest.RESTStorageProvider{Authorizer: services.Authorizer, DiscoveryClient: services.Client.Discovery()},
		appsrest.StorageProvider{},
		authenticationrest.RESTStorageProvider{},
		authorizationrest.RESTStorageProvider{Authorizer: services.Authorizer, RuleResolver: services.RuleResolver},
		autoscalingrest.RESTStorageProvider{},
		batchrest.RESTStorageProvider{},
		coordinationrest.RESTStorageProvider{},
		discoveryrest.StorageProvider{},
		networkingrest.RESTStorageProvider{},
		policyrest.RESTStorageProvider{},
		rbacrest.RESTStorageProvider{Authorizer: services.Authorizer},
		schedulingrest.RESTStorageProvider{},
		storagerest.RESTStorageProvider{},
	}
}

// codec returns the codec that stores a group's objects as protobuf in the group's preferred version, as kube-apiserver does.
func codec(group string) runtime.Codec {
	info, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	stored := legacyscheme.Scheme.PrioritizedVersionsForGroup(group)[0]
	internal := schema.GroupVersion{Group: group, Version: runtime.APIVersionInternal}
	return legacyscheme.Codecs.CodecForVersions(info.Serializer, legacyscheme.Codecs.UniversalDeserializer(), stored, internal)
}
