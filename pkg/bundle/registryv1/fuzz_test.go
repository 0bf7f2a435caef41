package registryv1_test

import (
	"strings"
	"testing"

	"github.com/openshift/platform-operators/pkg/bundle/registryv1"
)

func seeds(f *testing.F) {
	f.Add(annotationsYAML, "", csvYAML, crdYAML)
	f.Add(annotationsYAML, "properties:\n- {type: olm.maxOpenShiftVersion, value: 4.10}\n", csv("strategy: deployment", "strategy: helm"), "")
	f.Add("annotations: &a\n  operators.operatorframework.io.bundle.package.v1: *a\n", "properties: [*x]", csvYAML, "{")
	f.Add(annotationsYAML, "properties: {<<: {a: b}}", csv("containers:", "initContainers:"), bomb())
	f.Add(annotationsYAML, "", csv("app: sample}}", "app: 1}}"), strings.Repeat("[", 2000))
}

// bomb is a small document that aliases blow up to billions of values.
func bomb() string {
	text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		ref := "*a" + string(rune('0'+i)) + ", "
		text += "a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.Repeat(ref, 10) + "]\n"
	}
	return text
}

// FuzzLoad feeds all four kinds of files: whatever they hold, loading ends, and what is loaded renders the same twice.
func FuzzLoad(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, annotations, properties, csv, manifest string) {
		fsys := sample(map[string]string{
			"metadata/annotations.yaml": annotations,
			"metadata/properties.yaml":  properties,
			"manifests/csv.yaml":        csv,
			"manifests/crd.yaml":        manifest,
		})
		b, err := registryv1.Load(fsys)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") && !strings.Contains(err.Error(), "yaml: ") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		first, err := b.Render(registryv1.Options{InstallNamespace: "ns"})
		if err != nil {
			return
		}
		second, err := b.Render(registryv1.Options{InstallNamespace: "ns"})
		if err != nil {
			t.Fatal(err)
		}
		if string(renderedJSON(first)) != string(renderedJSON(second)) {
			t.Error("renders differently the second time")
		}
	})
}

func TestYAMLBombsAreRefused(t *testing.T) {
	_, err := registryv1.Load(sample(map[string]string{"manifests/a.yaml": bomb()}))
	want := `reading "manifests/a.yaml": document at line 1: line `
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "more than 300000 values once aliases are expanded") {
		t.Errorf("got %v, want %s…", err, want)
	}
}
