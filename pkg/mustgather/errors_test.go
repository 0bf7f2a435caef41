package mustgather

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestReadRefuses(t *testing.T) {
	const (
		single         = "namespaces/a/core/configmaps/b.yaml"
		list           = "namespaces/a/core/configmaps.yaml"
		inSingle       = `file "` + single + `": `
		inList         = `file "` + list + `": `
		inNotCollected = `file "not-collected.yaml": `

		moveToGroup     = "; move the file to the folder of its group, or delete it"
		moveToResource  = "; move the file to the folder of its resource, or delete it"
		moveToNamespace = "; move the file to the folder of its namespace, or delete it"
		fields          = "; its fields are resources, with group and resource, and namespaces"

		damage = "; if the file was cut short, copy it or run must-gather again; otherwise correct or delete it"
	)
	configMap := object("v1", "ConfigMap", "a", "b")
	namespaced := func(content string) files { return files{single: content} }
	listed := func(content string) files { return files{list: content} }
	withNamespace := func(notCollected string) files {
		return files{"namespaces/a/a.yaml": object("v1", "Namespace", "", "a"), notCollectedFile: notCollected}
	}
	for sentence, test := range map[string]struct {
		files files
		want  string
	}{
		"YAML that is cut short in a key": {
			namespaced("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  namesp"),
			inSingle + `it is not valid YAML: yaml: line 6: could not find expected ':'` + damage,
		},
		"YAML that is cut short in a value": {
			namespaced("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n  namespace: a\ndata:\n  replicas: 1"),
			inSingle + `its last line has no line break at its end, so that it may be cut short; if it is complete, add the line break`,
		},
		"JSON that is cut short": {
			namespaced(`{"apiVersion":"v1","kind":"Conf`),
			inSingle + `it is not valid YAML: yaml: found unexpected end of stream` + damage,
		},
		"a List that is cut short after an item": {
			listed("---\napiVersion: v1\nitems:\n- " + strings.ReplaceAll(strings.TrimSpace(configMap), "\n", "\n  ") + "\n"),
			inList + `kind is missing` + damage,
		},
		"a List that is cut short in an item": {
			listed("apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\nkind: ConfigMapList\n"),
			inList + `items[0]: metadata.name is missing` + damage,
		},
		"a file that is not YAML": {
			namespaced("\x1f\x8b\x08"),
			inSingle + `it is not valid YAML: yaml: control characters are not allowed` + damage,
		},
		"a key twice": {
			namespaced(configMap + "kind: ConfigMap\n"),
			inSingle + `it is not valid YAML: yaml: unmarshal errors: line 6: key "kind" already set in map` + damage,
		},
		"an empty file":             {namespaced(""), inSingle + `it has no content` + damage},
		"a file with comments only": {namespaced("---\n# none\n...\n"), inSingle + `it has no content` + damage},
		"a list at the top": {namespaced("- a\n"), inSingle +
			`it has no object at its top level, but a list or a single value` + damage},
		"a text at the top": {namespaced("Error from server\n"), inSingle +
			`it has no object at its top level, but a list or a single value` + damage},
		"two documents": {namespaced("---\n" + configMap + "---\n" + configMap), inSingle +
			`it has 2 YAML documents, but one is expected; split it into one file for each object`},
		"no kind":                        {namespaced("apiVersion: v1\n"), inSingle + `kind is missing` + damage},
		"no apiVersion":                  {namespaced("kind: ConfigMap\n"), inSingle + `apiVersion is missing` + damage},
		"neither apiVersion nor kind":    {namespaced("data: {}\n"), inSingle + `apiVersion and kind are missing` + damage},
		"an apiVersion that is a number": {namespaced("apiVersion: 1\nkind: ConfigMap\n"), inSingle + `apiVersion is missing` + damage},
		"an apiVersion with three parts": {namespaced("apiVersion: a/b/c\nkind: ConfigMap\n"), inSingle +
			`apiVersion "a/b/c" is not GROUP/VERSION` + damage},
		"no name": {namespaced("apiVersion: v1\nkind: ConfigMap\nmetadata: []\n"), inSingle +
			`metadata.name is missing` + damage},
		"too many levels": {namespaced(configMap + "data: " + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "\n"),
			inSingle + `its values are nested deeper than 256 levels; correct or delete it`},
		"aliases that expand to too much": {namespaced(bomb()), inSingle +
			`it is not valid YAML: yaml: document contains excessive aliasing` + damage},
		"a different group": {
			namespaced(object("x.io/v1", "ConfigMap", "a", "b")),
			inSingle + `apiVersion "x.io/v1" has group "x.io", but the path has group "core"` + moveToGroup,
		},
		"a different resource": {
			namespaced(object("v1", "Secret", "a", "b")),
			inSingle + `kind "Secret" is not the kind of resource "configmaps", which the path has` + moveToResource,
		},
		"a List of a different resource": {
			listed(listOf("v1", "SecretList", object("v1", "Secret", "a", "b"))),
			inList + `kind "Secret" is not the kind of resource "configmaps", which the path has` + moveToResource,
		},
		"a List of a different group": {
			listed(listOf("apps/v1", "DeploymentList")),
			inList + `apiVersion "apps/v1" has group "apps", but the path has group "core"` + moveToGroup,
		},
		"an item of a different group in a plain List": {
			listed(listOf("v1", "List", configMap, object("apps/v1", "Deployment", "a", "b"))),
			inList + `items[1]: apiVersion "apps/v1" has group "apps", but the path has group "core"` + moveToGroup,
		},
		"an item of a different kind": {
			listed(listOf("v1", "ConfigMapList", object("v1", "Secret", "a", "b"))),
			inList + `items[0]: its kind is not "ConfigMap", but that of the List is "ConfigMapList"` + damage,
		},
		"an item that is not an object": {
			listed("apiVersion: v1\nkind: ConfigMapList\nitems: [a]\n"), inList + `items[0] is not an object` + damage,
		},
		"a List without items": {listed("apiVersion: v1\nkind: ConfigMapList\n"), inList + `items is missing or not a list` + damage},
		"a List whose items are a map": {listed("apiVersion: v1\nkind: ConfigMapList\nitems: {}\n"), inList +
			`items is missing or not a list` + damage},
		"an object in the place of a List": {
			listed(configMap), inList + `it is a ConfigMap, but the path is that of a List; move it to folder "configmaps"`,
		},
		"a List in the place of an object": {
			namespaced(listOf("v1", "ConfigMapList", configMap)),
			inSingle + `it is a ConfigMapList, but the path is that of one object; move it to "configmaps.yaml" in the parent folder, or delete it`,
		},
		"an object in the place of a Namespace": {
			files{"namespaces/a/a.yaml": object("v1", "Project", "", "a")},
			`file "namespaces/a/a.yaml": kind "Project" is not the kind of resource "namespaces", which the path has` + moveToResource,
		},
		"a different Namespace": {
			files{"namespaces/a/a.yaml": object("v1", "Namespace", "", "b")},
			`file "namespaces/a/a.yaml": metadata.name is "b", but the file is named "a.yaml"; rename the file to "b.yaml", or delete it`,
		},
		"a different namespace": {
			namespaced(object("v1", "ConfigMap", "c", "b")),
			inSingle + `metadata.namespace is "c", but the path has namespace "a"` + moveToNamespace,
		},
		"no namespace": {
			namespaced(object("v1", "ConfigMap", "", "b")),
			inSingle + `metadata.namespace is "", but the path has namespace "a"` + moveToNamespace,
		},
		"a namespace where the path has none": {
			files{"cluster-scoped-resources/core/configmaps/b.yaml": configMap},
			`file "cluster-scoped-resources/core/configmaps/b.yaml": metadata.namespace is "a", but the path is that of a cluster-scoped ` +
				`object` + moveToNamespace,
		},
		"a different name": {
			files{"cluster-scoped-resources/x.io/widgets/a.yaml": object("x.io/v1", "Widget", "", "a:b")},
			`file "cluster-scoped-resources/x.io/widgets/a.yaml": metadata.name is "a:b", but the file is named "a.yaml"; rename the file to ` +
				`"a-COLON-b.yaml", or delete it`,
		},
		"two items for one object": {
			listed(listOf("v1", "ConfigMapList", copyOf("u", "1", "x"), copyOf("u", "2", "y"))),
			inList + `items[1]: ConfigMap "b" in namespace "a" is also in items[0] of file "` + list + `"; delete one of the two`,
		},
		"two files for one object": {
			files{
				"cluster-scoped-resources/x.io/widgets/a-COLON-b.yaml": object("x.io/v1", "Widget", "", "a:b"),
				"cluster-scoped-resources/x.io/widgets/a:b.yaml":       object("x.io/v1", "Widget", "", "a:b"),
			},
			`file "cluster-scoped-resources/x.io/widgets/a:b.yaml": Widget "a:b" is also in file ` +
				`"cluster-scoped-resources/x.io/widgets/a-COLON-b.yaml"; delete one of the two`,
		},
		"a List and a file for one object without uid": {
			files{list: listOf("v1", "ConfigMapList", configMap), single: configMap},
			inList + `items[0]: ConfigMap "b" in namespace "a" is also in file "` + single + `"; delete one of the two`,
		},
		"a List and a file for two objects of one name": {
			files{list: listOf("v1", "ConfigMapList", copyOf("u", "1", "x")), single: copyOf("v", "2", "x")},
			inList + `items[0]: ConfigMap "b" in namespace "a" is also in file "` + single + `"; delete one of the two`,
		},
		"a List and a file for one object, and no order of versions": {
			files{list: listOf("v1", "ConfigMapList", copyOf("u", "1", "x")), single: copyOf("u", "0x", "x")},
			inList + `items[0]: ConfigMap "b" in namespace "a" is also in file "` + single + `"; delete one of the two`,
		},
		"an empty directory": {
			files{}, `neither the directory nor a folder in it has "cluster-scoped-resources" or "namespaces"; give the directory that oc ` +
				`adm must-gather or oc adm inspect wrote`,
		},
		"two images": {
			files{"a/namespaces/a/a.yaml": "", "b/namespaces/a/a.yaml": "", "c/d/namespaces/a.yaml": ""},
			`2 folders have "cluster-scoped-resources" or "namespaces": "a", "b"; give the one to read`,
		},
		"not-collected.yaml beside the folder with the layout": {
			files{"a/namespaces/a/a.yaml": object("v1", "Namespace", "", "a"), notCollectedFile: "{}"},
			inNotCollected + `it is not read here; move it to folder "a"`,
		},
		"not-collected.yaml with unknown fields": {
			withNamespace("resources:\n- name: secrets\nNamespaces: []\n"),
			inNotCollected + `strict decoding error: unknown field "Namespaces", unknown field "resources[0].name"` + fields,
		},
		"not-collected.yaml with a text for a list": {
			withNamespace("namespaces: a\n"),
			inNotCollected + `cannot restore slice from string` + fields,
		},
		"not-collected.yaml without a resource": {
			withNamespace("resources:\n- group: x.io\n"),
			inNotCollected + `resources[0].resource is empty; set it to the plural name of a resource, such as configmaps`,
		},
		"not-collected.yaml with group core": {
			withNamespace("resources:\n- group: core\n  resource: secrets\n"),
			inNotCollected + `resources[0].group is "core"; delete the field, because the core group has no name`,
		},
		"not-collected.yaml with an empty namespace": {
			withNamespace("namespaces: ['']\n"),
			inNotCollected + `an entry of namespaces is empty; delete it, and list cluster-scoped objects by their resource`,
		},
		"not-collected.yaml that is empty": {
			withNamespace(""),
			inNotCollected + `it has no content` + damage,
		},
		"a link that leaves the directory": {
			namespaced("-> ../../../../../etc/b.yaml"),
			inSingle + `it is a symbolic link to a file outside of the directory; replace it by a copy of the file`,
		},
		"a link to an absolute path": {
			namespaced("-> /etc/b.yaml"),
			inSingle + `it is a symbolic link to a file outside of the directory; replace it by a copy of the file`,
		},
		"a link to a link that leaves the directory": {
			files{single: "-> c/b.yaml", "namespaces/a/core/configmaps/c": "-> ../../../../.."},
			inSingle + `it is a symbolic link to a file outside of the directory; replace it by a copy of the file`,
		},
		"a link for a namespace": {
			files{"namespaces/a": "-> ../b"}, `file "namespaces/a": it is a symbolic link to a file that does not exist; delete it`,
		},
		"a link for a folder of the layout": {
			files{"namespaces": "-> /etc", "cluster-scoped-resources/x.io/widgets/a.yaml": object("x.io/v1", "Widget", "", "a")},
			`file "namespaces": it is a symbolic link to a file outside of the directory; replace it by a copy of the file`,
		},
		"a link to itself": {namespaced("-> b.yaml"), inSingle + `it is a symbolic link that leads back to itself; delete it`},
		"a link to nothing": {
			files{"namespaces/a/core": "-> ../b"}, `file "namespaces/a/core": it is a symbolic link to a file that does not exist; delete it`,
		},
	} {
		input, err := Read(test.files.fs(), resourceOf)
		if err == nil || input != nil {
			t.Errorf("%s: no error", sentence)
			continue
		}
		if diff := cmp.Diff(test.want, err.Error()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
}

// bomb returns YAML whose aliases expand to millions of values.
func bomb() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return text
}

func TestReadShowsTenErrorsAndCountsTheOthers(t *testing.T) {
	for count, last := range map[int]string{
		10: `file "cluster-scoped-resources/x.io/widgets/w09.yaml": it has no content; ` + remedy,
		11: "and 1 more error; correct these first",
		99: "and 89 more errors; correct these first",
	} {
		damaged := files{}
		for i := range count {
			damaged[fmt.Sprintf("cluster-scoped-resources/x.io/widgets/w%02d.yaml", i)] = ""
		}
		_, err := Read(damaged.fs(), nil)
		if err == nil {
			t.Fatal("no error")
		}
		lines := strings.Split(err.Error(), "\n")
		if len(lines) != min(count, 11) || lines[len(lines)-1] != last {
			t.Errorf("%d errors have %d lines, the last one: %s", count, len(lines), lines[len(lines)-1])
		}
	}
}

func TestReadIsBounded(t *testing.T) {
	content := object("x.io/v1", "Widget", "", "a")
	dir := files{
		"cluster-scoped-resources/x.io/widgets/a.yaml": content,
		"cluster-scoped-resources/x.io/widgets/b.yaml": object("x.io/v1", "Widget", "", "b"),
		"cluster-scoped-resources/x.io/widgets/c.yaml": "not reached",
	}.fs()
	size := int64(len(content))
	const tooLarge = "file %q: it has more than %d bytes; delete it, and list its resource in not-collected.yaml"
	for sentence, test := range map[string]struct {
		limits limits
		want   []string
	}{
		"one file": {
			limits{file: size - 1, all: MaxBytes},
			[]string{
				fmt.Sprintf(tooLarge, "cluster-scoped-resources/x.io/widgets/a.yaml", size-1),
				fmt.Sprintf(tooLarge, "cluster-scoped-resources/x.io/widgets/b.yaml", size-1),
				`file "cluster-scoped-resources/x.io/widgets/c.yaml": it has no object at its top level, but a list or a single value; ` + remedy,
			},
		},
		"all files, of which no more are read": {
			limits{file: size, all: 2*size - 1},
			[]string{fmt.Sprintf("file %q: the files up to this one have more than %d bytes; "+
				"delete resources that are not needed, and list them in not-collected.yaml",
				"cluster-scoped-resources/x.io/widgets/b.yaml", 2*size-1)},
		},
	} {
		_, err := read(dir, nil, test.limits)
		if err == nil {
			t.Fatalf("%s: no error", sentence)
		}
		if diff := cmp.Diff(test.want, strings.Split(err.Error(), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sentence, diff)
		}
	}
}

// TestReadRefusesPipes: opening a pipe might never end.
func TestReadRefusesPipes(t *testing.T) {
	const name = "namespaces/a/a.yaml"
	_, err := Read(fstest.MapFS{name: {Mode: fs.ModeNamedPipe | 0o600}}, nil)
	if want := `file "` + name + `": it is not a regular file; delete it`; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

// TestReadRefusesLinksOfARealDirectory shows that links of os.DirFS, which follows them out of the directory, are found.
func TestReadRefusesLinksOfARealDirectory(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	folder := filepath.Join(dir, "cluster-scoped-resources", "x.io", "widgets")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(outside, "w.yaml"), []byte(object("x.io/v1", "Widget", "", "w")), 0o600); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(folder, outside)
	if err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"w.yaml": filepath.Join(outside, "w.yaml"), "v.yaml": filepath.Join(relative, "w.yaml")} {
		link := filepath.Join(folder, name)
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
		_, err := Read(os.DirFS(dir), nil)
		want := fmt.Sprintf("file %q: %v", "cluster-scoped-resources/x.io/widgets/"+name, errLinkLeaves)
		if err == nil || err.Error() != want {
			t.Errorf("got %v\nwant %s", err, want)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := follow(brokenFS{files{}.fs(), ""}, "w.yaml"); !errors.Is(err, errLinkUnknown) {
		t.Errorf("got %v from a file system without links", err)
	}
}
