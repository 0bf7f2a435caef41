package mustgather

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// files is a directory as a map from paths to contents. A content that begins with "-> " is a symbolic link.
type files map[string]string

func (f files) fs() fs.FS {
	result := fstest.MapFS{}
	for name, content := range f {
		if target, isLink := strings.CutPrefix(content, "-> "); isLink {
			result[name] = &fstest.MapFile{Data: []byte(target), Mode: fs.ModeSymlink | 0o777}
		} else {
			result[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o600}
		}
	}
	return result
}

// resourceOf knows three kinds.
func resourceOf(gvk schema.GroupVersionKind) (string, bool) {
	resource, isKnown := map[schema.GroupKind]string{
		{Kind: "ConfigMap"}: "configmaps", {Kind: "Secret"}: "secrets", {Group: "apps", Kind: "Deployment"}: "deployments",
	}[gvk.GroupKind()]
	return resource, isKnown
}

// object returns the YAML of an object with a name, and a namespace unless it is empty.
func object(apiVersion, kind, namespace, name string) string {
	if namespace != "" {
		namespace = "\n  namespace: " + namespace
	}
	return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata:\n  name: %s%s\n", apiVersion, kind, name, namespace)
}

// listOf returns the YAML of a List in the form of oc adm inspect.
func listOf(apiVersion, kind string, items ...string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "---\napiVersion: %s\nitems:\n", apiVersion)
	for _, item := range items {
		text.WriteString("- " + strings.ReplaceAll(strings.TrimSuffix(item, "\n"), "\n", "\n  ") + "\n")
	}
	fmt.Fprintf(&text, "kind: %s\nmetadata:\n  resourceVersion: \"9\"\n", kind)
	return text.String()
}

// copyOf returns the YAML of ConfigMap b in namespace a as an API server returns it.
func copyOf(uid, resourceVersion, value string) string {
	return object("v1", "ConfigMap", "a", "b") + fmt.Sprintf("  uid: %s\n  resourceVersion: %q\ndata:\n  key: %s\n", uid, resourceVersion,
		value)
}

// summary returns one line for each object.
func summary(objects []Object) (lines []string) {
	for _, o := range objects {
		lines = append(lines, fmt.Sprintf("%s/%s/%s %s %q from %s", o.Resource.Group, o.Resource.Version, o.Resource.Resource,
			o.GetKind(), o.GetNamespace()+"/"+o.GetName(), o.source()))
	}
	return lines
}

func TestReadFindsObjects(t *testing.T) {
	for sentence, test := range map[string]struct {
		files files
		want  []string
	}{
		"a cluster-scoped object has a file of its own": {
			files{"cluster-scoped-resources/x.io/widgets/w.yaml": object("x.io/v1", "Widget", "", "w")},
			[]string{`x.io/v1/widgets Widget "/w" from file "cluster-scoped-resources/x.io/widgets/w.yaml"`},
		},
		"the items of a List are sorted by name, and their kind may be missing": {
			files{"namespaces/a/core/configmaps.yaml": listOf("v1", "ConfigMapList", object("v1", "ConfigMap", "a", "c"),
				"metadata:\n  name: b\n  namespace: a\n")},
			[]string{
				`/v1/configmaps ConfigMap "a/b" from items[1] of file "namespaces/a/core/configmaps.yaml"`,
				`/v1/configmaps ConfigMap "a/c" from items[0] of file "namespaces/a/core/configmaps.yaml"`,
			},
		},
		"a List needs no line break at its end: cut short, it would have no kind": {
			files{"namespaces/a/core/configmaps.yaml": strings.TrimSpace(listOf("v1", "ConfigMapList", object("v1", "ConfigMap", "a", "b")))},
			[]string{`/v1/configmaps ConfigMap "a/b" from items[0] of file "namespaces/a/core/configmaps.yaml"`},
		},
		"a plain List, as oc get writes it, has any kind": {
			files{"namespaces/a/core/configmaps.yaml": listOf("v1", "List", object("v1", "ConfigMap", "a", "b"))},
			[]string{`/v1/configmaps ConfigMap "a/b" from items[0] of file "namespaces/a/core/configmaps.yaml"`},
		},
		"a List without items is read": {
			files{"namespaces/a/core/configmaps.yaml": "apiVersion: v1\nitems: []\nkind: ConfigMapList\n",
				"namespaces/a/core/pods.yaml": "apiVersion: v1\nitems: null\nkind: PodList\n"}, nil,
		},
		"a Namespace is in its folder": {
			files{"namespaces/a/a.yaml": object("v1", "Namespace", "", "a")},
			[]string{`/v1/namespaces Namespace "/a" from file "namespaces/a/a.yaml"`},
		},
		"a colon in a name is a colon or -COLON- in the file's name": {
			files{
				"cluster-scoped-resources/rbac.authorization.k8s.io/clusterroles/a-COLON-b.yaml": object("rbac.authorization.k8s.io/v1",
					"ClusterRole", "", "a:b"),
				"cluster-scoped-resources/rbac.authorization.k8s.io/clusterroles/a:c.yaml": object("rbac.authorization.k8s.io/v1",
					"ClusterRole", "", "a:c"),
			},
			[]string{
				`rbac.authorization.k8s.io/v1/clusterroles ClusterRole "/a:b" from file ` +
					`"cluster-scoped-resources/rbac.authorization.k8s.io/clusterroles/a-COLON-b.yaml"`,
				`rbac.authorization.k8s.io/v1/clusterroles ClusterRole "/a:c" from file ` +
					`"cluster-scoped-resources/rbac.authorization.k8s.io/clusterroles/a:c.yaml"`,
			},
		},
		"JSON needs no line break at its end": {
			files{"namespaces/a/core/configmaps/b.yaml": `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b","namespace":"a"}}`},
			[]string{`/v1/configmaps ConfigMap "a/b" from file "namespaces/a/core/configmaps/b.yaml"`},
		},
		"a List and files may have different objects of a resource": {
			files{
				"namespaces/a/core/configmaps.yaml":   listOf("v1", "ConfigMapList", object("v1", "ConfigMap", "a", "c")),
				"namespaces/a/core/configmaps/b.yaml": object("v1", "ConfigMap", "a", "b"),
			},
			[]string{
				`/v1/configmaps ConfigMap "a/b" from file "namespaces/a/core/configmaps/b.yaml"`,
				`/v1/configmaps ConfigMap "a/c" from items[0] of file "namespaces/a/core/configmaps.yaml"`,
			},
		},
		"links inside of the directory are followed": {
			files{
				"cluster-scoped-resources/x.io/widgets/w.yaml": "-> ../../../store/link.yaml", "store/link.yaml": "-> ./w.yaml",
				"store/w.yaml":      object("x.io/v1", "Widget", "", "w"),
				"namespaces/a/core": "-> ../../store/folder", "store/folder/configmaps/b.yaml": object("v1", "ConfigMap", "a", "b"),
			},
			[]string{
				`/v1/configmaps ConfigMap "a/b" from file "namespaces/a/core/configmaps/b.yaml"`,
				`x.io/v1/widgets Widget "/w" from file "cluster-scoped-resources/x.io/widgets/w.yaml"`,
			},
		},
	} {
		input, err := Read(test.files.fs(), resourceOf)
		if err != nil {
			t.Errorf("%s: %v", sentence, err)
			continue
		}
		if diff := cmp.Diff(test.want, summary(input.Objects)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
}

func TestReadKeepsTheNewerOfTwoCopies(t *testing.T) {
	const list, single = "namespaces/a/core/configmaps.yaml", "namespaces/a/core/configmaps/b.yaml"
	for sentence, test := range map[string]struct{ inList, inFile, want, superseded string }{
		"that of the List is newer":                                      {copyOf("u", "10", "list"), copyOf("u", "9", "file"), "list", single},
		"that with its own file is newer":                                {copyOf("u", "9", "list"), copyOf("u", "10", "file"), "file", list},
		"both have one version: that with its own file, which is elided": {copyOf("u", "9", "list"), copyOf("u", "9", "file"), "file", list},
	} {
		input, err := Read(files{list: listOf("v1", "ConfigMapList", test.inList), single: test.inFile}.fs(), nil)
		if err != nil {
			t.Errorf("%s: %v", sentence, err)
			continue
		}
		if len(input.Objects) != 1 || input.Objects[0].Object["data"].(map[string]any)["key"] != test.want {
			t.Errorf("%s: got %v", sentence, summary(input.Objects))
		}
		if older := input.Superseded(); len(older) != 1 || older[0].File != test.superseded {
			t.Errorf("%s: superseded is %v", sentence, summary(older))
		}
	}
}

func TestIntegersAreInt64(t *testing.T) {
	content := object("x.io/v1", "Widget", "", "w") + "spec:\n  big: 9007199254740993\n  list: [1, 1.5, 0x10]\n"
	input, err := Read(files{"cluster-scoped-resources/x.io/widgets/w.yaml": content}.fs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"big": int64(9007199254740993), "list": []any{int64(1), 1.5, int64(16)}}
	if diff := cmp.Diff(want, input.Objects[0].Object["spec"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadIgnoresWhatIsNotPartOfTheLayout(t *testing.T) {
	widget := object("x.io/v1", "Widget", "", "w")
	input, err := Read(files{
		"must-gather.log":                                           "",
		"timestamp":                                                 "",
		"image/aggregated-discovery-api.yaml":                       "not read",
		"image/event-filter.html":                                   "",
		"image/timestamp":                                           "",
		"image/version":                                             "",
		"image/content/images/oci-layout":                           "",
		"image/host_service_logs/masters/kubelet.log":               "",
		"image/broken":                                              "-> /etc/passwd",
		"image/cluster-scoped-resources/README.yaml":                "not read",
		"image/cluster-scoped-resources/x.io/notes.txt":             "",
		"image/cluster-scoped-resources/x.io/widgets/w.yaml":        widget,
		"image/cluster-scoped-resources/x.io/widgets/w.yml":         "not read",
		"image/cluster-scoped-resources/x.io/widgets/deeper/w.yaml": "not read",
		"image/namespaces/a/pods/p/p.yaml":                          "not read",
		"image/namespaces/a/must_gather_commands/x.yaml":            "not read",
		"image/namespaces/a/other.yaml":                             "not read",
		"image/namespaces/list.yaml":                                "not read",
	}.fs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if input.Root() != "image" || len(input.Objects) != 1 {
		t.Errorf("root %q, objects %v", input.Root(), summary(input.Objects))
	}
	want := []string{
		"image/aggregated-discovery-api.yaml", "image/broken", "image/cluster-scoped-resources/README.yaml",
		"image/cluster-scoped-resources/x.io/notes.txt",
		"image/cluster-scoped-resources/x.io/widgets/deeper/", "image/cluster-scoped-resources/x.io/widgets/w.yml", "image/event-filter.html",
		"image/host_service_logs/", "image/namespaces/a/must_gather_commands/", "image/namespaces/a/other.yaml", "image/namespaces/a/pods/",
		"image/namespaces/list.yaml", "image/timestamp", "image/version", "must-gather.log", "timestamp",
	}
	if diff := cmp.Diff(want, input.Ignored()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadNotCollected(t *testing.T) {
	input, err := Read(files{
		"namespaces/a/a.yaml": object("v1", "Namespace", "", "a"),
		"not-collected.yaml": "resources:\n- group: apiextensions.k8s.io\n  resource: customresourcedefinitions\n- resource: " +
			"secrets\nnamespaces:\n- kube-system\n",
	}.fs(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := NotCollected{
		Resources:  []metav1.GroupResource{{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}, {Resource: "secrets"}},
		Namespaces: []string{"kube-system"},
	}
	if diff := cmp.Diff(want, input.NotCollected); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, test := range []struct {
		resource        schema.GroupResource
		namespace, name string
		want            bool
	}{
		{schema.GroupResource{Resource: "secrets"}, "a", "s", true},
		{schema.GroupResource{Resource: "configmaps"}, "a", "s", false},
		{schema.GroupResource{Group: "x.io", Resource: "secrets"}, "a", "s", false},
		{schema.GroupResource{Resource: "configmaps"}, "kube-system", "s", true},
		{schema.GroupResource{Resource: "namespaces"}, "", "kube-system", true},
		{schema.GroupResource{Resource: "namespaces"}, "", "a", false},
		{schema.GroupResource{Resource: "nodes"}, "", "kube-system", false},
	} {
		if got := input.NotCollected.Has(test.resource, test.namespace, test.name); got != test.want {
			t.Errorf("%v %q %q: %t, want %t", test.resource, test.namespace, test.name, got, test.want)
		}
	}
}

// brokenFS refuses to open one file.
type brokenFS struct {
	fs.FS
	name string
}

func (b brokenFS) Open(name string) (fs.File, error) {
	if name == b.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return b.FS.Open(name)
}

func TestReadReportsFilesThatCannotBeOpened(t *testing.T) {
	fsys := files{"namespaces/a/core/configmaps/b.yaml": object("v1", "ConfigMap", "a", "b")}.fs()
	for name, want := range map[string]string{
		".":                                   `reading the directory: permission denied`,
		"namespaces/a/core":                   `file "namespaces/a/core": permission denied; check its permissions`,
		"namespaces/a/core/configmaps/b.yaml": `file "namespaces/a/core/configmaps/b.yaml": permission denied; check its permissions`,
	} {
		_, err := Read(brokenFS{fsys, name}, nil)
		if err == nil || err.Error() != want || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: got %v\nwant %s", name, err, want)
		}
	}
}
