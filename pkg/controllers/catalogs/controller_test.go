package catalogs

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/flowcontrol"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	platformv1alpha1 "github.com/openshift/platform-operators/pkg/apis/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/background"
	"github.com/openshift/platform-operators/pkg/catalog"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	platformlisters "github.com/openshift/platform-operators/pkg/client/listers/platform/v1alpha1"
	"github.com/openshift/platform-operators/pkg/inventory"
)

// fixture is a controller whose caches the test fills, and the requests that it has sent.
type fixture struct {
	*controller
	clock     *clocktesting.FakeClock
	operators cache.Indexer
	// stored are the BundleDeployments.
	stored   cache.Indexer
	notified []string
	// requests are the requests so far. content returns the package that the catalogs have under a name.
	requests []Request
	content  func(name string) catalog.Package
	fail     error
	// unmodified makes the catalogs answer conditional requests with NotModified.
	unmodified bool
	// modified is the modification time in the catalogs' results. duration is the time that each read takes.
	modified string
	duration time.Duration
}

// reads returns the number of requests so far.
func (b *fixture) reads() int { return len(b.requests) }

var listKinds = map[schema.GroupVersionResource]string{
	CatalogSources: "CatalogSourceList", ClusterCatalogs: "ClusterCatalogList", pods: "PodList",
	{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: "CustomResourceDefinitionList",
}

func kindsOf(t *testing.T, client dynamic.Interface) *inventory.Kinds {
	t.Helper()
	kinds, err := inventory.NewKinds(client)
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

func informerOf(t *testing.T, client dynamic.Interface, kinds *inventory.Kinds, resource schema.GroupVersionResource) *inventory.Optional {
	t.Helper()
	informer, err := newInformer(client, kinds, resource)
	if err != nil {
		t.Fatal(err)
	}
	return informer
}

func newFixture(t *testing.T, packages ...string) *fixture {
	t.Helper()
	b := &fixture{clock: clocktesting.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)), operators: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		stored: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)}
	b.content = func(name string) catalog.Package { return catalog.Package{Name: name} }
	read := func(_ context.Context, request Request) (Result, error) {
		b.requests = append(b.requests, request)
		b.clock.Step(b.duration)
		if request.Since != "" && b.unmodified {
			return Result{NotModified: true}, nil
		}
		answer := Result{Modified: b.modified}
		for _, name := range request.Names {
			answer.Packages = append(answer.Packages, b.content(name))
		}
		return answer, b.fail
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), listKinds)
	kinds := kindsOf(t, client)
	served, err := newPodInformer(client)
	if err != nil {
		t.Fatal(err)
	}
	b.controller = &controller{
		operators:   platformlisters.NewPlatformOperatorLister(b.operators),
		managers:    operatorlisters.NewPlatformOperatorManagerLister(cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)),
		deployments: corelisters.NewBundleDeploymentLister(b.stored),
		snapshots:   catalogsource.NewSnapshots(), changes: &catalogsource.Changes{}, clock: b.clock, tasks: &background.Tasks{},
		backoff: flowcontrol.NewFakeBackOff(firstRetry, lastRetry, b.clock),
		last:    map[catalog.ID]lastRead{}, failed: map[catalog.ID]failure{},
		providers: map[catalog.ID]content{}, failedProviders: map[catalog.ID]failure{}, providerChanges: &catalogsource.Changes{},
		pods: synced{served}, operatorWait: time.Minute, workerWait: time.Minute, attempts: map[catalog.ID]*attempt{},
		sources: map[string]*catalogKind{
			catalog.KindCatalogSource:  {informer: informerOf(t, client, kinds, CatalogSources), describe: describeServed(synced{served}), read: read},
			catalog.KindClusterCatalog: {informer: informerOf(t, client, kinds, ClusterCatalogs), describe: describeClusterCatalog, read: read},
		},
	}
	if _, err := b.changes.AddEventHandler(cache.ResourceEventHandlerFuncs{AddFunc: func(object any) {
		b.notified = append(b.notified, object.(*metav1.PartialObjectMetadata).Name)
	}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range packages {
		b.addOperator(t, name)
	}
	return b
}

func (b *fixture) addOperator(t *testing.T, name string) {
	t.Helper()
	operator := &platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}
	operator.Spec.Package.Name = name
	if err := b.operators.Add(operator); err != nil {
		t.Fatal(err)
	}
}

func (b *fixture) removeOperator(t *testing.T, name string) {
	t.Helper()
	if err := b.operators.Delete(&platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
		t.Fatal(err)
	}
}

// put stores a CatalogSource with this lastConnect time, and returns it.
func (b *fixture) put(t *testing.T, connected string) *unstructured.Unstructured {
	t.Helper()
	red := object(t, `
metadata: {name: red, namespace: openshift-marketplace, uid: u}
status: {connectionState: {address: "red:50051", lastObservedState: READY, lastConnect: "`+connected+`"}}`)
	if err := b.sources[catalog.KindCatalogSource].informer.GetStore().Add(red); err != nil {
		t.Fatal(err)
	}
	return red
}

// synced is an informer that is always synced and whose store the test fills.
type synced struct{ cache.SharedIndexInformer }

func (synced) HasSynced() bool { return true }

const red = "CatalogSource/openshift-marketplace/red"

// keyed is a sync context with a queue key.
type keyed struct {
	factory.SyncContext
	key string
}

func (k keyed) QueueKey() string { return k.key }

func (b *fixture) run(t *testing.T) {
	t.Helper()
	b.runKey(t, red)
}

func (b *fixture) runKey(t *testing.T, key string) {
	t.Helper()
	syncContext := factory.NewSyncContext("test", events.NewInMemoryRecorder("test", b.clock))
	defer syncContext.Queue().ShutDown()
	if err := b.sync(t.Context(), keyed{syncContext, key}); err != nil {
		t.Fatal(err)
	}
}

func TestCatalogIsPendingDuringItsFirstRead(t *testing.T) {
	b := newFixture(t, "quay")
	b.put(t, "first")
	source := b.sources[catalog.KindCatalogSource]
	read, pending := source.read, false
	source.read = func(ctx context.Context, request Request) (Result, error) {
		views := b.snapshots.For("quay")
		pending = len(views) == 1 && views[0].Pending
		return read(ctx, request)
	}
	b.run(t)
	if !pending {
		t.Error("while it is read others choose as if it were not there")
	}
	if views := b.snapshots.For("quay"); len(views) != 1 || views[0].Pending || views[0].Package == nil {
		t.Errorf("afterwards it says %+v", views)
	}
}

func TestCatalogWithoutWantedPackagesIsNotRead(t *testing.T) {
	b := newFixture(t)
	b.put(t, "first")
	b.run(t)
	if b.reads() != 0 {
		t.Errorf("it was read %d times", b.reads())
	}
}

func TestBackOffEndsWhenTheCatalogIsFixed(t *testing.T) {
	for name, repair := range map[string]func(*testing.T, *fixture){
		"by a new connection, five seconds later": func(t *testing.T, b *fixture) {
			b.put(t, "second")
			b.run(t)
			if b.reads() != 1 {
				t.Error("it was read at once, as it would be each time that the connection flaps")
			}
			b.clock.Step(firstRetry)
		},
		"by another address": func(t *testing.T, b *fixture) {
			if err := unstructured.SetNestedField(b.put(t, "first").Object, "blue:50051", "status", "connectionState", "address"); err != nil {
				t.Fatal(err)
			}
		},
		"by deleting it and creating it anew": func(t *testing.T, b *fixture) {
			if err := b.sources[catalog.KindCatalogSource].informer.GetStore().Delete(b.put(t, "first")); err != nil {
				t.Fatal(err)
			}
			b.run(t)
			b.put(t, "first")
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, "quay")
			b.put(t, "first")
			b.fail = errors.New("connection refused")
			b.run(t)
			b.fail = nil
			b.run(t)
			if b.reads() != 1 {
				t.Fatalf("unchanged, it was read %d times within its back-off", b.reads())
			}
			repair(t, b)
			b.run(t)
			if views := b.snapshots.For("quay"); b.reads() != 2 || len(views) != 1 || views[0].Package == nil {
				t.Errorf("read %d times, and it says %+v", b.reads(), views)
			}
		})
	}
}

func TestRemovalOfAnUnreadCatalogIsNotified(t *testing.T) {
	b := newFixture(t, "quay")
	b.fail = errors.New("connection refused")
	object := b.put(t, "first")
	b.run(t)
	b.notified = nil
	if err := b.sources[catalog.KindCatalogSource].informer.GetStore().Delete(object); err != nil {
		t.Fatal(err)
	}
	b.run(t)
	if !slices.Contains(b.notified, "quay") {
		t.Errorf("who was told that it is down hears nothing of its end: %q", b.notified)
	}
}

func TestChangesAreSyncedWhenEveryCatalogIsListed(t *testing.T) {
	b := newFixture(t, "quay")
	if b.changes.HasSynced() {
		t.Fatal("synced before anything was listed")
	}
	manifest := object(t, `
apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata: {name: red, namespace: openshift-marketplace}`)
	definition := object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: catalogsources.operators.coreos.com}
spec: {group: operators.coreos.com, versions: [{name: v1alpha1, served: true}]}`)
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), listKinds, manifest, definition)
	kinds := kindsOf(t, client)
	b.sources[catalog.KindCatalogSource].informer = informerOf(t, client, kinds, CatalogSources)
	b.sources[catalog.KindClusterCatalog].informer = informerOf(t, client, kinds, ClusterCatalogs) // the kind is not served
	var err error
	if b.controller.pods, err = newPodInformer(client); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	syncContext := factory.NewSyncContext("test", events.NewInMemoryRecorder("test", b.clock))
	var running sync.WaitGroup
	running.Go(func() { kinds.Run(ctx) })
	running.Go(func() { b.runInformers(ctx, syncContext) })
	if !cache.WaitForCacheSync(ctx.Done(), b.changes.HasSynced) {
		t.Error("never synced")
	}
	if views := b.snapshots.For("quay"); len(views) != 1 || !views[0].Pending || len(b.snapshots.Unlisted()) != 0 {
		t.Errorf("synced, and the catalogs are %+v; those of %q may be more", views, b.snapshots.Unlisted())
	}
	cancel()
	running.Wait()
}

func TestUnlistedKindsAreRecordedUntilTheyAreListed(t *testing.T) {
	b := newFixture(t, "quay")
	definition := object(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clustercatalogs.olm.operatorframework.io}
spec: {group: olm.operatorframework.io, versions: [{name: v1, served: true}]}`)
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), listKinds, definition)
	kinds := kindsOf(t, client)
	b.sources[catalog.KindCatalogSource].informer = informerOf(t, client, kinds, CatalogSources)
	b.sources[catalog.KindClusterCatalog].informer = informerOf(t, client, kinds, ClusterCatalogs)
	ctx := t.Context()
	go kinds.Run(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), kinds.HasSynced) {
		t.Fatal("which kinds are served is not known")
	}
	syncContext := factory.NewSyncContext("test", events.NewInMemoryRecorder("test", b.clock))
	if b.describeAll(syncContext) || !slices.Equal(b.snapshots.Unlisted(), []string{catalog.KindClusterCatalog}) {
		t.Errorf("before anything is listed those of %q may be more", b.snapshots.Unlisted())
	}
	source := b.sources[catalog.KindClusterCatalog].informer
	go source.Run(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), source.Settled) {
		t.Fatal("never listed")
	}
	b.notified = nil
	b.describeWhenListed(ctx, syncContext)
	if len(b.snapshots.Unlisted()) != 0 || !slices.Contains(b.notified, "quay") {
		t.Errorf("when there are none those of %q may be more, and who wants quay: %q", b.snapshots.Unlisted(), b.notified)
	}
}
