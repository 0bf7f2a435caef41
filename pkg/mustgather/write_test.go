package mustgather

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// built returns an object as a caller of Write builds it.
func built(resource schema.GroupVersionResource, kind, namespace, name string, fields map[string]any) Object {
	u := &unstructured.Unstructured{Object: fields}
	if fields == nil {
		u.Object = map[string]any{}
	}
	u.SetAPIVersion(resource.GroupVersion().String())
	u.SetKind(kind)
	u.SetName(name)
	if namespace != "" {
		u.SetNamespace(namespace)
	}
	return Object{Unstructured: u, Resource: resource}
}

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	roles      = schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"}
)

// contents returns the paths and contents of all files in a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	result := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		result[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestWriteHasOneFileForEachObject(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	err := Write(dir, []Object{
		built(roles, "ClusterRole", "", "system:demo", map[string]any{"rules": []any{map[string]any{"verbs": []any{"get"}}}}),
		built(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "Namespace", "", "a", nil),
		built(configMaps, "ConfigMap", "a", "b", map[string]any{"data": map[string]any{"text": "one\ntwo\n", "number": "1"}}),
	}, NotCollected{Resources: []metav1.GroupResource{{Resource: "secrets"}}, Namespaces: []string{"kube-system"}})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"cluster-scoped-resources/rbac.authorization.k8s.io/clusterroles/system-COLON-demo.yaml": "apiVersion: " +
			"rbac.authorization.k8s.io/v1\nkind: ClusterRole\n" +
			"metadata:\n  name: system:demo\nrules:\n- verbs:\n  - get\n",
		"namespaces/a/a.yaml": "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n",
		"namespaces/a/core/configmaps/b.yaml": "apiVersion: v1\ndata:\n  number: \"1\"\n  text: |\n    one\n    two\nkind: ConfigMap\n" +
			"metadata:\n  name: b\n  namespace: a\n",
		"not-collected.yaml": "namespaces:\n- kube-system\nresources:\n- group: \"\"\n  resource: secrets\n",
	}
	if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWriteRefusesDirectories(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:  fmt.Sprintf("output directory %q is not empty; empty it, or choose a different one", dir),
		file: fmt.Sprintf("creating output directory %q: mkdir %s: not a directory; choose a different one", file, file),
	} {
		if err := Write(path, nil, NotCollected{}); err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
	}
	if got := contents(t, dir); len(got) != 1 {
		t.Errorf("files were written: %v", got)
	}
}

func TestWriteRefusesObjects(t *testing.T) {
	for sentence, test := range map[string]struct {
		objects      []Object
		notCollected NotCollected
		want         string
	}{
		"the same object twice": {
			objects: []Object{built(configMaps, "ConfigMap", "a", "b", nil), built(configMaps, "ConfigMap", "a", "b", nil)},
			want:    `ConfigMap "b" in namespace "a": the object is given twice`,
		},
		"names that differ in a colon only": {
			objects: []Object{built(roles, "ClusterRole", "", "a:b", nil), built(roles, "ClusterRole", "", "a-COLON-b", nil)},
			want: `ClusterRole "a:b": its file "cluster-scoped-resources/rbac.authorization.k8s.io/clusterroles/a-COLON-b.yaml" is also ` +
				`that of ClusterRole "a-COLON-b"`,
		},
		"a name that leaves the folder": {
			objects: []Object{built(configMaps, "ConfigMap", "a", "../../../../etc/b", nil)},
			want:    `ConfigMap "../../../../etc/b" in namespace "a": "../../../../etc/b" cannot be part of a file name`,
		},
		"a namespace that leaves the folder": {
			objects: []Object{built(configMaps, "ConfigMap", "..", "b", nil)},
			want:    `ConfigMap "b" in namespace "..": ".." cannot be part of a file name`,
		},
		"no name": {
			objects: []Object{built(configMaps, "ConfigMap", "a", "", nil)},
			want:    `ConfigMap "" in namespace "a": "" cannot be part of a file name`,
		},
		"no kind": {
			objects: []Object{built(configMaps, "", "a", "b", nil)},
			want:    `object "b" in namespace "a": kind is missing; ` + remedy,
		},
		"a group that is a folder of the layout": {
			objects: []Object{built(schema.GroupVersionResource{Group: "pods", Version: "v1", Resource: "x"}, "X", "a", "b", nil)},
			want:    `X "b" in namespace "a": group "pods" is not the name of an API group`,
		},
		"a version that is not that of the resource": {
			objects: []Object{{Unstructured: built(configMaps, "ConfigMap", "a", "b", nil).Unstructured,
				Resource: configMaps.GroupResource().WithVersion("v2")}},
			want: `ConfigMap "b" in namespace "a": apiVersion is "v1", but the version of the resource is "v2"`,
		},
		"not collected is nothing": {
			notCollected: NotCollected{Namespaces: []string{""}},
			want:         `file "not-collected.yaml": an entry of namespaces is empty; delete it, and list cluster-scoped objects by their resource`,
		},
	} {
		dir := t.TempDir()
		if err := Write(dir, test.objects, test.notCollected); err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v\nwant %s", sentence, err, test.want)
		}
		if got := contents(t, dir); len(got) != 0 {
			t.Errorf("%s: files were written: %v", sentence, got)
		}
	}
}

func TestWriteRefusesWhatYAMLCannotExpress(t *testing.T) {
	err := Write(t.TempDir(), []Object{built(configMaps, "ConfigMap", "a", "b", map[string]any{"data": map[string]any{"<<": "c"}})},
		NotCollected{})
	want := `writing file "namespaces/a/core/configmaps/b.yaml": its YAML would not be read as the same object; leave the object out, ` +
		`or remove what YAML cannot express, such as the key "<<"`
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestWhatIsWrittenIsRead writes random objects in two orders, and reads them.
func TestWhatIsWrittenIsRead(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 18))
		objects := randomObjects(random)
		notCollected := NotCollected{Namespaces: []string{"kube-system"}}
		first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
		if err := Write(first, objects, notCollected); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		input, err := Read(os.DirFS(first), nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := sorted(objects)
		for i := range want {
			want[i].File = locationOf(want[i]).path()
		}
		if diff := cmp.Diff(want, input.Objects, cmp.AllowUnexported(Object{})); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		if diff := cmp.Diff(notCollected, input.NotCollected); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
		random.Shuffle(len(objects), func(i, j int) { objects[i], objects[j] = objects[j], objects[i] })
		if err := Write(second, objects, notCollected); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if diff := cmp.Diff(contents(t, first), contents(t, second)); diff != "" {
			t.Fatalf("seed %d: the order of objects changes what is written:\n%s", seed, diff)
		}
	}
}

// randomObjects returns objects of several resources, with names that are special to YAML or the layout.
func randomObjects(random *rand.Rand) (objects []Object) {
	names := []string{"a", "b", "pods", "core", "null", "yes", "1", "1.0", "0x1", "a.yaml", "x-y.z"}
	for _, name := range names {
		if random.IntN(2) == 0 {
			objects = append(objects, built(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, "Namespace", "", name,
				randomFields(random)))
		}
		if random.IntN(2) == 0 {
			objects = append(objects, built(roles, "ClusterRole", "", name+":"+name, randomFields(random)))
		}
		for _, namespace := range names[:4] {
			if random.IntN(4) == 0 {
				objects = append(objects, built(configMaps, "ConfigMap", namespace, name, randomFields(random)))
			}
		}
	}
	return objects
}

func randomFields(random *rand.Rand) map[string]any {
	return map[string]any{"spec": randomValue(random, 4), "data": randomValue(random, 1)}
}

// randomValue returns a value as JSON decodes it.
func randomValue(random *rand.Rand, depth int) any {
	kinds := 6
	if depth > 0 {
		kinds = 9
	}
	switch kind := random.IntN(kinds); kind {
	case 0:
		return nil
	case 1:
		return random.IntN(2) == 0
	case 2:
		return int64(random.Uint64())
	case 3:
		return random.NormFloat64()
	case 4, 5:
		return randomText(random)
	case 6:
		list := make([]any, random.IntN(4))
		for i := range list {
			list[i] = randomValue(random, depth-1)
		}
		return list
	}
	result := map[string]any{}
	for range random.IntN(5) {
		result[randomText(random)] = randomValue(random, depth-1)
	}
	return result
}

func randomText(random *rand.Rand) string {
	parts := []string{"", " ", "\n", "\t", "\r", "a", "---", "...", "- ", ": ", "#", "'", `"`, "\\", "null", "~", "yes", "0o7", "1e3",
		"2026-01-01", "|", ">", "%", "@", "`", "{", "[",
		"&a", "*a", "!", "?", "=", "<<", "ü", "😀", "\u0085", "\u2028", "\ufeff", "\x00", "\x7f", "\u00a0", ",", "_"}
	var text strings.Builder
	for range random.IntN(4) {
		text.WriteString(parts[random.IntN(len(parts))])
	}
	if text.String() == "<<" { // see TestWriteRefusesWhatYAMLCannotExpress
		return ""
	}
	return text.String()
}

// FuzzRead checks that no directory panics, that an error is bounded, and that what was read without one is the same after it was written.
func FuzzRead(f *testing.F) {
	f.Add("namespaces/a/core/configmaps.yaml", listOf("v1", "ConfigMapList", copyOf("u", "1", "x")), "namespaces/a/core/configmaps/b.yaml",
		copyOf("u", "2", "y"))
	f.Add("namespaces/a/a.yaml", object("v1", "Namespace", "", "a"), "not-collected.yaml",
		"namespaces: [b]\nresources: [{resource: secrets}]\n")
	f.Add("image/cluster-scoped-resources/x.io/widgets/a:b.yaml", object("x.io/v1", "Widget", "", "a:b"),
		"image/namespaces/a/pods/p/p.yaml", "{}")
	f.Add("namespaces/a/core/configmaps.yaml", `{"apiVersion":"v1","kind":"List","items":[]}`, "cluster-scoped-resources/core/link",
		"-> ../../namespaces/a/core")
	f.Fuzz(func(t *testing.T, path1, content1, path2, content2 string) {
		if !fs.ValidPath(path1) || !fs.ValidPath(path2) {
			return
		}
		input, err := Read(files{path1: content1, path2: content2}.fs(), resourceOf)
		if err != nil {
			if text := err.Error(); len(text) > 2*(maxErrors+1)*(maxPath+maxText+1000) || strings.Count(text, "\n") > maxErrors {
				t.Errorf("the error has %d bytes: %.300s", len(text), text)
			}
			return
		}
		if !slices.IsSortedFunc(input.Objects, Compare) {
			t.Errorf("objects are not sorted: %v", summary(input.Objects))
		}
		written, err := encode(input.Objects)
		if err != nil {
			return // names that Write refuses, such as those with a slash
		}
		again, err := Read(written.fs(), resourceOf)
		if err != nil {
			t.Fatalf("reading what was written: %v", err)
		}
		if len(again.Objects) != len(input.Objects) {
			t.Fatalf("%d objects became %d", len(input.Objects), len(again.Objects))
		}
		for i, each := range input.Objects {
			if diff := cmp.Diff(each.Object, again.Objects[i].Object); diff != "" {
				t.Errorf("(-first +second):\n%s", diff)
			}
		}
	})
}

// encode returns what Write writes.
func encode(objects []Object) (files, error) {
	outputs, err := outputFiles(objects)
	if err != nil {
		return nil, err
	}
	result := files{clusterScopedFolder + "/empty": ""}
	for _, each := range outputs {
		text, err := marshal(each.object.Object)
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(text, []byte("-> ")) {
			return nil, fmt.Errorf("not a file: %s", text)
		}
		result[each.path] = string(text)
	}
	return result, nil
}
