package reconcile

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/apply/pacing"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// memoOptions returns the options of a call for BundleDeployment memo, without other BundleDeployments and without a client.
func memoOptions() Options {
	clock := clocktesting.NewFakePassiveClock(time.Unix(1e9, 0))
	return Options{
		Claim:  object.Claim{Owner: object.Owner{Name: "memo"}, Deployments: func(string) (time.Time, bool) { return time.Time{}, false }},
		Memory: NewMemory(), Window: pacing.NewWindow(clock), Clock: clock,
	}
}

// cachedConfigMaps returns the resource of ConfigMaps, with a filled cache of those that are owned.
func cachedConfigMaps(t testing.TB, owned ...*unstructured.Unstructured) livecache.Resource {
	t.Helper()
	var objects []runtime.Object
	for _, each := range owned {
		objects = append(objects, each)
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{configMaps: "ConfigMapList"}, objects...)
	caches := livecache.NewCaches(t.Context(), client, memoOptions().Clock, func(string) {})
	filled, err := caches.Get(t.Context(), "memo", configMaps)
	if err != nil {
		t.Fatal(err)
	}
	return livecache.Resource{Mapping: &meta.RESTMapping{Resource: configMaps, Scope: meta.RESTScopeNamespace}, Cache: filled}
}

// store adds a live object to the cache, as the response to a write.
func store(t testing.TB, in livecache.Resource, live *unstructured.Unstructured) {
	t.Helper()
	if _, err := in.Cache.Remember(live); err != nil {
		t.Fatal(err)
	}
}

// unchanged returns a number of ConfigMaps, and a resource whose cache has them as declared.
func unchanged(t testing.TB, count int) ([]*object.Desired, livecache.Resource) {
	t.Helper()
	var desired []*object.Desired
	var live []*unstructured.Unstructured
	for i := range count {
		next, err := object.NewDesired(object.Owner{Name: "memo"}, parse(t, fmt.Sprintf(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c%d, namespace: ns}, data: {a: x, b: z}}`, i)))
		if err != nil {
			t.Fatal(err)
		}
		desired = append(desired, next)
		live = append(live, owned(next.Object(), ours, `{"f:metadata":{"f:labels":{"f:core.rukpak.io/owner-kind":{},"f:core.rukpak.io/owner-name":{}}},"f:data":{"f:a":{},"f:b":{}}}`))
	}
	return desired, cachedConfigMaps(t, live...)
}

func TestUnchangedObjectsNeedNoRequest(t *testing.T) {
	desired, resource := unchanged(t, 20)
	client := dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())
	options := memoOptions()
	options.Trusted, options.As = true, identity.Identity{Dynamic: client}
	for _, when := range []string{"after a restart", "later"} {
		for _, each := range desired {
			if outcome := New(options).Reconcile(t.Context(), each, resource); outcome.Err != nil || outcome.Live == nil || outcome.Updated {
				t.Errorf("%s: %+v", when, outcome)
			}
		}
		if requests := client.Actions(); len(requests) > 0 {
			t.Errorf("%s: %v", when, requests)
		}
	}
}

func BenchmarkReconcileUnchanged(b *testing.B) {
	desired, resource := unchanged(b, 1000)
	options := memoOptions()
	options.Trusted, options.As = true, identity.Identity{Dynamic: dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())}
	pass := func() {
		reconciler := New(options)
		for _, each := range desired {
			if outcome := reconciler.Reconcile(b.Context(), each, resource); outcome.Err != nil || outcome.Live == nil {
				b.Fatal(outcome.Err)
			}
		}
	}
	pass()
	for b.Loop() {
		pass()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/object")
}

func BenchmarkReconcileAfterRestart(b *testing.B) {
	desired, resource := unchanged(b, 1000)
	options := memoOptions()
	options.Trusted, options.As = true, identity.Identity{Dynamic: dynamicfake.NewSimpleDynamicClient(runtime.NewScheme())}
	for b.Loop() {
		options.Memory = NewMemory()
		reconciler := New(options)
		for _, each := range desired {
			if outcome := reconciler.Reconcile(b.Context(), each, resource); outcome.Err != nil || outcome.Live == nil {
				b.Fatal(outcome.Err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/object")
}
