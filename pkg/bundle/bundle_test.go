package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
)

func TestScalarsDecodeAsInKubernetes(t *testing.T) {
	scalars := []string{"yes", "No", "on", "y", "true", "~", "null", "", `""`, "'yes'", "0777", "0o17", "0x1F", "0b101", "-0b11", "1_000", "+5", "-7", "4.10", "4.0", ".5", "5.",
		"1e3", "1E-2", "9223372036854775807", "9223372036854775808", "18446744073709551616", "1e300", "2001-01-01", "12:30:45", "1.2.3", "v4.10", "0.1.0-rc.1", "=", "<<x",
		"|\n  a\n  b\n", ">\n  a\n  b\n", "[1, a, yes]", "{a: 1, 2: b, yes: c, 1.5: d}", "!!str 5", "a # comment", "\"\\u00e9\"", "1e999", "+.5", "-.5", "._5", "1__0", "nUll", "0_7", "08", "00"}
	for _, s := range scalars {
		text := "apiVersion: v1\nkind: A\nmetadata: {name: a}\nvalue: " + s + "\n"
		want, err := kubernetesDecode([]byte(text))
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		got, err := decodeObjects("a.yaml", []byte(text))
		if err != nil {
			t.Errorf("%q: %v", s, err)
			continue
		}
		if diff := cmp.Diff(want[0], got[0].Object); diff != "" {
			t.Errorf("%q (-kubernetes +here):\n%s", s, diff)
		}
	}
}

func TestMergeKeysAndAliasesAreExpanded(t *testing.T) {
	const text = "apiVersion: v1\nkind: A\nmetadata: {name: a}\nbase: &base {x: 1, w: 2}\nmore: &more {z: 3, w: 9}\none: {w: 5, <<: *base}\ntwo: {<<: [*base, *more]}\nlist: [*base, *base]\n"
	objects, err := decodeObjects("a.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	got := objects[0].Object
	want := map[string]any{"x": int64(1), "w": int64(5)}
	if diff := cmp.Diff(want, got["one"]); diff != "" {
		t.Errorf("what stands beside a merge key wins (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"x": int64(1), "w": int64(2), "z": int64(3)}, got["two"]); diff != "" {
		t.Errorf("the first of several merged mappings wins (-want +got):\n%s", diff)
	}
	list := got["list"].([]any)
	list[0].(map[string]any)["x"] = "changed"
	if list[1].(map[string]any)["x"] != int64(1) {
		t.Error("two aliases share one value")
	}
}

func TestReadObjectsRefuses(t *testing.T) {
	object := "{apiVersion: v1, kind: Secret, metadata: {name: a}, x: "
	many := strings.Repeat("---\n"+object+"y}\n", MaxObjects+1)
	cases := map[string]struct {
		text string
		want string
	}{
		"an alias of itself":          {"a: &a [*a]", `document at line 1: line 1: alias "a" contains itself`},
		"nesting without end":         {object + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "}", "document at line 1: line 1: the value is nested deeper than 256 levels"},
		"a tag":                       {object + "!!binary aGk=}", "document at line 1: line 1: tag !!binary is not supported; use the plain value"},
		"a number that JSON has not":  {object + ".nan}", "document at line 1: line 1: .nan has no JSON form; quote it or use a number"},
		"a key that is null":          {object + "{~: 1}}", "document at line 1: line 1: a key must not be null"},
		"a key that is a list":        {object + "{[a]: 1}}", "document at line 1: line 1: a key must be a scalar"},
		"a merge of a number":         {object + "{<<: 1}}", "document at line 1: line 1: a merge key (<<) requires a mapping or a list of mappings"},
		"a document without end":      {object + strings.Repeat("y", MaxDocumentBytes) + "}", "document at line 1: it has 4194360 bytes, but at most 4194304 are allowed"},
		"more than a file":            {strings.Repeat("#", MaxFileBytes+1), "it has 33554433 bytes, but at most 33554432 are allowed"},
		"more objects than there are": {many, fmt.Sprintf("document at line %d: the bundle has more than 20000 objects", 2*MaxObjects+1)},
		"a tag in a later document":   {"# a\n---\n{apiVersion: v1, kind: A, metadata: {name: a}}\n---\napiVersion: v1\nx: !!binary aGk=\n", "document at line 4: line 6: tag !!binary is not supported; use the plain value"},
		"a later document, not YAML":  {object + "y}\n---\na:\n\tb\n", "document at line 2: yaml: line 4: found character that cannot start any token"},
		"a List of null":              {"{apiVersion: v1, kind: List, metadata: {name: a}, items: null}", "document at line 1: the items of a List must be a list, not null; use items: [] for an empty List"},
		"a List without items":        {"{apiVersion: v1, kind: List, metadata: {name: a}}", "document at line 1: the items of a List must be a list, not null; use items: [] for an empty List"},
		"a List of a mapping":         {"{apiVersion: v1, kind: List, items: {a: b}}", "document at line 1: the items of a List must be a list, not a mapping; use items: [] for an empty List"},
		"a List of a number":          {"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: A, metadata: {name: a}}, 1]}", "document at line 1: item 2: it must be a Kubernetes object, not a number"},
		"a List in a List":            {"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: List, items: []}]}", "document at line 1: item 1: nested Lists are not supported; move the items up"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ReadObjects(fstest.MapFS{"m/a.yaml": {Data: []byte(c.text)}}, "m")
			want := `reading "m/a.yaml": ` + c.want
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestReadObjectsRefusesEntriesThatAreNoFiles(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		fs.ModeDir:                        "subdirectories are not allowed among the manifests; move the files up",
		fs.ModeSymlink:                    "manifests must be regular files, but this is a symbolic link; replace it with the file",
		fs.ModeNamedPipe:                  "manifests must be regular files, but this is a named pipe; replace it with the file",
		fs.ModeSocket:                     "manifests must be regular files, but this is a socket; replace it with the file",
		fs.ModeDevice | fs.ModeCharDevice: "manifests must be regular files, but this is a device; replace it with the file",
		fs.ModeIrregular:                  "manifests must be regular files, but this is a special file; replace it with the file",
	} {
		_, err := ReadObjects(fstest.MapFS{"m/a.yaml": {Mode: mode, Data: []byte("b.txt")}}, "m")
		if want := `reading "m/a.yaml": ` + want; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", mode, err, want)
		}
	}
}

func TestReadObjectsBoundsAllFilesTogether(t *testing.T) {
	fsys := fstest.MapFS{}
	blank := bytes.Repeat([]byte("\n"), MaxDocumentBytes)
	for i := range MaxBytes/MaxDocumentBytes + 1 {
		fsys[fmt.Sprintf("m/%02d.yaml", i)] = &fstest.MapFile{Data: blank}
	}
	_, err := ReadObjects(fsys, "m")
	if want := `reading "m/32.yaml": this file and the files before it have 138412032 bytes, but at most 134217728 are allowed`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestParseProperties(t *testing.T) {
	cases := map[string]struct {
		text string
		want []string // the raw values of olm.maxOpenShiftVersion
		err  string
	}{
		"an unquoted number keeps its digits": {text: "properties: [{type: olm.maxOpenShiftVersion, value: 4.10}]", want: []string{"4.10"}},
		"a quoted one keeps its quotes":       {text: "properties: [{type: olm.maxOpenShiftVersion, value: '4.10'}]", want: []string{`"4.10"`}},
		"a word is a string":                  {text: "properties: [{type: olm.maxOpenShiftVersion, value: v4.10}]", want: []string{`"v4.10"`}},
		"a number that JSON spells otherwise": {text: "properties: [{type: olm.maxOpenShiftVersion, value: 0x10}]", want: []string{"16"}},
		"a list stays a list":                 {text: "properties: [{type: olm.maxOpenShiftVersion, value: [4.10, null]}]", want: []string{"[4.1,null]"}},
		"null is a value":                     {text: "properties: [{type: olm.maxOpenShiftVersion, value: null}]", want: []string{"null"}},
		"a value that is repeated is two":     {text: "properties: [{type: olm.maxOpenShiftVersion, value: 4.10}, {type: olm.maxOpenShiftVersion, value: 4.10}]", want: []string{"4.10", "4.10"}},
		"4.1 and 4.10 are two":                {text: "properties: [{type: olm.maxOpenShiftVersion, value: 4.10}, {type: olm.maxOpenShiftVersion, value: 4.1}]", want: []string{"4.10", "4.1"}},
		"other properties do not count":       {text: "properties: [{type: olm.gvk, value: {group: a}}]"},
		"no properties are none":              {text: "properties:"},
		"an empty file has none":              {text: "# nothing"},
		"a property without type":             {text: "properties: [{value: 1}]", err: "document at line 1: line 1: a property requires a type"},
		"a property without value":            {text: "properties: [{type: a}]", err: `document at line 1: line 1: property "a" has no value`},
		"two lists":                           {text: "{properties: [], properties: [{type: olm.maxOpenShiftVersion, value: 4.10}]}", err: `document at line 1: line 1: "properties" occurs twice; remove one`},
		"two values in one property":          {text: "properties: [{type: a, value: 4.10, value: 4.11}]", err: `document at line 1: line 1: "value" occurs twice; remove one`},
		"a list that is merged in":            {text: "{a: &a {properties: []}, <<: *a}", err: `document at line 1: line 1: a merge key (<<) is not supported here; replace it with the entries that it merges`},
		"a later document":                    {text: "a: b\n---\nproperties:\n- type: a\n", err: `document at line 2: line 4: property "a" has no value`},
		"a property that is a word":           {text: "properties: [a]", err: `document at line 1: line 1: a mapping with "type" is required`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			properties, err := ParseProperties([]byte(c.text))
			if got := fmt.Sprint(err); c.err != "" && got != c.err || c.err == "" && err != nil {
				t.Fatalf("got %s, want %s", got, c.err)
			}
			if diff := cmp.Diff(c.want, MaxOpenShiftVersions(properties)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParsePropertiesAnnotationRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"type": "a"}`:   "json: cannot unmarshal object into Go value of type []json.RawMessage",
		`[{"value": 1}]`:  "property 1 requires a type",
		`[{"type": "a"}]`: `property "a" has no value`,
		"":                "unexpected end of JSON input",
		"null":            "it is null",
		`[{"type": "a", "value": 1, "Value": 2}]`: `property 1: "value" occurs twice; remove one`,
		`[{"type": "a", "value": 1}`:              "unexpected end of JSON input",
	} {
		if _, err := ParsePropertiesAnnotation(text); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestInstallNamespace(t *testing.T) {
	if got := (Metadata{Package: "quay"}).InstallNamespace(); got != "quay-system" {
		t.Errorf("without a suggestion: %q", got)
	}
	if got := (Metadata{Package: "quay", SuggestedNamespace: "ns"}).InstallNamespace(); got != "ns" {
		t.Errorf("with a suggestion: %q", got)
	}
}

// FuzzENG_F11_Decode compares with Kubernetes' own decoder: if both succeed, the results must be equal and have a JSON form.
func FuzzENG_F11_Decode(f *testing.F) {
	f.Add("apiVersion: v1\nkind: A\nmetadata: {name: a}\nx: [yes, 0777, 1e3, .5, ~]\n")
	f.Add("---\n{\"apiVersion\": \"v1\", \"kind\": \"A\", \"metadata\": {\"name\": \"a\"}}\n---\n...\n")
	f.Add("a: &a {<<: *a}\n")
	f.Add("a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]\n? [k]\n: v\n")
	f.Fuzz(func(t *testing.T, text string) {
		objects, err := decodeObjects("a.yaml", []byte(text))
		if err != nil || len(objects) != 1 || strings.ContainsAny(text, "&*<\r") || strings.Contains(text, "...") || strings.Contains(text, "---") {
			return
		}
		if _, err := json.Marshal(objects[0].Object); err != nil {
			t.Fatalf("no JSON form: %v", err)
		}
		var want map[string]any
		data, err := utilyaml.ToJSON([]byte(text))
		if err != nil || json.Unmarshal(data, &want) != nil || want["kind"] == "List" {
			return
		}
		reference, err := kubernetesDecode([]byte(text))
		if err != nil || len(reference) != 1 {
			return
		}
		if diff := cmp.Diff(reference[0], objects[0].Object); diff != "" {
			t.Errorf("(-kubernetes +here):\n%s", diff)
		}
	})
}

func FuzzENG_F11_ParseProperties(f *testing.F) {
	f.Add("properties: [{type: olm.maxOpenShiftVersion, value: 4.10}]")
	f.Add("properties: &a [{type: *a, value: *a}]")
	f.Add("properties:\n- &p {type: a, value: 0b1}\n- *p\n")
	f.Fuzz(func(t *testing.T, text string) {
		properties, err := ParseProperties([]byte(text))
		if err != nil {
			return
		}
		for _, p := range properties {
			if p.Type == "" || !json.Valid(p.Value) {
				t.Errorf("property %q with value %q", p.Type, p.Value)
			}
		}
	})
}

func FuzzENG_F11_ParseAnnotations(f *testing.F) {
	f.Add("annotations: {a: b, c: 4.10}")
	f.Add("annotations: &a {a: *a}")
	f.Add("- annotations")
	f.Fuzz(func(t *testing.T, text string) {
		if annotations, err := ParseAnnotations([]byte(text)); (annotations == nil) != (err != nil) {
			t.Errorf("%v with error %v", annotations, err)
		}
	})
}

func TestDocumentsAreSplitAtMarkersOnly(t *testing.T) {
	lines := []string{"---", "--- ", "---x", "a", "", " ---", "----"}
	random := rand.New(rand.NewSource(1))
	for range 500 {
		var text bytes.Buffer
		for range random.Intn(12) {
			text.WriteString(lines[random.Intn(len(lines))] + "\n")
		}
		rest, joined := text.Bytes(), []byte{}
		for len(rest) > 0 {
			chunk := rest[:documentEnd(rest)]
			for i, line := range strings.Split(string(chunk), "\n") {
				if i > 0 && (line == "---" || line == "--- ") {
					t.Fatalf("%q is not cut at its marker", chunk)
				}
			}
			joined, rest = append(joined, chunk...), rest[len(chunk):]
		}
		if !bytes.Equal(joined, text.Bytes()) {
			t.Fatalf("%q lost something: %q", text.Bytes(), joined)
		}
	}
}

// TestReadObjectsBoundsTheExpansionOfAllDocuments covers a bomb of many documents that are each below the limit for one document. It also
// covers a long text that aliases repeat, which takes no memory until it is encoded as JSON.
func TestReadObjectsBoundsTheExpansionOfAllDocuments(t *testing.T) {
	const object = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, "
	list := "[" + strings.Repeat("x,", 400) + "]"
	manyValues := object + "a: &a " + list + ", b: [" + strings.Repeat("*a,", 400) + "]}\n"
	longText := object + "a: &a " + strings.Repeat("x", 1<<20) + ", b: [" + strings.Repeat("*a,", 20) + "]}\n"
	longKey := object + "a: &a {" + strings.Repeat("x", 1<<10) + ": 1}, b: [" + strings.Repeat("*a,", 9<<10) + "]}\n"
	halfText := object + "a: &a " + strings.Repeat("x", 1<<16) + ", b: [" + strings.Repeat("*a,", 7*16-1) + "]}\n" // 7 MiB
	cases := map[string]struct {
		text string
		want string
	}{
		"many values, in many documents": {strings.Repeat("---\n"+manyValues, 20), "the bundle has more than 2000000 values after its aliases are expanded"},
		"one text, many times":           {longText, "the document has more than 8388608 bytes after its aliases are expanded"},
		"one key, many times":            {longKey, "the document has more than 8388608 bytes after its aliases are expanded"},
		"one text, in many documents":    {strings.Repeat("---\n"+halfText, 25), "the bundle has more than 142606336 bytes after its aliases are expanded"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := ReadObjects(fstest.MapFS{"m/a.yaml": {Data: []byte(c.text)}}, "m")
			if err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got %v, want …%s", err, c.want)
			}
		})
	}
	t.Run("one tree, in many properties", func(t *testing.T) {
		text := "a: &a " + list + "\nb: &b [" + strings.Repeat("*a,", 400) + "]\nproperties:\n" + strings.Repeat("- {type: a, value: *b}\n", 3)
		_, err := ParseProperties([]byte(text))
		if want := "the document has more than 300000 values after its aliases are expanded"; err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want …%s", err, want)
		}
	})
}

// decodeObjects reads the objects of one file.
func decodeObjects(file string, data []byte) ([]Object, error) {
	read := &objectReader{}
	err := read.addFile(file, data)
	return read.objects, err
}
