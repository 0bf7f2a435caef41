package catalogs

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/component-base/metrics"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/client/informers/externalversions"
)

// soon is the maximum time that a test waits for another goroutine.
const soon = 20 * time.Second

// cluster has the dependencies of a Config. It serves both kinds of catalogs, and has no catalogs.
type cluster struct {
	dynamic   dynamic.Interface
	client    *fake.Clientset
	informers externalversions.SharedInformerFactory
	watched   []string
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	client := fake.NewSimpleClientset()
	return &cluster{
		dynamic: dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), listKinds,
			object(t, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: catalogsources.operators.coreos.com},
spec: {group: operators.coreos.com, names: {kind: CatalogSource}, versions: [{name: v1alpha1, served: true}]}}`),
			object(t, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: clustercatalogs.olm.operatorframework.io},
spec: {group: olm.operatorframework.io, names: {kind: ClusterCatalog}, versions: [{name: v1, served: true}]}}`)),
		client: client, informers: externalversions.NewSharedInformerFactory(client, 0),
	}
}

func (c *cluster) config(t *testing.T) Config {
	t.Helper()
	clock := clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	read := func(context.Context, Request) (Result, error) { return Result{}, nil }
	return Config{
		Dynamic: c.dynamic, Kinds: kindsOf(t, c.dynamic),
		Operators: c.informers.Platform().V1alpha1().PlatformOperators(), Managers: c.informers.Operator().V1alpha1().PlatformOperatorManagers(),
		Deployments: c.informers.Core().V1alpha2().BundleDeployments(),
		Snapshots:   catalogsource.NewSnapshots(), Changes: &catalogsource.Changes{}, ProviderChanges: &catalogsource.Changes{},
		Clock: clock, ReadGRPC: read, ReadHTTP: read, Tasks: &background.Tasks{},
		SyncContext: factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder(ControllerName, clock)),
		Register:    func(metrics.StableCollector) error { return nil },
		Watched: func(resource string, _ func(cache.WatchErrorHandlerWithContext) error) {
			c.watched = append(c.watched, resource)
		},
	}
}

// nextKeys removes keys from the queue until all wanted keys were in it. event is the cause in the error message.
func nextKeys(t *testing.T, config Config, event string, want ...string) {
	t.Helper()
	keys := make(chan any)
	done := make(chan struct{})
	defer close(done)
	go func() { // ends with the queue, or with the next key
		for {
			key, shutdown := config.SyncContext.Queue().Get()
			config.SyncContext.Queue().Done(key)
			select {
			case keys <- key:
			case <-done:
				if !shutdown {
					config.SyncContext.Queue().Add(key) // it belongs to the next event
				}
				return
			}
		}
	}()
	timeout := time.After(soon)
	for len(want) > 0 {
		select {
		case key := <-keys:
			want = slices.DeleteFunc(want, func(each string) bool { return each == key })
		case <-timeout:
			t.Fatalf("%s did not enqueue %q", event, want)
		}
	}
}

func TestNewNeedsEveryFieldOfItsConfig(t *testing.T) {
	c := newCluster(t)
	built, err := New(c.config(t))
	if err != nil || built.Name() != ControllerName {
		t.Fatalf("New with all fields: %v, %v", built, err)
	}
	if want := []string{"pods", "catalogsources", "clustercatalogs"}; !slices.Equal(c.watched, want) {
		t.Errorf("informers of %q are reported, want %q", c.watched, want)
	}
	fields := reflect.TypeFor[Config]()
	for i := range fields.NumField() {
		config := newCluster(t).config(t)
		reflect.ValueOf(&config).Elem().Field(i).SetZero()
		if built, err := New(config); built != nil || err == nil {
			t.Errorf("without %s it is built", fields.Field(i).Name)
		}
	}
}

func TestNewReportsMetricsThatCannotBeRegistered(t *testing.T) {
	refused := errors.New("registered already")
	config := newCluster(t).config(t)
	config.Register = func(metrics.StableCollector) error { return refused }
	if _, err := New(config); !errors.Is(err, refused) {
		t.Errorf("error %v", err)
	}
}

func TestWhatACatalogDependsOnEnqueuesIt(t *testing.T) {
	c := newCluster(t)
	config := c.config(t)
	t.Cleanup(config.SyncContext.Queue().ShutDown)
	built, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	c.informers.Start(t.Context().Done())
	t.Cleanup(c.informers.Shutdown)
	go config.Kinds.Run(t.Context())
	go built.RunInformers(t.Context())
	syncing, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	if !cache.WaitForCacheSync(syncing.Done(), config.Changes.HasSynced) { // the existing catalogs are queued before that
		t.Fatal("the informers do not sync")
	}

	const blue, namespace = "ClusterCatalog/blue", "openshift-marketplace"
	ctx := t.Context()
	for _, event := range []struct {
		name string
		send func() error
		want []string
	}{
		{"a CatalogSource", func() error {
			_, err := c.dynamic.Resource(CatalogSources).Namespace(namespace).Create(ctx, object(t,
				`{apiVersion: operators.coreos.com/v1alpha1, kind: CatalogSource, metadata: {name: red, namespace: openshift-marketplace}}`), metav1.CreateOptions{})
			return err
		}, []string{red}},
		{"a ClusterCatalog", func() error {
			_, err := c.dynamic.Resource(ClusterCatalogs).Create(ctx, object(t, `{apiVersion: olm.operatorframework.io/v1, kind: ClusterCatalog, metadata: {name: blue}}`), metav1.CreateOptions{})
			return err
		}, []string{blue}},
		{"a Pod that serves a CatalogSource", func() error {
			_, err := c.dynamic.Resource(pods).Namespace(namespace).Create(ctx, object(t,
				`{apiVersion: v1, kind: Pod, metadata: {name: red-1, namespace: openshift-marketplace, labels: {olm.catalogSource: red}}, status: `+running("a@sha256:1")+`}`), metav1.CreateOptions{})
			return err
		}, []string{red}},
		{"a PlatformOperator", func() error {
			_, err := c.client.PlatformV1alpha1().PlatformOperators().Create(ctx, &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
			return err
		}, []string{red, blue}},
		{"a PlatformOperatorManager", func() error {
			_, err := c.client.OperatorV1alpha1().PlatformOperatorManagers().Create(ctx, &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}, metav1.CreateOptions{})
			return err
		}, []string{red, blue}},
		{"a BundleDeployment of a PlatformOperator that lacks a kind", func() error {
			deployment := lacking("a", "a", bread)
			_, err := c.client.CoreV1alpha2().BundleDeployments().Create(ctx, deployment, metav1.CreateOptions{})
			return err
		}, []string{providersKey}},
		{"the deletion of a CatalogSource", func() error {
			return c.dynamic.Resource(CatalogSources).Namespace(namespace).Delete(ctx, "red", metav1.DeleteOptions{})
		}, []string{red}},
	} {
		if err := event.send(); err != nil {
			t.Fatalf("%s: %v", event.name, err)
		}
		nextKeys(t, config, event.name, event.want...)
	}
}
