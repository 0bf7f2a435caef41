package platformoperator

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics"
	"k8s.io/utils/clock"

	configv1informers "github.com/openshift/client-go/config/informers/externalversions/config/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	coreinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/core/v1alpha2"
	operatorinformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/operator/v1alpha1"
	platforminformers "github.com/openshift/platform-operators/pkg/client/informers/externalversions/platform/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
)

// informer is an informer whose cache the test fills and whose events the test sends. The embedded SharedIndexInformer is nil, because the
// controller does not call its other methods.
type informer struct {
	cache.SharedIndexInformer
	indexer  cache.Indexer
	handlers []cache.ResourceEventHandler
}

func newInformer() *informer {
	return &informer{indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)}
}

func (i *informer) AddEventHandler(handler cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, handler)
	return nil, nil
}

func (i *informer) HasSynced() bool           { return true }
func (i *informer) GetIndexer() cache.Indexer { return i.indexer }

// put adds an object to the cache, without an event.
func (i *informer) put(t *testing.T, object runtime.Object) {
	t.Helper()
	if err := i.indexer.Add(object); err != nil {
		t.Fatal(err)
	}
}

// update sends an update event to the handlers.
func (i *informer) update(before, after runtime.Object) {
	for _, handler := range i.handlers {
		handler.OnUpdate(before, after)
	}
}

type operatorInformer struct{ *informer }

func (i operatorInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i operatorInformer) Lister() platformlisters.PlatformOperatorLister {
	return platformlisters.NewPlatformOperatorLister(i.indexer)
}

type deploymentInformer struct{ *informer }

func (i deploymentInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i deploymentInformer) Lister() corelisters.BundleDeploymentLister {
	return corelisters.NewBundleDeploymentLister(i.indexer)
}

type clusterVersionInformer struct{ *informer }

func (i clusterVersionInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i clusterVersionInformer) Lister() configv1listers.ClusterVersionLister {
	return configv1listers.NewClusterVersionLister(i.indexer)
}

type managerInformer struct{ *informer }

func (i managerInformer) Informer() cache.SharedIndexInformer { return i.informer }
func (i managerInformer) Lister() operatorlisters.PlatformOperatorManagerLister {
	return operatorlisters.NewPlatformOperatorManagerLister(i.indexer)
}

var (
	_ platforminformers.PlatformOperatorInformer        = operatorInformer{}
	_ coreinformers.BundleDeploymentInformer            = deploymentInformer{}
	_ configv1informers.ClusterVersionInformer          = clusterVersionInformer{}
	_ operatorinformers.PlatformOperatorManagerInformer = managerInformer{}
)

// informers has the informers of a Config.
type informers struct {
	operators, deployments, clusterVersions, managers                              *informer
	limitsChanged, catalogsChanged, providersChanged, kindsChanged, foreignChanged *informer
}

func newInformers() *informers {
	return &informers{
		operators: newInformer(), deployments: newInformer(), clusterVersions: newInformer(), managers: newInformer(),
		limitsChanged: newInformer(), catalogsChanged: newInformer(), providersChanged: newInformer(), kindsChanged: newInformer(), foreignChanged: newInformer(),
	}
}

// config returns a complete Config, for a cluster without limits that has nothing except its operators.
func (i *informers) config(client *fake.Clientset, catalogs Catalogs, clock clock.PassiveClock) Config {
	return Config{
		OperatorClient: client.PlatformV1alpha1().PlatformOperators(), DeploymentClient: client.CoreV1alpha2().BundleDeployments(),
		Operators: operatorInformer{i.operators}, Deployments: deploymentInformer{i.deployments},
		ClusterVersions: clusterVersionInformer{i.clusterVersions}, HasVersions: func() bool { return true }, Managers: managerInformer{i.managers},
		Limits:        func() (limits.Stored, error) { return limits.Stored{Record: &limits.Record{UID: "before"}}, nil },
		LimitsChanged: i.limitsChanged, Catalogs: catalogs, CatalogsChanged: i.catalogsChanged, ProvidersChanged: i.providersChanged,
		Inventory: nothingElse{}, KindsChanged: i.kindsChanged, ForeignChanged: i.foreignChanged,
		KubernetesVersion: "v1.36.3", Clock: clock, SyncContext: factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder("test", clock)), Events: &record.FakeRecorder{},
		Synced:   func(string) {},
		Register: func(metrics.StableCollector) error { return nil }, RegisterVector: func(metrics.Registerable) error { return nil },
	}
}

// built returns the controller of a Config.
func built(t *testing.T, config Config) *controller {
	t.Helper()
	c, err := newController(config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// soon is the maximum time that a test waits for another goroutine.
const soon = 20 * time.Second
