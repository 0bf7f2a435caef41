package catalog

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

const jsonLines = `{"schema":"olm.package","name":"demo","defaultChannel":"stable","icon":{"base64data":"AA==","mediatype":"x"}}
{"schema":"olm.channel","package":"demo","name":"stable","entries":[{"name":"demo.v1.1.0","replaces":"demo.v1.0.0","skips":["b","a"],"skipRange":">=0.9.0 <1.1.0"},{"name":"demo.v1.0.0"}]}
{"schema":"olm.bundle","package":"demo","name":"demo.v1.0.0","image":"example.test/demo@sha256:10","properties":[{"type":"olm.package","value":{"packageName":"demo","version":"1.0.0"}},{"type":"olm.maxOpenShiftVersion","value":4.10},{"type":"olm.csv.metadata","value":{"description":"braces } ] \" in a text","minKubeVersion":"1.25.0","installModes":[{"type":"AllNamespaces","supported":true},{"type":"OwnNamespace","supported":false}]}},{"type":"example.unknown","value":null}],"relatedImages":[]}
{"schema":"example.other","package":"demo","name":"x","anything":[1,2,3]}
{"schema":"olm.package","name":"other","defaultChannel":"beta"}
{"schema":"olm.bundle","package":"demo","name":"demo.v1.1.0","image":"example.test/demo@sha256:11","properties":[{"type":"olm.package","value":{"packageName":"demo","version":"1.1.0"}}]}
`

func demoPackage() Package {
	return Package{
		Name:           "demo",
		DefaultChannel: "stable",
		Channels: []Channel{{Name: "stable", Entries: []Entry{
			{Name: "demo.v1.0.0"},
			{Name: "demo.v1.1.0", Replaces: "demo.v1.0.0", Skips: []string{"a", "b"}, SkipRange: ">=0.9.0 <1.1.0"},
		}}},
		Bundles: []Bundle{
			{
				Name: "demo.v1.0.0", Image: "example.test/demo@sha256:10", Version: "1.0.0",
				MaxOpenShiftVersions: []string{"4.10"}, MinKubeVersion: "1.25.0",
				InstallModes: map[string]bool{"AllNamespaces": true, "OwnNamespace": false},
			},
			{Name: "demo.v1.1.0", Image: "example.test/demo@sha256:11", Version: "1.1.0"},
		},
	}
}

func only(names ...string) func(string) bool {
	return func(pkg string) bool {
		for _, name := range names {
			if name == pkg {
				return true
			}
		}
		return false
	}
}

func reversed(lines string) string {
	out := ""
	for line := range strings.Lines(lines) {
		out = line + out
	}
	return out
}

func TestReadReturnsWhatVersionSelectionNeeds(t *testing.T) {
	yaml := `---
schema: olm.package
name: demo
defaultChannel: stable
---
# a comment between documents

entries:
- {name: demo.v1.1.0, replaces: demo.v1.0.0, skips: [b, a], skipRange: ">=0.9.0 <1.1.0"}
- {name: demo.v1.0.0}
name: stable
package: demo
schema: olm.channel
--- # a comment on the marker
  image: example.test/demo@sha256:10
  name: demo.v1.0.0
  package: demo
  schema: olm.bundle
  properties:
  - {type: olm.package, value: {packageName: demo, version: 1.0.0}}
  - {type: olm.maxOpenShiftVersion, value: "4.10"}
  - type: olm.csv.metadata
    value:
      description: |
        --- not a marker
      minKubeVersion: 1.25.0
      installModes: [{type: AllNamespaces, supported: true}, {type: OwnNamespace, supported: false}]
---
---
{"schema":"olm.bundle","package":"demo","name":"demo.v1.1.0","image":"example.test/demo@sha256:11",
 "properties":[{"type":"olm.package","value":{"packageName":"demo","version":"1.1.0"}}]}
---`
	quoted := demoPackage()
	quoted.Bundles[0].MaxOpenShiftVersions = []string{`"4.10"`}

	tests := map[string]struct {
		in   string
		want Package
	}{
		"JSON lines":                         {jsonLines, demoPackage()},
		"objects without a line between":     {strings.ReplaceAll(jsonLines, "\n", ""), demoPackage()},
		"the same blobs in another order":    {reversed(jsonLines), demoPackage()},
		"a blob that occurs twice":           {jsonLines + jsonLines, demoPackage()},
		"a byte order mark and white space":  {"\ufeff\r\n\t " + jsonLines + " \n", demoPackage()},
		"keys in another case":               {strings.ReplaceAll(jsonLines, `"package":`, `"Package":`), demoPackage()},
		"keys and values with JSON escapes":  {strings.ReplaceAll(jsonLines, `"schema":"olm`, `"\u0073chema":"\u006flm`), demoPackage()},
		"YAML documents, one of them JSON":   {yaml, quoted},
		"YAML with Windows line ends":        {strings.ReplaceAll(yaml, "\n", "\r\n"), quoted},
		"JSON documents separated by a mark": {strings.ReplaceAll(jsonLines, "\n", "\n---\n"), demoPackage()},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for how, r := range map[string]io.Reader{
				"at once":             strings.NewReader(test.in),
				"byte by byte":        iotest.OneByteReader(strings.NewReader(test.in)),
				"end with last bytes": iotest.DataErrReader(strings.NewReader(test.in)),
			} {
				got, err := Read(r, only("demo"))
				if err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if diff := cmp.Diff([]Package{test.want}, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", how, diff)
				}
			}
		})
	}
}

func TestReadWithNilWantReturnsAllPackages(t *testing.T) {
	got, err := Read(strings.NewReader(jsonLines), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Package{demoPackage(), {Name: "other", DefaultChannel: "beta"}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadRejectsUnreliableStreams(t *testing.T) {
	broken := errors.New("connection reset")
	tests := map[string]struct {
		in   io.Reader
		want []string
	}{
		"stream that ends inside a blob":       {strings.NewReader(jsonLines[:len(jsonLines)-40]), []string{"blob 6", "unexpected EOF", "olm.bundle"}},
		"stream that breaks":                   {io.MultiReader(strings.NewReader(jsonLines), iotest.ErrReader(broken)), []string{"connection reset"}},
		"stream that breaks inside a blob":     {io.MultiReader(strings.NewReader(jsonLines[:200]), iotest.ErrReader(broken)), []string{"blob 2", "connection reset"}},
		"blob without a schema":                {strings.NewReader(`{"package":"demo","name":"x"}`), []string{`package "demo"`, `name "x"`, "no schema"}},
		"key twice":                            {strings.NewReader(`{"schema":"olm.bundle","package":"a","package":"demo"}`), []string{"blob 1", `"package" occurs twice`}},
		"key twice by case":                    {strings.NewReader(`{"schema":"olm.bundle","name":"n","Package":"a","package":"demo"}`), []string{`name "n"`, `"package" occurs twice`}},
		"schema that is no string":             {strings.NewReader(`{"schema":1}`), []string{"schema", "a string was expected"}},
		"list instead of blobs":                {strings.NewReader(`[{"schema":"olm.package"}]`), []string{"an object was expected"}},
		"wanted blob with a bad escape":        {strings.NewReader(`{"schema":"olm.bundle","package":"demo","name":"n","description":"\q"}`), []string{`name "n"`, "invalid character 'q'"}},
		"wanted blob without a comma":          {strings.NewReader(`{"schema":"olm.bundle","package":"demo" "name":"n"}`), []string{`package "demo"`, "invalid character"}},
		"object without a value":               {strings.NewReader(`{"schema":}`), []string{"blob 1", "invalid character"}},
		"YAML that is none":                    {strings.NewReader("schema: olm.package\n\tname: x\n"), []string{"blob 1", "reading YAML", "schema: olm.package"}},
		"HTML of a proxy instead of a catalog": {strings.NewReader("<html><body>Bad gateway</body></html>"), []string{"blob 1", "an object was expected"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Read(test.in, only("demo"))
			if err == nil || got != nil {
				t.Fatalf("got %v, %v; want an error and nothing else", got, err)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not name %q", err, part)
				}
			}
			if len(err.Error()) > 1000 {
				t.Errorf("error has %d characters", len(err.Error()))
			}
		})
	}
}

func TestReadOmitsBlobsOfTheWrongShape(t *testing.T) {
	good := `{"schema":"olm.package","name":"other","defaultChannel":"beta"}`
	tests := map[string]struct{ blob, want string }{
		"properties are no list":      {`{"schema":"olm.bundle","package":"demo","name":"b","properties":{}}`, `olm.bundle "b" is left out: properties: a list was expected`},
		"version is a number":         {`{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"olm.package","value":{"version":1.2}}]}`, `olm.bundle "b" is left out: properties: reading property "olm.package": version: a string was expected`},
		"install modes are a string":  {`{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"olm.csv.metadata","value":{"installModes":"all"}}]}`, `olm.bundle "b" is left out: properties: reading property "olm.csv.metadata": installModes: `},
		"property without a value":    {`{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"olm.package"}]}`, `an object was expected`},
		"image is a list":             {`{"schema":"olm.bundle","package":"demo","name":"b","image":[]}`, `olm.bundle "b" is left out: image: `},
		"bundle without a name":       {`{"schema":"olm.bundle","package":"demo"}`, `olm.bundle in blob 1 is left out: it has no name`},
		"channel without a name":      {`{"schema":"olm.channel","package":"demo"}`, `olm.channel in blob 1 is left out: it has no name`},
		"entries are strings":         {`{"schema":"olm.channel","package":"demo","name":"c","entries":["x"]}`, `olm.channel "c" is left out: entries: `},
		"default channel is a number": {`{"schema":"olm.package","name":"demo","defaultChannel":1}`, `olm.package "demo" is left out: defaultChannel: `},
		"two default channels":        {`{"schema":"olm.package","name":"demo","defaultChannel":"a"}{"schema":"olm.package","name":"demo","defaultChannel":"b"}`, `the package names 2 default channels, among them "a" and "b"; none is used`},
		"two bundles of one name":     {`{"schema":"olm.bundle","package":"demo","name":"b","image":"x"}{"schema":"olm.bundle","package":"demo","name":"b","image":"y"}`, `bundle "b" occurs twice with different content; neither is used; ask`},
		"two entries of one name":     {`{"schema":"olm.channel","package":"demo","name":"c","entries":[{"name":"x"},{"name":"x","replaces":"w"}]}`, `channel "c" has two different entries for "x"; only one is used; ask`},
		"deprecations are strings":    {`{"schema":"olm.deprecations","package":"demo","name":"d","entries":["x"]}`, `olm.deprecations "d" is left out: entries: `},
		"provided kind is a string":   {`{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"olm.gvk","value":"Demo"}]}`, `olm.bundle "b" is left out: properties: reading property "olm.gvk": an object was expected`},
		"required kind has a number":  {`{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"olm.gvk.required","value":{"version":1}}]}`, `olm.bundle "b" is left out: properties: reading property "olm.gvk.required": version: a string was expected`},
		"required package is a list":  {`{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"olm.package.required","value":[]}]}`, `olm.bundle "b" is left out: properties: reading property "olm.package.required": `},
		"aggregated APIs are a list":  {`{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"olm.csv.metadata","value":{"apiServiceDefinitions":[]}}]}`, `olm.bundle "b" is left out: properties: reading property "olm.csv.metadata": apiServiceDefinitions: `},
		"kind of three kilobytes":     {`{"schema":"olm.bundle","package":"demo","name":"b","properties":[{"type":"olm.gvk","value":{"kind":"` + strings.Repeat("K", 3000) + `"}}]}`, `bundle "b" is left out: its olm.gvk has 3000 bytes, but at most 2048 are allowed`},
		"name of three kilobytes":     {`{"schema":"olm.bundle","package":"demo","name":"` + strings.Repeat("n", 3000) + `"}`, `its name has 3000 bytes, but at most 2048 are allowed`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := Read(strings.NewReader(test.blob+good), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 2 || got[1].DefaultChannel != "beta" || got[1].Faults != nil {
				t.Fatalf("the other package suffered: %+v", got)
			}
			demo := got[0]
			if len(demo.Faults) != 1 || !strings.Contains(demo.Faults[0], test.want) {
				t.Errorf("faults %q, want one with %q", demo.Faults, test.want)
			}
			if _, ok := demo.Bundle("b"); ok {
				t.Error("the faulty bundle was kept")
			}
		})
	}
}

func TestFaultsAreLimited(t *testing.T) {
	var in strings.Builder
	for i := range 50 {
		fmt.Fprintf(&in, `{"schema":"olm.bundle","package":"demo","name":"b%02d","properties":%q}`, i, strings.Repeat("x", 1000))
	}
	got, err := Read(strings.NewReader(in.String()), nil)
	if err != nil {
		t.Fatal(err)
	}
	faults := got[0].Faults
	if len(faults) != maxFaults+1 || faults[maxFaults] != "and 40 more" {
		t.Errorf("faults: %q", faults)
	}
	for _, fault := range faults {
		if len(fault) > maxSentence+len("…") {
			t.Errorf("a fault has %d characters", len(fault))
		}
	}
}

// repeat is a reader of n copies of a unit, which are never all in memory.
type repeat struct {
	unit string
	n    int
	rest string
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.rest == "" {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.unit
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestReadOfAHundredMegabytesUsesLittleMemory(t *testing.T) {
	description := strings.Repeat("every word of it unwanted; ", 4000)
	unit := fmt.Sprintf(`{"image":"i","name":"b","package":"big","properties":[{"type":"olm.csv.metadata","value":{"description":%q}}],"schema":"olm.bundle"}`+"\n", description)
	for name, want := range map[string]func(string) bool{"nothing of it wanted": only("demo"), "all of it wanted": nil} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := Read(&repeat{unit: unit, n: 100<<20/len(unit) + 1}, want); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
				t.Errorf("reading 100 MiB allocated %d bytes in all, want less than 8 MiB", used)
			}
		})
	}
}

func TestReadLimitsTheSizeOfABlob(t *testing.T) {
	for name, test := range map[string]struct{ start, end, want string }{
		"JSON": {`{"schema":"`, `"}`, "its schema is longer than 65536 bytes"},
		"YAML": {"schema: ", "\n", "is larger than 4194304 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			in := io.MultiReader(strings.NewReader(test.start), &repeat{unit: strings.Repeat("x", 1<<20), n: 40}, strings.NewReader(test.end))
			_, err := Read(in, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error about the blob's size", err)
			}
		})
	}
}
