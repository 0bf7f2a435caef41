package teardown

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/openshift/platform-operators/pkg/apply/identity"
	"github.com/openshift/platform-operators/pkg/apply/livecache"
	"github.com/openshift/platform-operators/pkg/apply/object"
	"github.com/openshift/platform-operators/pkg/namespaceuse"
	"github.com/openshift/platform-operators/pkg/plan"
)

// configMaps and namespaces are the resources that the tests' clusters serve.
var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// cluster is a Remover for a cluster that serves only Namespaces, ConfigMaps and kind Config of example.com.
type cluster struct {
	*Remover
	client *dynamicfake.FakeDynamicClient
	memory *Memory
}

// newCluster returns a cluster with these objects.
func newCluster(t *testing.T, objects ...*unstructured.Unstructured) cluster {
	t.Helper()
	lists := map[schema.GroupVersionResource]string{namespaces: "NamespaceList", configMaps: "ConfigMapList"}
	var there []runtime.Object
	for _, each := range objects {
		there = append(there, each)
	}
	client := dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, there...)
	clock := clocktesting.NewFakePassiveClock(time.Unix(1000, 0))
	changed := func(string) {}
	resources := livecache.NewResources(livecache.NewMapper(discovery, clock), livecache.NewCaches(t.Context(), client, clock, changed), changed)
	return cluster{New(resources, answers{}, client, clock), client, NewMemory()}
}

// discovery is the ReadPage of the API server.
func discovery(_ context.Context, path string) ([]byte, error) {
	if path == "/apis/example.com/v1" {
		return []byte(`{"resources": [{"kind": "Config", "name": "configs", "namespaced": true}]}`), nil
	}
	if path == "/api/v1" {
		return []byte(`{"resources": [{"kind": "Namespace", "name": "namespaces"}, {"kind": "ConfigMap", "name": "configmaps", "namespaced": true}]}`), nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{}, path)
}

// remove removes a set with the manager's identity.
func (c cluster) remove(t *testing.T, set *object.Set, keep ...*object.Set) (Removal, error) {
	t.Helper()
	return c.Remove(t.Context(), set, Options{As: identity.Identity{Dynamic: c.client}, Keep: keep, Memory: c.memory})
}

// fill starts the cache of a resource and waits until it is filled.
func (c cluster) fill(t *testing.T, resource schema.GroupVersionResource) {
	t.Helper()
	if _, err := c.resources.Caches.Get(t.Context(), "memo", resource); err != nil {
		t.Fatal(err)
	}
}

// answers is a NamespaceChecker with the results by namespace. It has no result yet for a namespace that is missing.
type answers map[string]namespaceuse.Answer

func (a answers) Check(question namespaceuse.Question) (namespaceuse.Answer, bool) {
	answer, ok := a[question.Namespace]
	return answer, ok
}

const crdText = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: memos.example.com},
	spec: {group: example.com, scope: Namespaced, names: {plural: memos, kind: Memo}, versions: [{name: v1, served: true, storage: true}]}}`

func configMap(t testing.TB, name string) unstructured.Unstructured {
	return *parse(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: `+name+`, namespace: memo}}`)
}

func newSet(t testing.TB, objects ...unstructured.Unstructured) *object.Set {
	t.Helper()
	set, err := object.NewSet(object.Owner{Name: "memo", Package: "memo-package"}, "memo", plan.Phases(objects))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// layout returns one line for each phase of a set, with the names of its objects.
func layout(set *object.Set) []string {
	var lines []string
	for _, each := range set.Phases() {
		var names []string
		for _, desired := range each.Objects {
			names = append(names, desired.Key.String())
		}
		lines = append(lines, each.Name+": "+strings.Join(names, ", "))
	}
	return lines
}
