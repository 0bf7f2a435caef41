package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"time"

	etcdclient "go.etcd.io/etcd/client/v3/kubernetes"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	crdopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/admission"
	discoveryendpoint "k8s.io/apiserver/pkg/endpoints/discovery/aggregated"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	basecompatibility "k8s.io/component-base/compatibility"

	"github.com/openshift/platform-operators/pkg/scenario/builtin"
	"github.com/openshift/platform-operators/pkg/scenario/etcd"
	"github.com/openshift/platform-operators/pkg/scenario/rbac"
)

const (
	// maxRequestBody is the maximum size of a request's body in bytes, as in kube-apiserver.
	maxRequestBody = 3 << 20
	// minWatch is the minimum duration of a watch, as in kube-apiserver.
	minWatch = 30 * time.Minute
)

// builder builds two chained servers. The server for built-in kinds delegates all other requests to the server for custom resources.
type builder struct {
	running    context.Context
	options    Options
	loopback   *rest.Config
	etcd       *etcdclient.Client
	scheme     *runtime.Scheme
	codecs     serializer.CodecFactory
	kubernetes kubernetes.Interface
	informers  informers.SharedInformerFactory
	authorizer *rbac.Authorizer
	admission  admission.Interface
	discovery  discoveryendpoint.ResourceManager

	servers []*genericapiserver.GenericAPIServer
}

func newBuilder(running context.Context, options Options, loopback *rest.Config) (*builder, error) {
	b := &builder{
		running: running, options: options, loopback: loopback,
		etcd:      etcd.NewClient(running, options.Store),
		discovery: discoveryendpoint.NewResourceManager("apis"),
	}
	if b.scheme = builtin.NewScheme(); options.Registries != nil {
		b.scheme = options.Registries.Scheme()
	}
	b.codecs = serializer.NewCodecFactory(b.scheme)
	var err error
	if b.kubernetes, err = kubernetes.NewForConfig(loopback); err != nil {
		return nil, err
	}
	b.informers = informers.NewSharedInformerFactory(b.kubernetes, 0)
	b.authorizer = rbac.New(b.informers.Rbac().V1())
	return b, nil
}

// build builds the servers and returns the handler for all requests.
func (b *builder) build() (http.Handler, error) {
	var err error
	if b.admission, err = b.newAdmission(); err != nil {
		return nil, err
	}
	custom, err := b.buildCustom()
	if err != nil {
		return nil, fmt.Errorf("the server of custom resources: %w", err)
	}
	b.servers = append(b.servers, custom)
	config := b.genericConfig(b.codecs)
	config.AdmissionControl = b.admission
	config.SharedInformerFactory = b.informers
	if b.options.Registries != nil {
		b.options.Registries.Configure(config)
	}
	server, err := config.Complete().New("built-in", custom)
	if err != nil {
		return nil, fmt.Errorf("the server of built-in kinds: %w", err)
	}
	b.servers = append(b.servers, server)
	if err := b.install(server); err != nil {
		return nil, fmt.Errorf("the server of built-in kinds: %w", err)
	}
	return server.Handler, nil
}

// genericConfig returns the configuration that both servers share.
func (b *builder) genericConfig(codecs serializer.CodecFactory) *genericapiserver.RecommendedConfig {
	config := genericapiserver.NewRecommendedConfig(codecs)
	config.ExternalAddress = host + ":443"
	config.EffectiveVersion = b.version()
	config.MaxRequestBodyBytes = maxRequestBody
	config.LoopbackClientConfig = b.loopback
	config.Authentication.Authenticator = bearer{privileged: append([]string{loopbackUser, AdminUser}, b.options.PrivilegedUsers...)}
	config.Authorization.Authorizer = reasonRecorder{withPrivilegedGroup(b.authorizer)}
	config.RuleResolver = b.authorizer
	config.BuildHandlerChainFunc = func(handler http.Handler, config *genericapiserver.Config) http.Handler {
		return handlerChain(withGroups(handler, b.discovery), config)
	}
	config.EnableIndex, config.EnableProfiling, config.EnableMetrics = false, false, false
	config.SkipOpenAPIInstallation = true
	// One of the default checks starts a goroutine that runs as long as the process. With it, a bubble would never end.
	config.HealthzChecks, config.LivezChecks, config.ReadyzChecks = nil, nil, nil
	config.AggregatedDiscoveryGroupManager = b.discovery
	// These hooks only update metrics, every second.
	config.DisabledPostStartHooks.Insert("max-in-flight-filter", "storage-object-count-tracker-hook")
	return config
}

func (b *builder) buildCustom() (*genericapiserver.GenericAPIServer, error) {
	config := b.genericConfig(apiextensions.Codecs)
	config.AdmissionControl = b.admission
	config.MergedResourceConfig = apiextensions.DefaultAPIResourceConfigSource()
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(crdopenapi.GetOpenAPIDefinitions, openapinamer.NewDefinitionNamer(apiextensions.Scheme))
	config.RESTOptionsGetter = storageOptions{b.etcd, apiextensions.Codecs.LegacyCodec(apiextensionsv1.SchemeGroupVersion)}
	// The server replaces the codec for each CustomResourceDefinition.
	resources := storageOptions{b.etcd, runtime.NewCodec(unstructured.UnstructuredJSONScheme, unstructured.UnstructuredJSONScheme)}
	server, err := (&apiextensions.Config{
		GenericConfig: config,
		ExtraConfig:   apiextensions.ExtraConfig{CRDRESTOptionsGetter: resources, MasterCount: 1},
	}).Complete().New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return nil, err
	}
	return server.GenericAPIServer, nil
}

func (b *builder) version() basecompatibility.EffectiveVersion {
	return servedVersion{basecompatibility.NewEffectiveVersionFromString(b.options.Version, "", ""), b.options.Version}
}

// servedVersion is an EffectiveVersion that reports the version in Options. The libraries would report the version of the program that they
// are linked into.
type servedVersion struct {
	basecompatibility.EffectiveVersion
	gitVersion string
}

// Info implements basecompatibility.EffectiveVersion.
func (v servedVersion) Info() *version.Info {
	info := v.EffectiveVersion.Info()
	info.GitVersion = v.gitVersion
	return info
}

// start runs the servers' post-start hooks, and waits until the servers are ready.
func (b *builder) start(ctx context.Context) error {
	top := b.servers[len(b.servers)-1]
	top.PrepareRun()
	top.RunPostStartHooks(b.running)
	if err := wait.PollUntilContextTimeout(ctx, time.Millisecond, readyWithin, true, b.ready); err != nil {
		return fmt.Errorf("waiting until it is ready: %w", err)
	}
	return nil
}

// ready reports whether the post-start hooks have ended. Its error is always nil. One hook waits until the existing
// CustomResourceDefinitions are served.
func (b *builder) ready(ctx context.Context) (bool, error) {
	err := b.kubernetes.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	return err == nil, nil
}
