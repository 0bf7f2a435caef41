package managerlimits

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	corelisters "github.com/openshift/platform-operators/pkg/client/listers/core/v1alpha2"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/store"
)

// step is one sync: the PlatformOperatorManager before it, and the expected writes and Events.
type step struct {
	is       *operatorv1alpha1.PlatformOperatorManager
	tampers  func(*testing.T, *cluster) // changes of the ConfigMap by another client before the sync
	restarts bool
	writes   string
	events   int
	kept     types.UID
}

func manager(uid types.UID, allowed ...string) *operatorv1alpha1.PlatformOperatorManager {
	m := &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: "cluster", UID: uid, CreationTimestamp: metav1.Unix(200, 0)}}
	m.Spec.AllowedPackages = allowed
	return m
}

func accepting(m *operatorv1alpha1.PlatformOperatorManager) *operatorv1alpha1.PlatformOperatorManager {
	m.Annotations = map[string]string{operatorv1alpha1.AnnotationAcceptLimits: "true"}
	return m
}

func TestHRD_S3_LimitsAreKeptBesideThePlatformOperatorManager(t *testing.T) {
	newCluster().run(t, []step{
		{is: nil},
		{is: manager("a"), writes: "create", kept: "a"},
		{is: manager("a"), kept: "a"},
		{is: manager("a", "quay"), writes: "update", kept: "a"},
		{is: nil, kept: "a"},
		{is: manager("b"), events: 1, kept: "a"},
		{is: manager("b"), kept: "a"},
		{is: manager("b"), restarts: true, events: 1, kept: "a"},
		{is: manager("c"), events: 1, kept: "a"},
		{is: manager("d", "quay"), writes: "update", kept: "d"},
		{is: accepting(manager("b")), writes: "update", kept: "b"},
		{is: manager("e"), writes: "update", kept: "e"},
	})
}

func TestHRD_S3_ARecordThatSomebodyTakesAwayPermitsNothing(t *testing.T) {
	for sentence, steps := range map[string][]step{
		"deleted while a manager runs": {
			{is: manager("a", "quay"), writes: "create", kept: "a"},
			{is: manager("b"), tampers: deleted, events: 1, writes: "create", kept: "a"},
			{is: manager("b"), kept: "a"},
		},
		"emptied while a manager runs": {
			{is: manager("a", "quay"), writes: "create", kept: "a"},
			{is: manager("b"), tampers: edited("a", `{"spec":{}}`), events: 1, writes: "update", kept: "a"},
		},
		"made out to be the new one's": {
			{is: manager("a", "quay"), writes: "create", kept: "a"},
			{is: manager("b"), tampers: edited("b", `{"spec":{}}`), events: 1, writes: "update", kept: "a"},
		},
		"damaged while a manager runs": {
			{is: manager("a", "quay"), writes: "create", kept: "a"},
			{is: manager("a", "quay"), tampers: edited("", ""), writes: "update", kept: "a"},
		},
		"deleted together with the PlatformOperatorManager": {
			{is: manager("a", "quay"), writes: "create", kept: "a"},
			{is: nil, tampers: deleted, writes: "create", kept: "a"},
			{is: manager("b"), events: 1, kept: "a"},
		},
		"damaged, and deleted before anybody accepted that": {
			{is: manager("a"), tampers: func(t *testing.T, c *cluster) { c.write(t, "a", "no JSON") }, events: 1},
			{is: manager("a"), tampers: deleted},
			{is: accepting(manager("a")), writes: "create", kept: "a"},
		},
		"deleted while no manager runs, after something was installed": {
			{is: manager("a", "quay"), writes: "create", kept: "a"},
			{is: manager("b"), tampers: installedAndDeleted(199), restarts: true, events: 1},
			{is: accepting(manager("b")), writes: "create", kept: "b"},
		},
		"deleted while no manager runs, and the PlatformOperatorManager is the same": {
			{is: manager("a", "quay"), writes: "create", kept: "a"},
			{is: manager("a", "quay"), tampers: installedAndDeleted(201), restarts: true, writes: "create", kept: "a"},
		},
	} {
		t.Run(sentence, func(t *testing.T) { newCluster().run(t, steps) })
	}
}

func deleted(t *testing.T, c *cluster) {
	t.Helper()
	if err := c.client.CoreV1().ConfigMaps("ns").Delete(t.Context(), limits.ConfigMap, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func edited(uid, patch string) func(*testing.T, *cluster) {
	return func(t *testing.T, c *cluster) {
		t.Helper()
		deleted(t, c)
		c.write(t, uid, patch)
	}
}

// installedAndDeleted returns a function that deletes the ConfigMap and adds BundleDeployments. The oldest one of a PlatformOperator was
// created at this second. A user's BundleDeployment is older.
func installedAndDeleted(second int64) func(*testing.T, *cluster) {
	return func(t *testing.T, c *cluster) {
		t.Helper()
		deleted(t, c)
		yes := true
		for _, each := range []*corev1alpha2.BundleDeployment{
			{ObjectMeta: metav1.ObjectMeta{Name: "users", CreationTimestamp: metav1.Unix(1, 0)}},
			{ObjectMeta: metav1.ObjectMeta{Name: "later", CreationTimestamp: metav1.Unix(second+9, 0), OwnerReferences: []metav1.OwnerReference{{Kind: "PlatformOperator", Controller: &yes}}}},
			{ObjectMeta: metav1.ObjectMeta{Name: "first", CreationTimestamp: metav1.Unix(second, 0), OwnerReferences: []metav1.OwnerReference{{Kind: "PlatformOperator", Controller: &yes}}}},
		} {
			if err := c.deployments.Add(each); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// cluster is an API server, the controller, and caches that are updated before each sync.
type cluster struct {
	client                            *fake.Clientset
	managers, configMaps, deployments cache.Indexer
	controller                        *controller
}

func newCluster() *cluster {
	byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	c := &cluster{client: fake.NewClientset(), managers: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil),
		configMaps: cache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace), deployments: cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil)}
	c.start()
	return c
}

// start replaces the controller by a new one, as a restart of the manager does.
func (c *cluster) start() {
	kept := store.NewLimits("ns", c.client.CoreV1(), corev1listers.NewConfigMapLister(c.configMaps), corelisters.NewBundleDeploymentLister(c.deployments))
	c.controller = &controller{managers: operatorlisters.NewPlatformOperatorManagerLister(c.managers), store: kept}
}

// write creates the ConfigMap with a UID and a patch.
func (c *cluster) write(t *testing.T, uid, patch string) {
	t.Helper()
	content := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: limits.ConfigMap, Namespace: "ns"}, Data: map[string]string{"uid": uid, "patch": patch}}
	if _, err := c.client.CoreV1().ConfigMaps("ns").Create(t.Context(), content, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// observe updates the caches, with this PlatformOperatorManager; nil for none.
func (c *cluster) observe(t *testing.T, is *operatorv1alpha1.PlatformOperatorManager) {
	t.Helper()
	var existing, stored []any
	if is != nil {
		existing = append(existing, is)
	}
	if live, err := c.client.CoreV1().ConfigMaps("ns").Get(t.Context(), limits.ConfigMap, metav1.GetOptions{}); err == nil {
		stored = append(stored, live)
	}
	if err := errors.Join(c.managers.Replace(existing, ""), c.configMaps.Replace(stored, "")); err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) run(t *testing.T, steps []step) {
	t.Helper()
	for i, step := range steps {
		if step.tampers != nil {
			step.tampers(t, c)
		}
		if step.restarts {
			c.start()
		}
		c.observe(t, step.is)
		c.sync(t, i, step)
	}
}

// sync runs one sync, and compares its writes and Events with those of the step.
func (c *cluster) sync(t *testing.T, i int, step step) {
	t.Helper()
	recorder := events.NewInMemoryRecorder("test", clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	syncContext := factory.NewSyncContext("test", recorder)
	defer syncContext.Queue().ShutDown()
	c.client.ClearActions()
	if err := c.controller.sync(t.Context(), syncContext); err != nil {
		t.Fatalf("step %d: %v", i, err)
	}
	writes := ""
	for _, action := range c.client.Actions() {
		writes += action.GetVerb()
	}
	if writes != step.writes {
		t.Errorf("step %d writes %q, want %q", i, writes, step.writes)
	}
	if got := len(syncContext.Recorder().(events.InMemoryRecorder).Events()); got != step.events {
		t.Errorf("step %d sends %d Events, want %d", i, got, step.events)
	}
	live, err := c.client.CoreV1().ConfigMaps("ns").Get(t.Context(), limits.ConfigMap, metav1.GetOptions{})
	if err != nil {
		if step.kept != "" {
			t.Errorf("step %d: %v", i, err)
		}
		return
	}
	if record, err := limits.Parse(live.Data); step.kept != "" && (err != nil || record.UID != step.kept) {
		t.Errorf("step %d keeps %+v (error %v), want those of %q", i, record, err, step.kept)
	}
}
