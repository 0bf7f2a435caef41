package apiserver

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestAStorageKeyNamesItsObject(t *testing.T) {
	for key, want := range map[string]struct {
		resource        schema.GroupResource
		namespace, name string
	}{
		"/registry/core/configmaps/a/b":                {schema.GroupResource{Resource: "configmaps"}, "a", "b"},
		"/registry/core/namespaces/a":                  {schema.GroupResource{Resource: "namespaces"}, "", "a"},
		"/registry/apps/deployments/a/b":               {schema.GroupResource{Group: "apps", Resource: "deployments"}, "a", "b"},
		"/registry/example.com/widgets/system:a:b.c-d": {schema.GroupResource{Group: "example.com", Resource: "widgets"}, "", "system:a:b.c-d"},
	} {
		if got := StorageKey(want.resource, want.namespace, want.name); got != key {
			t.Errorf("StorageKey of %v is %q, want %q", want, got, key)
		}
		resource, namespace, name, isObject := ParseStorageKey(key)
		if !isObject || resource != want.resource || namespace != want.namespace || name != want.name {
			t.Errorf("%q is parsed as %v, %q, %q, %t, want %v", key, resource, namespace, name, isObject, want)
		}
	}
	for _, key := range []string{"", "/registry", "/registry/ranges/serviceips", "/registry/a/b/c/d/e", "/other/core/configmaps/a/b"} {
		if _, _, _, isObject := ParseStorageKey(key); isObject {
			t.Errorf("%q is parsed as the key of an object", key)
		}
	}
}
