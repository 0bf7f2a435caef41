package plain_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openshift/platform-operators/pkg/bundle"
	"github.com/openshift/platform-operators/pkg/bundle/plain"
)

// bomb returns a small document that aliases expand to billions of values.
func bomb() string {
	text := strings.Builder{}
	text.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 9 {
		text.WriteString("a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.Repeat("*a"+string(rune('0'+i))+", ", 10) + "]\n")
	}
	return text.String()
}

// FuzzLoad checks that loading any files ends, and that a loaded bundle renders to the same objects twice.
func FuzzLoad(f *testing.F) {
	f.Add(keyed, "properties:\n"+packaged, object)
	f.Add("annotations: {}", "properties: []", crd)
	f.Add(keyed, "properties:\n- {type: olm.package, value: [*x]}\n", object+"---\n"+object)
	f.Add("", "", bomb())
	f.Add("annotations: &a {a: *a}", "{", strings.Repeat("[", 2000))
	f.Add("", "properties:\n- {type: olm.maxOpenShiftVersion, value: {}}\n", "{apiVersion: v1, kind: List, items: [{apiVersion: a.b/v1, kind: C, metadata: {name: d, namespace: [e]}}]}")
	f.Add("", "", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: 3}}")
	f.Fuzz(func(t *testing.T, annotations, properties, manifest string) {
		b, err := plain.Load(folder(map[string]string{
			"metadata/annotations.yaml": annotations, "metadata/properties.yaml": properties, "manifests/a.yaml": manifest,
		}))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") && !strings.Contains(err.Error(), "yaml: ") {
				t.Errorf("the error has several lines: %q", err)
			}
			return
		}
		first, err := b.Render(bundle.Options{InstallNamespace: "ns"})
		if err != nil {
			return
		}
		second, err := b.Render(bundle.Options{InstallNamespace: "ns"})
		if err != nil || !cmp.Equal(first, second) || len(first) != b.Manifests() {
			t.Errorf("renders differently the second time: %v", err)
		}
	})
}

func TestHostileInputIsRefusedWithinBounds(t *testing.T) {
	const mib = 1 << 20
	for name, c := range map[string]struct {
		file, text string
		want       string // of the beginning of the error
		most       uint64 // bytes that are allocated in all, freed ones included
	}{
		"aliases in a manifest":     {"manifests/a.yaml", bomb(), `reading "manifests/a.yaml": document at line 1: line `, 64 * mib},
		"aliases in the properties": {"metadata/properties.yaml", bomb() + "properties:\n- {type: olm.package, value: *a9}\n", `reading "metadata/properties.yaml": document at line 1: property "olm.package": line `, 64 * mib},
		"brackets without end":      {"manifests/a.yaml", strings.Repeat("[", 3*mib), `reading "manifests/a.yaml": document at line 1: it may have 3145728 YAML values`, 64 * mib},
		"a long package name":       {"metadata/properties.yaml", "properties:\n- {type: olm.package, value: {packageName: " + strings.Repeat("x", mib) + ", version: 1.2.3}}\n", `reading metadata: package name "xxx`, 64 * mib},
		"a long version":            {"metadata/properties.yaml", "properties:\n- {type: olm.package, value: {packageName: a, version: 1.2.3-" + strings.Repeat("x", mib) + "}}\n", `reading "metadata/properties.yaml": property "olm.package": version "1.2.3-xxx`, 64 * mib},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"manifests/a.yaml": object}
			files[c.file] = c.text
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := plain.Load(folder(files))
			runtime.ReadMemStats(&after)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) || len(err.Error()) > 1000 {
				t.Errorf("got %.300v, want %s…", err, c.want)
			}
			if spent := after.TotalAlloc - before.TotalAlloc; spent > c.most {
				t.Errorf("%d MiB were allocated, more than %d", spent/mib, c.most/mib)
			}
		})
	}
}
