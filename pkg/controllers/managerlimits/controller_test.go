package managerlimits

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/library-go/pkg/controller/factory"
	"github.com/openshift/library-go/pkg/operator/events"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	operatorlisters "github.com/openshift/platform-operators/pkg/client/listers/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/limits"
	"github.com/openshift/platform-operators/pkg/store"
)

// step is one sync: what there is then, and what comes of it.
type step struct {
	is       *operatorv1alpha1.PlatformOperatorManager
	restarts bool
	writes   string
	events   int
	kept     types.UID
}

func TestHRD_S3_LimitsAreKeptBesideThePlatformOperatorManager(t *testing.T) {
	manager := func(uid types.UID, allowed ...string) *operatorv1alpha1.PlatformOperatorManager {
		m := &operatorv1alpha1.PlatformOperatorManager{ObjectMeta: metav1.ObjectMeta{Name: "cluster", UID: uid}}
		m.Spec.AllowedPackages = allowed
		return m
	}
	accepting := manager("b")
	accepting.Annotations = map[string]string{operatorv1alpha1.AnnotationAcceptLimits: "true"}
	client, c := fake.NewClientset(), &controller{}
	for i, step := range []step{
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
		{is: accepting, writes: "update", kept: "b"},
		{is: manager("e"), writes: "update", kept: "e"},
	} {
		if step.restarts {
			c = &controller{}
		}
		run(t, i, c, client, step)
	}
}

// run syncs once, with caches that are up to date.
func run(t *testing.T, i int, c *controller, client *fake.Clientset, step step) {
	t.Helper()
	managers, configMaps := cache.NewIndexer(cache.MetaNamespaceKeyFunc, nil), cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	if step.is != nil {
		if err := managers.Add(step.is); err != nil {
			t.Fatal(err)
		}
	}
	if live, err := client.CoreV1().ConfigMaps("ns").Get(t.Context(), limits.ConfigMap, metav1.GetOptions{}); err == nil {
		if err := configMaps.Add(live); err != nil {
			t.Fatal(err)
		}
	}
	c.managers = operatorlisters.NewPlatformOperatorManagerLister(managers)
	c.store = store.NewLimits("ns", client.CoreV1(), corev1listers.NewConfigMapLister(configMaps))
	recorder := events.NewInMemoryRecorder("test", clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	syncContext := factory.NewSyncContext("test", recorder)
	defer syncContext.Queue().ShutDown()
	client.ClearActions()
	if err := c.sync(t.Context(), syncContext); err != nil {
		t.Fatalf("step %d: %v", i, err)
	}
	writes := ""
	for _, action := range client.Actions() {
		writes += action.GetVerb()
	}
	if writes != step.writes {
		t.Errorf("step %d writes %q, want %q", i, writes, step.writes)
	}
	if got := len(syncContext.Recorder().(events.InMemoryRecorder).Events()); got != step.events {
		t.Errorf("step %d sends %d Events, want %d", i, got, step.events)
	}
	live, err := client.CoreV1().ConfigMaps("ns").Get(t.Context(), limits.ConfigMap, metav1.GetOptions{})
	if err != nil {
		if step.kept != "" {
			t.Errorf("step %d: %v", i, err)
		}
		return
	}
	if record, err := limits.Parse(live.Data); err != nil || record.UID != step.kept {
		t.Errorf("step %d keeps %+v (error %v), want those of %q", i, record, err, step.kept)
	}
}
