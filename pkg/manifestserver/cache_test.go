package manifestserver

import (
	"net/http"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	testingclock "k8s.io/utils/clock/testing"
)

// cachedMap returns ConfigMap "a/NAME" with a value, as a cluster has stored it.
func cachedMap(name, value string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{
		"namespace": "a", "name": name, "uid": "u-" + name, "resourceVersion": "7", "creationTimestamp": "2026-01-01T00:00:00Z",
	}, "data": map[string]any{"key": value}}}
}

func TestACacheKeepsUnchangedObjectsOnly(t *testing.T) {
	cache := &Cache{}
	value := func(objects []*unstructured.Unstructured, name string) string {
		t.Helper()
		s, err := New(Options{Objects: objects, KubernetesVersion: "v1.36.3", Clock: testingclock.NewFakeClock(time.Unix(0, 0)), Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		all, err := s.Objects()
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range all {
			if each.GetName() == name {
				data, _, _ := unstructured.NestedString(each.Object, "data", "key")
				return data
			}
		}
		return http.StatusText(http.StatusNotFound)
	}
	kept, former := cachedMap("kept", "1"), cachedMap("changed", "1")
	if got := value([]*unstructured.Unstructured{kept, former}, "changed"); got != "1" {
		t.Errorf("got %q", got)
	}
	first := cache.entries[kept]
	if first == nil {
		t.Fatal("nothing was cached")
	}
	if got := value([]*unstructured.Unstructured{kept, cachedMap("changed", "2")}, "changed"); got != "2" {
		t.Errorf("a changed object has %q", got)
	}
	if cache.entries[kept] != first {
		t.Error("an unchanged object was normalized again")
	}
	if cache.entries[former] != nil {
		t.Error("an object that the input no longer has was kept")
	}
	if got := value([]*unstructured.Unstructured{kept}, "changed"); got != "Not Found" {
		t.Errorf("a removed object has %q", got)
	}
	invalid := cachedMap("invalid", "1")
	invalid.SetCreationTimestamp(former.GetCreationTimestamp())
	invalid.Object["unknown"] = "field"
	value([]*unstructured.Unstructured{invalid}, "invalid")
	if cache.entries[invalid] != nil {
		t.Error("an object with an InputError was cached, so that the next server would not report it")
	}
}
