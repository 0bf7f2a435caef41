package operator

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	configclient "github.com/openshift/client-go/config/clientset/versioned"
	configinformers "github.com/openshift/client-go/config/informers/externalversions"
	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
	"github.com/openshift/platform-operators/pkg/client/informers/externalversions"
	"github.com/openshift/platform-operators/pkg/controllers/catalogs"
	"github.com/openshift/platform-operators/pkg/controllers/deniedwrites"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/source"
	"github.com/openshift/platform-operators/pkg/store"
)

// resync is the interval at which the informers deliver all cached objects again. After this time at the latest, a key that no event has
// queued is queued again.
const resync = 10 * time.Minute

// Settings are the inputs that HTTPInput cannot read from the API server. Every field is required.
type Settings struct {
	Options Options
	// Namespace is the manager's own namespace.
	Namespace string
	Clock     clock.Clock
	// Recorder records Events about the manager.
	Recorder events.Recorder
	// IsUnlimited is true if the clients have no rate limit, because no API server has to be protected.
	IsUnlimited bool
}

// Input holds all dependencies of the controllers. LiveInput and HTTPInput fill it. A caller may replace any field before Build.
type Input struct {
	Options           Options
	Namespace         string
	KubernetesVersion string
	Clock             clock.Clock
	Recorder          events.Recorder

	Kubernetes kubernetes.Interface
	Dynamic    dynamic.Interface
	Metadata   metadata.Interface
	Discovery  discovery.CachedDiscoveryInterface
	Config     configclient.Interface
	Platform   versioned.Interface
	Operator   v1helpers.OperatorClientWithFinalizers

	ConfigInformers   configinformers.SharedInformerFactory
	PlatformInformers externalversions.SharedInformerFactory
	OperatorInformers dynamicinformer.DynamicSharedInformerFactory
	// LimitsInformers watch only the ConfigMap that stores the limits.
	LimitsInformers informers.SharedInformerFactory

	// RevisionSecrets watches the metadata of the Secrets that store revisions.
	RevisionSecrets cache.SharedIndexInformer

	// DeniedWrites holds the manager's own writes that the API server denied. The clients above record them, except Dynamic and Metadata,
	// which write bundles' objects.
	DeniedWrites *deniedwrites.Writes

	// AwaitTasks is true if a sync waits for the background tasks that it starts. RunOnce needs it. Controllers whose input is the memory
	// of a process that keeps running are then not built.
	AwaitTasks bool

	// Identities provides the identities of ServiceAccounts, which write the objects of some bundles.
	Identities *identity.ServiceAccounts
	// Random is the source of the key that hashes the values of Secrets in plans. If it is nil, no key is created: the result of a round
	// depends only on its input.
	Random io.Reader

	// If one of the fields below is nil, Build sets its production value; see withDefaults.

	// Register and RegisterCollector register metrics.
	Register          func(metrics.Registerable) error
	RegisterCollector func(metrics.StableCollector) error
	// Dial connects to catalogs and registries. If it is nil, the manager connects by TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// DialCatalogs connects to catalogs. LiveInput and HTTPInput set it if Options.CatalogProxy names a proxy. If it is nil, Dial applies.
	DialCatalogs func(ctx context.Context, network, address string) (net.Conn, error)
	// ReadGRPC and ReadHTTP read CatalogSources and ClusterCatalogs.
	ReadGRPC, ReadHTTP catalogs.ReadFunc
	// Images opens sources of type image.
	Images source.Opener
	// NewEvents returns the recorder for a controller's Events about users' objects. The recorder stops when the context ends.
	NewEvents func(ctx context.Context, controller string) record.EventRecorder
}

// LiveInput returns the Input for a running cluster, from the kubeconfig that controllercmd has read. It requests the API server's version,
// and returns an error if that fails.
func LiveInput(controllerContext *controllercmd.ControllerContext, options Options) (*Input, error) {
	input, err := newInput(controllerContext.KubeConfig, controllerContext.ProtoKubeConfig, Settings{
		Options: options, Namespace: controllerContext.OperatorNamespace, Clock: controllerContext.Clock, Recorder: controllerContext.EventRecorder,
	})
	if err != nil {
		return nil, err
	}
	input.Random = rand.Reader
	return input, nil
}

// HTTPInput returns an Input that sends all requests through the transport of an HTTP client, for example a transport that serves responses
// from a directory. It uses only Transport and Timeout of the client. It ignores the credentials and certificates in the config. It
// requests the API server's version, and returns an error if that fails.
func HTTPInput(client *http.Client, config *rest.Config, settings Settings) (*Input, error) {
	config, err := configOf(client, config)
	if err != nil {
		return nil, err
	}
	json := rest.CopyConfig(config) // custom resources have no other encoding
	json.ContentType, json.AcceptContentTypes = runtime.ContentTypeJSON, runtime.ContentTypeJSON
	return newInput(json, config, settings)
}

// newInput builds the clients and informers, and requests the API server's version. Only the Kubernetes client uses the protobuf config,
// because custom resources cannot be encoded as protobuf.
func newInput(config, protobuf *rest.Config, settings Settings) (*Input, error) {
	input := &Input{
		Options: settings.Options, Namespace: settings.Namespace, Clock: settings.Clock, Recorder: settings.Recorder,
		DeniedWrites: deniedwrites.NewWrites(),
	}
	engine := engineConfig(config)
	config, protobuf = clientConfig(config, settings), clientConfig(protobuf, settings)
	config.Wrap(input.DeniedWrites.Wrap)
	protobuf.Wrap(input.DeniedWrites.Wrap)
	dial, err := settings.Options.CatalogProxy.Dialer()
	if err != nil {
		return nil, fmt.Errorf("preparing the proxy for catalogs: %w", err)
	}
	input.DialCatalogs = dial
	if input.Kubernetes, err = kubernetes.NewForConfig(protobuf); err != nil {
		return nil, fmt.Errorf("building the Kubernetes client: %w", err)
	}
	if input.Dynamic, err = dynamic.NewForConfig(engine); err != nil {
		return nil, fmt.Errorf("building the dynamic client: %w", err)
	}
	input.Identities = identity.NewServiceAccounts(engine)
	if input.Metadata, err = metadata.NewForConfig(engine); err != nil {
		return nil, fmt.Errorf("building the metadata client: %w", err)
	}
	if input.Config, err = configclient.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("building the client of config.openshift.io: %w", err)
	}
	if input.Platform, err = versioned.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("building the client of our own kinds: %w", err)
	}
	if input.Operator, input.OperatorInformers, err = newOperatorClient(config, settings.Clock); err != nil {
		return nil, err
	}
	input.Discovery = memory.NewMemCacheClient(input.Kubernetes.Discovery())
	version, err := input.Kubernetes.Discovery().ServerVersion()
	if err != nil {
		return nil, fmt.Errorf("reading the API server's version: %w", err)
	}
	input.KubernetesVersion = version.GitVersion
	input.ConfigInformers = configinformers.NewSharedInformerFactory(input.Config, resync)
	input.PlatformInformers = externalversions.NewSharedInformerFactory(input.Platform, resync)
	input.LimitsInformers = newLimitsInformers(input)
	input.RevisionSecrets = store.NewInformer(input.Metadata, input.Namespace)
	return input, nil
}

func newLimitsInformers(input *Input) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(input.Kubernetes, resync, informers.WithNamespace(input.Namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, limits.ConfigMap).String()
		}))
}
