package operator

import (
	"context"
	"fmt"
	"net"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/utils/clock"

	configclient "github.com/openshift/client-go/config/clientset/versioned"
	configinformers "github.com/openshift/client-go/config/informers/externalversions"
	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	"github.com/openshift/platform-operators/pkg/apply"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned"
	"github.com/openshift/platform-operators/pkg/client/informers/externalversions"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/pager"
)

const (
	// resync of the informers: nothing depends on it; it is the net below what watches may lose.
	resync = 10 * time.Minute
	// clientQPS and clientBurst bound what a controller in a hot loop could do to the API server, and replace client-go's 5 and 10,
	// which are meant for a person at a terminal. Removing 100 operators at once takes a thousand requests of one client: at 50 a
	// second they would wait 20 seconds for nothing.
	clientQPS, clientBurst = 200, 400
)

// Input is everything that the controllers are built from. It is filled from a live cluster by LiveInput; whoever wants to
// run the same controllers upon something else fills it otherwise.
type Input struct {
	Options Options

	Namespace         string
	KubernetesVersion string
	Clock             clock.Clock
	Recorder          events.Recorder
	// Register and RegisterCollector make metrics known.
	Register          func(metrics.Registerable) error
	RegisterCollector func(metrics.StableCollector) error

	// Dial connects to catalogs and registries; nil connects by TCP.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

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
	// LimitsInformers see the one ConfigMap that limits are kept in, and nothing else.
	LimitsInformers informers.SharedInformerFactory
}

// LiveInput builds the input from what controllercmd hands over.
func LiveInput(controllerContext *controllercmd.ControllerContext, options Options) (*Input, error) {
	config := clientConfig(controllerContext.KubeConfig)
	protobuf := clientConfig(controllerContext.ProtoKubeConfig)
	input := &Input{Options: options, Namespace: controllerContext.OperatorNamespace, Clock: controllerContext.Clock, Recorder: controllerContext.EventRecorder,
		Register: legacyregistry.Register, RegisterCollector: legacyregistry.CustomRegister}

	var err error
	if input.Kubernetes, err = kubernetes.NewForConfig(protobuf); err != nil {
		return nil, fmt.Errorf("building the Kubernetes client: %w", err)
	}
	if input.Dynamic, err = dynamic.NewForConfig(engineConfig(config)); err != nil {
		return nil, fmt.Errorf("building the dynamic client: %w", err)
	}
	if input.Metadata, err = metadata.NewForConfig(engineConfig(config)); err != nil {
		return nil, fmt.Errorf("building the metadata client: %w", err)
	}
	if input.Config, err = configclient.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("building the client of config.openshift.io: %w", err)
	}
	if input.Platform, err = versioned.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("building the client of our own kinds: %w", err)
	}
	if input.Operator, input.OperatorInformers, err = newOperatorClient(config, controllerContext.Clock); err != nil {
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
	return input, nil
}

func newLimitsInformers(input *Input) informers.SharedInformerFactory {
	return informers.NewSharedInformerFactoryWithOptions(input.Kubernetes, resync, informers.WithNamespace(input.Namespace),
		informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, limits.ConfigMap).String()
		}))
}

// engineConfig is for the client that bundles are applied with. It has no rate limit: at 50 requests a second a bundle of
// 5,000 objects would take two minutes that the API server spends waiting, and an operator's repair would stand behind
// another's installation. What bounds the engine is how many requests it has under way at once; what protects the server is
// its priority and fairness, which answers 429 with a time to wait, and client-go waits.
func engineConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.WarningHandlerWithContext = apply.WarningHandler()
	config.Wrap(pager.Bounded)
	return config
}

func clientConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = clientQPS, clientBurst
	return config
}
