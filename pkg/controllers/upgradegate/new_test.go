package upgradegate

import (
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-base/metrics"
	clocktesting "k8s.io/utils/clock/testing"

	configv1 "github.com/openshift/api/config/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	configv1listers "github.com/openshift/client-go/config/listers/config/v1"
	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"
	"github.com/openshift/library-go/pkg/operator/v1helpers"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/client/informers/externalversions"
	"github.com/openshift/platform-operators/pkg/limits"
)

// soon is the maximum time that a test waits for another goroutine.
const soon = 20 * time.Second

// listsFirst is a client that does not support streaming lists, so that informers list first.
type listsFirst struct{}

func (listsFirst) IsWatchListSemanticsUnSupported() bool { return true }

// clusterVersions is an informer that lists one ClusterVersion, and receives the events that a test sends.
type clusterVersions struct {
	cache.SharedIndexInformer
	events *watch.FakeWatcher
}

func newClusterVersions(version string) clusterVersions {
	events := watch.NewFakeWithChanSize(10, false)
	list := &configv1.ClusterVersionList{Items: []configv1.ClusterVersion{{ObjectMeta: metav1.ObjectMeta{Name: "version"},
		Status: configv1.ClusterVersionStatus{Desired: configv1.Release{Version: version}, History: []configv1.UpdateHistory{{State: configv1.CompletedUpdate, Version: version}}}}}}
	return clusterVersions{cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { return list, nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return events, nil },
	}, listsFirst{}), &configv1.ClusterVersion{}, 0, cache.Indexers{}), events}
}

func (c clusterVersions) Informer() cache.SharedIndexInformer { return c.SharedIndexInformer }
func (c clusterVersions) Lister() configv1listers.ClusterVersionLister {
	return configv1listers.NewClusterVersionLister(c.GetIndexer())
}

// featureGates is an informer without FeatureGates.
type featureGates struct{ cache.SharedIndexInformer }

func newFeatureGates() featureGates {
	return featureGates{cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { return &configv1.FeatureGateList{}, nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return watch.NewFake(), nil },
	}, listsFirst{}), &configv1.FeatureGate{}, 0, cache.Indexers{})}
}

func (f featureGates) Informer() cache.SharedIndexInformer { return f.SharedIndexInformer }
func (f featureGates) Lister() configv1listers.FeatureGateLister {
	return configv1listers.NewFeatureGateLister(f.GetIndexer())
}

// cluster has the dependencies of a Config.
type cluster struct {
	client          *fake.Clientset
	informers       externalversions.SharedInformerFactory
	clusterVersions clusterVersions
	featureGates    featureGates
	limits          *catalogsource.Changes
	catalogs        *catalogsource.Changes
}

func newCluster(objects ...runtime.Object) *cluster {
	client := fake.NewSimpleClientset(objects...)
	return &cluster{client, externalversions.NewSharedInformerFactory(client, 0), newClusterVersions("4.21.0"), newFeatureGates(), &catalogsource.Changes{}, &catalogsource.Changes{}}
}

func (c *cluster) config() Config {
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return Config{
		Client:          c.client.OperatorV1alpha1().PlatformOperatorManagers(),
		Operators:       c.informers.Platform().V1alpha1().PlatformOperators(),
		Deployments:     c.informers.Core().V1alpha2().BundleDeployments(),
		ClusterVersions: c.clusterVersions,
		FeatureGates:    c.featureGates,
		Managers:        c.informers.Operator().V1alpha1().PlatformOperatorManagers(),
		Limits:          func() (limits.Stored, error) { return limits.Stored{Record: &limits.Record{UID: "before"}}, nil },
		LimitsChanged:   c.limits, Catalogs: twoVersions{}, CatalogsChanged: c.catalogs, Inventory: nothingElse{}, KubernetesVersion: "v1.36.3",
		Clock: clock, SyncContext: factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder(ControllerName, clock)),
		Watches: "WatchesDegraded", Permits: &atomic.Bool{}, Register: func(metrics.StableCollector) error { return nil },
	}
}

// start builds the controller and runs its informers until they are synced.
func (c *cluster) start(t *testing.T) (factory.Controller, Config) {
	t.Helper()
	config := c.config()
	t.Cleanup(config.SyncContext.Queue().ShutDown)
	controller, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	c.informers.Start(t.Context().Done())
	t.Cleanup(c.informers.Shutdown)
	go c.clusterVersions.RunWithContext(t.Context())
	go c.featureGates.RunWithContext(t.Context())
	syncing, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	c.informers.WaitForCacheSync(syncing.Done())
	if !cache.WaitForCacheSync(syncing.Done(), c.clusterVersions.HasSynced, c.featureGates.HasSynced) {
		t.Fatal("the informers do not sync")
	}
	return controller, config
}

// nextKey waits for a key, removes it from the queue and returns it. The test fails if there is none. event is the cause in the error
// message.
func nextKey(t *testing.T, config Config, event string) any {
	t.Helper()
	key := make(chan any, 1)
	go func() { // ends with the queue
		got, _ := config.SyncContext.Queue().Get()
		key <- got
	}()
	select {
	case got := <-key:
		config.SyncContext.Queue().Done(got)
		return got
	case <-time.After(soon):
		t.Fatalf("%s enqueued nothing", event)
		return nil
	}
}

func TestNewNeedsEveryFieldOfItsConfig(t *testing.T) {
	if c, err := New(newCluster().config()); err != nil || c.Name() != ControllerName {
		t.Fatalf("New with all fields: %v, %v", c, err)
	}
	fields := reflect.TypeFor[Config]()
	for i := range fields.NumField() {
		config := newCluster().config()
		reflect.ValueOf(&config).Elem().Field(i).SetZero()
		if c, err := New(config); c != nil || err == nil {
			t.Errorf("without %s it is built", fields.Field(i).Name)
		}
	}
}

func TestNewReportsMetricsThatCannotBeRegistered(t *testing.T) {
	refused := errors.New("registered already")
	config := newCluster().config()
	config.Register = func(metrics.StableCollector) error { return refused }
	if _, err := New(config); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
}

func TestWhatTheVerdictDependsOnEnqueuesIt(t *testing.T) {
	c := newCluster()
	_, config := c.start(t)
	if key := nextKey(t, config, "the ClusterVersion that exists"); key != factory.DefaultQueueKey {
		t.Errorf("the ClusterVersion that exists enqueued %v", key)
	}
	ctx, meta := t.Context(), metav1.ObjectMeta{Name: "a"}
	for _, event := range []struct {
		name string
		send func() error
	}{
		{"a PlatformOperator", func() error {
			_, err := c.client.PlatformV1alpha1().PlatformOperators().Create(ctx, &platformv1alpha1.PlatformOperator{ObjectMeta: meta}, metav1.CreateOptions{})
			return err
		}},
		{"a BundleDeployment", func() error {
			_, err := c.client.CoreV1alpha2().BundleDeployments().Create(ctx, &corev1alpha2.BundleDeployment{ObjectMeta: meta}, metav1.CreateOptions{})
			return err
		}},
		{"a PlatformOperatorManager", func() error {
			_, err := c.client.OperatorV1alpha1().PlatformOperatorManagers().Create(ctx, &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: meta}, metav1.CreateOptions{})
			return err
		}},
		{"a ClusterVersion", func() error {
			c.clusterVersions.events.Modify(&configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}})
			return nil
		}},
		{"limits that changed", func() error { c.limits.Notify([]string{"a"}); return nil }},
		{"a catalog that changed", func() error { c.catalogs.Notify([]string{"a"}); return nil }},
	} {
		if err := event.send(); err != nil {
			t.Fatalf("%s: %v", event.name, err)
		}
		if key := nextKey(t, config, event.name); key != factory.DefaultQueueKey {
			t.Errorf("%s enqueued %v", event.name, key)
		}
	}
}

func TestASyncWritesTheVerdictAndSearchesRemedies(t *testing.T) {
	for name, test := range map[string]struct {
		installedMax string
		want         operatorv1.ConditionStatus
	}{
		"an operator that permits the next minor version": {"4.23", operatorv1.ConditionTrue},
		"an operator that does not":                       {"4.21", operatorv1.ConditionFalse},
	} {
		t.Run(name, func(t *testing.T) {
			operator := compass("", test.installedMax, "none")
			objects := []runtime.Object{operator, &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: operatorv1alpha1.PlatformOperatorManagerName}}}
			for _, deployment := range deploymentsOf(operator) {
				objects = append(objects, deployment)
			}
			c := newCluster(objects...)
			controller, config := c.start(t)
			nextKey(t, config, "the objects that exist")
			if err := controller.Sync(t.Context(), config.SyncContext); err != nil {
				t.Fatal(err)
			}
			if permits := config.Permits.Load(); permits != (test.want == operatorv1.ConditionTrue) {
				t.Errorf("permits %v, want %s", permits, test.want)
			}
			manager, err := c.client.OperatorV1alpha1().PlatformOperatorManagers().Get(t.Context(), operatorv1alpha1.PlatformOperatorManagerName, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			condition := v1helpers.FindOperatorCondition(manager.Status.Conditions, ConditionType)
			if condition == nil || condition.Status != test.want {
				t.Errorf("the condition is %+v, want %s", condition, test.want)
			}
			for nextKey(t, config, "the search for remedies") != RemediesKey { // the write of the verdict is an event, too
			}
		})
	}
}
