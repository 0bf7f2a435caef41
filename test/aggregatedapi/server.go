// Package aggregatedapi is an API server of its own for one kind, as OpenShift has one for ImageStreams: built with Kubernetes'
// library for such servers, and reached through the aggregation layer of the cluster's API server.
//
// It keeps its objects in memory and lets everybody read them. It does not register itself: its callers write the APIService.
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

// Resource is what the server serves.
var Resource = schema.GroupVersionResource{Group: "image.openshift.io", Version: "v1", Resource: "imagestreams"}

const (
	kind     = "ImageStream"
	listKind = "ImageStreamList"
)

// Server is an API server for ImageStreams.
type Server struct {
	*httptest.Server

	mu      sync.Mutex
	streams []ImageStream
	failure error
}

// Add puts an ImageStream into a namespace.
func (s *Server) Add(namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = append(s.streams, ImageStream{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + "/" + name)}})
}

// Fail has lists answered with an error from now on; nil ends that.
func (s *Server) Fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failure = err
}

func noDefinitions(common.ReferenceCallback) map[string]common.OpenAPIDefinition { return nil }

// Start serves HTTPS on loopback with a certificate that nobody knows. Close ends that.
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
	config.OpenAPIV3Config.IgnorePrefixes = []string{"/apis"} // nothing is applied here, so that no schema is asked for
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
