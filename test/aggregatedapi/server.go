// Package aggregatedapi provides an aggregated API server for ImageStreams, like OpenShift's own. It is built with k8s.io/apiserver. The
// cluster's API server forwards requests to it through the aggregation layer.
//
// The server keeps its objects in memory and lets every client read them. It does not register itself: its callers create the APIService.
package aggregatedapi

import (
	"fmt"
	"net/http/httptest"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/types"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/compatibility"
	restclient "k8s.io/client-go/rest"
	"k8s.io/kube-openapi/pkg/common"
)

// Resource is the resource that the server serves.
var Resource = schema.GroupVersionResource{Group: "image.openshift.io", Version: "v1", Resource: "imagestreams"}

const (
	kind     = "ImageStream"
	listKind = "ImageStreamList"
)

// Server is an API server for ImageStreams. Its methods can be called concurrently.
type Server struct {
	*httptest.Server

	mu      sync.Mutex
	streams []ImageStream
	failure error
}

// Add stores an ImageStream in a namespace. It does not check whether an ImageStream with this name exists.
func (s *Server) Add(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = append(s.streams, ImageStream{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + "/" + name)}})
}

// Fail makes the server answer list requests with err. Fail(nil) makes them succeed again.
func (s *Server) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

func noDefinitions(common.ReferenceCallback) map[string]common.OpenAPIDefinition { return nil }

// Start starts a server that serves HTTPS on a loopback address, with a certificate that no client trusts. The caller must close it.
func Start() (*Server, error) {
	s := &Server{}
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	for _, version := range []schema.GroupVersion{{Group: Resource.Group, Version: runtime.APIVersionInternal}, Resource.GroupVersion()} {
		scheme.AddKnownTypeWithName(version.WithKind(kind), &ImageStream{})
		scheme.AddKnownTypeWithName(version.WithKind(listKind), &ImageStreamList{})
	}
	metav1.AddToGroupVersion(scheme, Resource.GroupVersion())
	if err := scheme.SetVersionPriority(Resource.GroupVersion()); err != nil {
		return nil, err
	}
	codecs := serializer.NewCodecFactory(scheme)
	config := genericapiserver.NewConfig(codecs)
	config.LoopbackClientConfig = &restclient.Config{}
	config.ExternalAddress = "localhost:443"
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(noDefinitions, openapinamer.NewDefinitionNamer(scheme))
	config.OpenAPIV3Config.IgnorePrefixes = []string{"/apis"} // only clients that apply objects would read the schema
	config.SkipOpenAPIInstallation = true
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	server, err := config.Complete(nil).New("image-apiserver", genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, fmt.Errorf("building an API server for %s: %w", Resource.GroupResource(), err)
	}
	group := genericapiserver.NewDefaultAPIGroupInfo(Resource.Group, scheme, runtime.NewParameterCodec(scheme), codecs)
	group.VersionedResourcesStorageMap[Resource.Version] = map[string]rest.Storage{Resource.Resource: storage{s, rest.NewDefaultTableConvertor(Resource.GroupResource())}}
	if err := server.InstallAPIGroup(&group); err != nil {
		return nil, fmt.Errorf("building an API server for %s: %w", Resource.GroupResource(), err)
	}
	s.Server = httptest.NewTLSServer(server.Handler)
	return s, nil
}
