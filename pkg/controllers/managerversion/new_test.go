package managerversion

import (
	"context"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
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
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/fake"
	"github.com/openshift/platform-operators/pkg/client/informers/externalversions"
)

// soon is the maximum time that a test waits for another goroutine.
const soon = 20 * time.Second

// listsFirst is a client that does not support streaming lists, so that informers list first.
type listsFirst struct{}

func (listsFirst) IsWatchListSemanticsUnSupported() bool { return true }

// clusterOperators is an informer that lists given ClusterOperators, and receives the events that a test sends.
type clusterOperators struct {
	cache.SharedIndexInformer
	events *watch.FakeWatcher
}

func newClusterOperators(existing ...configv1.ClusterOperator) clusterOperators {
	events := watch.NewFakeWithChanSize(10, false)
	return clusterOperators{cache.NewSharedIndexInformer(cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListFunc: func(metav1.ListOptions) (runtime.Object, error) {
			return &configv1.ClusterOperatorList{Items: existing}, nil
		},
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { return events, nil },
	}, listsFirst{}), &configv1.ClusterOperator{}, 0, cache.Indexers{}), events}
}

func (c clusterOperators) Informer() cache.SharedIndexInformer { return c.SharedIndexInformer }
func (c clusterOperators) Lister() configv1listers.ClusterOperatorLister {
	return configv1listers.NewClusterOperatorLister(c.GetIndexer())
}

// built is a controller with its informers, which are running.
type built struct {
	factory.Controller
	config           Config
	client           *fake.Clientset
	clusterOperators clusterOperators
	reported         []string
	// existing are the ClusterOperators that the informer lists.
	existing []configv1.ClusterOperator
}

// wholeConfig returns a complete Config of version 2 on a cluster with these objects, and its informers, which are not started.
func wholeConfig(b *built, objects ...runtime.Object) (Config, externalversions.SharedInformerFactory) {
	clock := clocktesting.NewFakePassiveClock(epoch)
	b.client, b.clusterOperators = fake.NewSimpleClientset(objects...), newClusterOperators(b.existing...)
	informers := externalversions.NewSharedInformerFactory(b.client, 0)
	return Config{
		OperatorClient: v1helpers.NewFakeOperatorClient(&operatorv1.OperatorSpec{}, &operatorv1.OperatorStatus{}, nil),
		Operators:      informers.Platform().V1alpha1().PlatformOperators(), Deployments: informers.Core().V1alpha2().BundleDeployments(),
		ClusterOperators: b.clusterOperators, ClusterOperator: "ours", Version: "2",
		Client: b.client.OperatorV1alpha1().PlatformOperatorManagers(), Managers: informers.Operator().V1alpha1().PlatformOperatorManagers(),
		Report:  func(operand, version string) { b.reported = append(b.reported, operand+" "+version) },
		Reports: NewReports(), FirstSyncs: NewFirstSyncs(), Limit: limit, Clock: clock,
		SyncContext: factory.NewSyncContext(ControllerName, events.NewInMemoryRecorder(ControllerName, clock)),
	}, informers
}

func newBuilt(t *testing.T, existing []configv1.ClusterOperator, objects ...runtime.Object) *built {
	t.Helper()
	b := &built{existing: existing}
	config, informers := wholeConfig(b, objects...)
	t.Cleanup(config.SyncContext.Queue().ShutDown)
	c, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	b.Controller, b.config = c, config
	informers.Start(t.Context().Done())
	go b.clusterOperators.RunWithContext(t.Context())
	syncing, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	informers.WaitForCacheSync(syncing.Done())
	if !cache.WaitForCacheSync(syncing.Done(), b.clusterOperators.HasSynced) {
		t.Fatal("the informers do not sync")
	}
	t.Cleanup(informers.Shutdown)
	return b
}

// isEnqueued waits for a key and removes it from the queue. The test fails if there is none. by is the cause in the error message.
func (b *built) isEnqueued(t *testing.T, by string) {
	t.Helper()
	key := make(chan any, 1)
	go func() { // ends with the queue
		got, _ := b.config.SyncContext.Queue().Get()
		key <- got
	}()
	select {
	case got := <-key:
		b.config.SyncContext.Queue().Done(got)
		if got != factory.DefaultQueueKey {
			t.Errorf("%s enqueued %v", by, got)
		}
	case <-time.After(soon):
		t.Fatalf("%s enqueued nothing", by)
	}
}

func TestNewNeedsEveryFieldOfItsConfig(t *testing.T) {
	whole := func() Config { config, _ := wholeConfig(&built{}); return config }
	if c, err := New(whole()); err != nil || c.Name() != ControllerName {
		t.Fatalf("New with all fields: %v, %v", c, err)
	}
	fields := reflect.TypeFor[Config]()
	for i := range fields.NumField() {
		config := whole()
		reflect.ValueOf(&config).Elem().Field(i).SetZero()
		if c, err := New(config); c != nil || err == nil {
			t.Errorf("without %s it is built", fields.Field(i).Name)
		}
	}
}

func TestWhatADecisionDependsOnEnqueuesIt(t *testing.T) {
	b := newBuilt(t, nil)
	ctx, meta := t.Context(), metav1.ObjectMeta{Name: "a"}
	for _, event := range []struct {
		name string
		send func() error
	}{
		{"a PlatformOperator", func() error {
			_, err := b.client.PlatformV1alpha1().PlatformOperators().Create(ctx, &platformv1alpha1.PlatformOperator{ObjectMeta: meta}, metav1.CreateOptions{})
			return err
		}},
		{"a BundleDeployment", func() error {
			_, err := b.client.CoreV1alpha2().BundleDeployments().Create(ctx, &corev1alpha2.BundleDeployment{ObjectMeta: meta}, metav1.CreateOptions{})
			return err
		}},
		{"a PlatformOperatorManager", func() error {
			_, err := b.client.OperatorV1alpha1().PlatformOperatorManagers().Create(ctx, &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: meta}, metav1.CreateOptions{})
			return err
		}},
		{"a ClusterOperator", func() error { b.clusterOperators.events.Add(&configv1.ClusterOperator{ObjectMeta: meta}); return nil }},
		{"an object that was tried", func() error { b.config.FirstSyncs.Of(KindPlatformOperator)("a"); return nil }},
		{"a ClusterOperator that was written", func() error { b.config.Reports.Reported("7"); return nil }},
	} {
		if err := event.send(); err != nil {
			t.Fatalf("%s: %v", event.name, err)
		}
		b.isEnqueued(t, event.name)
	}
}

// TestAVersionIsRolledOutByEvents covers the informers and callbacks of New: a version is rolled out on a cluster with one operator, only
// by events.
func TestAVersionIsRolledOutByEvents(t *testing.T) {
	b := newBuilt(t,
		[]configv1.ClusterOperator{{ObjectMeta: metav1.ObjectMeta{Name: "ours"}, Status: configv1.ClusterOperatorStatus{Versions: []configv1.OperandVersion{{Name: Operand, Version: "1"}}}}},
		&operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: "cluster", ResourceVersion: "10"}},
		&platformv1alpha1.PlatformOperator{ObjectMeta: metav1.ObjectMeta{Name: "a"}})
	b.syncUntil(t, "True WorkingTowardsVersion")
	if len(b.reported) != 0 {
		t.Fatalf("before anything is tried, %q are reported", b.reported)
	}
	b.config.FirstSyncs.Of(KindPlatformOperator)("a")
	b.config.Reports.Reported("1000")
	b.syncUntil(t, "False AsExpected")
	if !slices.Equal(b.reported, []string{"operator 2"}) {
		t.Errorf("reported are %q", b.reported)
	}
}

// syncUntil syncs once for each key in the queue, until the condition has this status and reason. It never syncs without an event.
func (b *built) syncUntil(t *testing.T, want string) {
	t.Helper()
	for got := ""; got != want; {
		b.isEnqueued(t, "what is to make the condition "+want+" rather than "+got)
		if err := b.Sync(t.Context(), b.config.SyncContext); err != nil {
			t.Fatal(err)
		}
		manager, err := b.client.OperatorV1alpha1().PlatformOperatorManagers().Get(t.Context(), "cluster", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		got = "none"
		if condition := v1helpers.FindOperatorCondition(manager.Status.Conditions, ConditionType); condition != nil {
			got = string(condition.Status) + " " + condition.Reason
		}
	}
}
