package docs

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// fields are the fields in the CRDs' schemas and of ObjectMeta, by path without indices, as in "spec.install.drift.policy". The value is
// the enumeration of the accepted values, or empty if there is none.
type fields map[string][]any

func fieldsOfCRDs(t *testing.T) fields {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "manifests", "*.crd.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	all := fields{}
	for _, path := range paths {
		var crd struct {
			Spec struct {
				Versions []struct {
					Schema struct{ OpenAPIV3Schema map[string]any }
				}
			}
		}
		if err := yaml.Unmarshal([]byte(readFile(t, filepath.Join("manifests", filepath.Base(path)))), &crd); err != nil {
			t.Fatalf("reading %s: %v", path, err)
		}
		for _, version := range crd.Spec.Versions {
			all.add("", version.Schema.OpenAPIV3Schema)
		}
	}
	for i := range reflect.TypeFor[metav1.ObjectMeta]().NumField() {
		all["metadata."+strings.Split(reflect.TypeFor[metav1.ObjectMeta]().Field(i).Tag.Get("json"), ",")[0]] = nil
	}
	if len(all) < 300 {
		t.Fatalf("found only %d fields, want at least 300", len(all))
	}
	return all
}

func (f fields) add(path string, schema map[string]any) {
	properties, _ := schema["properties"].(map[string]any)
	for name, inner := range properties {
		at := strings.TrimPrefix(path+"."+name, ".")
		described, _ := inner.(map[string]any)
		f[at] = append(f[at], list(described["enum"])...)
		f.add(at, described)
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if inner, isMap := schema[key].(map[string]any); isMap {
			if key == "items" {
				f[path] = append(f[path], list(inner["enum"])...)
			}
			f.add(path, inner)
		}
	}
}

// find returns the accepted values of all fields whose path is path or ends in it. found is false if there is no such field.
func (f fields) find(path string) (accepted []string, found bool) {
	path = strings.ReplaceAll(strings.TrimPrefix(path, "."), "[]", "")
	for known, values := range f {
		if known == path || strings.HasSuffix(known, "."+path) {
			found = true
			for _, value := range values {
				if text, isText := value.(string); isText {
					accepted = append(accepted, text)
				}
			}
		}
	}
	return accepted, found
}

// acceptsValue reports whether the enumeration of at least one field has the value.
func (f fields) acceptsValue(value string) bool {
	for _, values := range f {
		if slices.Contains(values, any(value)) {
			return true
		}
	}
	return false
}
