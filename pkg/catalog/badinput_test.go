package catalog

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// oddCatalog has unusual content, for package demo, that catalogd serves without an error.
const oddCatalog = `{"schema":"olm.package","name":"demo","defaultChannel":"stable","unknownField":{"a":[1]}}
{"schema":"example.unknown","package":"demo","name":"x"}
{"schema":"olm.channel","package":"demo","name":"heads","entries":[{"name":"demo.v1.0.0"},{"name":"demo.v2.0.0"}]}
{"schema":"olm.channel","package":"demo","name":"cycle","entries":[{"name":"demo.v1.0.0","replaces":"demo.v2.0.0"},{"name":"demo.v2.0.0","replaces":"demo.v1.0.0"}]}
{"schema":"olm.channel","package":"demo","name":"stable","entries":[{"name":"demo.v2.0.0","skipRange":"not a range","skips":["demo.v9.9.9"]},{"name":"demo.pruned"}]}
{"schema":"olm.bundle","package":"demo","name":"demo.v1.0.0","image":"i1","properties":[{"type":"olm.package","value":{"packageName":"demo","version":"1.0.0"}}]}
{"schema":"olm.bundle","package":"demo","name":"demo.v2.0.0","image":"i2","properties":[{"type":"olm.package","value":{"packageName":"demo","version":"two"}}]}
{"schema":"olm.bundle","package":"demo","name":"demo.stranded","image":"i3","properties":[{"type":"olm.package","value":{"packageName":"demo","version":"0.1.0"}}]}
`

func oddPackage() Package {
	return Package{
		Name: "demo", DefaultChannel: "stable",
		Channels: []Channel{
			{Name: "cycle", Entries: []Entry{{Name: "demo.v1.0.0", Replaces: "demo.v2.0.0"}, {Name: "demo.v2.0.0", Replaces: "demo.v1.0.0"}}},
			{Name: "heads", Entries: []Entry{{Name: "demo.v1.0.0"}, {Name: "demo.v2.0.0"}}},
			{Name: "stable", Entries: []Entry{{Name: "demo.pruned"}, {Name: "demo.v2.0.0", SkipRange: "not a range", Skips: []string{"demo.v9.9.9"}}}},
		},
		Bundles: []Bundle{
			{Name: "demo.stranded", Image: "i3", Version: "0.1.0"},
			{Name: "demo.v1.0.0", Image: "i1", Version: "1.0.0"},
			{Name: "demo.v2.0.0", Image: "i2", Version: "two"},
		},
	}
}

// TestUPG_C7WhateverACatalogContains checks each part of the promise. The fuzz targets of this package are FuzzRead, FuzzObject,
// FuzzCanonical and FuzzFoldCase; hack/test-long.sh runs all of them.
//
// Promise UPG-C7: Unknown schemas and fields, missing packages, cycles and unreadable versions in a catalog are accepted, and truncated
// or ambiguous blobs are named with their file. A file of 100 MB takes at most 16 MiB of heap.
func TestUPG_C7WhateverACatalogContains(t *testing.T) {
	t.Run("what catalogd serves is carried as it is, for others to judge", carriesWhatCatalogdServes)
	t.Run("what cannot be used is named", namesWhatCannotBeUsed)
	t.Run("a file of a hundred megabytes takes a few in memory", holdsLittleOfALargeFile)
}

func carriesWhatCatalogdServes(t *testing.T) {
	var documents strings.Builder
	for line := range strings.Lines(oddCatalog) {
		document, err := yaml.JSONToYAML([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		documents.WriteString("---\n" + string(document))
	}
	t.Run("odd entries, ranges and versions", func(t *testing.T) {
		for name, in := range map[string]string{"JSON": oddCatalog, "YAML": documents.String()} {
			got, err := ReadFS(fstest.MapFS{"demo/catalog.yaml": {Data: []byte(in)}}, nil)
			if diff := cmp.Diff([]Package{oddPackage()}, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
			}
		}
	})

	t.Run("a channel and a bundle without their package's blob are a package without a default channel", func(t *testing.T) {
		_, rest, _ := strings.Cut(oddCatalog, "\n")
		want := oddPackage()
		want.DefaultChannel = ""
		got, err := Read(strings.NewReader(rest), nil)
		if diff := cmp.Diff([]Package{want}, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})

	t.Run("a blob that names no package is nobody's", func(t *testing.T) {
		got, err := Read(strings.NewReader(oddCatalog+`{"schema":"olm.bundle","name":"x"}{"schema":"olm.package"}{"schema":"`+rulesV1+`"}`), nil)
		if diff := cmp.Diff([]Package{oddPackage()}, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func namesWhatCannotBeUsed(t *testing.T) {
	for name, test := range map[string]struct {
		end  string
		want []string
	}{
		"a key that occurs twice by case":         {`{"schema":"olm.bundle","package":"demo","name":"n","Package":"demo"}`, []string{`file "demo/catalog.yaml"`, "blob 9", `name "n"`, `"package" occurs twice`}},
		"a stream that is cut short":              {`{"schema":"olm.bundle","package":"demo","name":"n","ima`, []string{`file "demo/catalog.yaml"`, "blob 9", `\"package\":\"demo\"`, "unexpected EOF"}},
		"a stream that is cut short in YAML":      {"---\nschema: olm.bundle\npackage: demo\nname: \"n", []string{`file "demo/catalog.yaml"`, "blob 9", "schema: olm.bundle", "reading YAML"}},
		"something that is neither JSON nor YAML": {"---\n\x00\x01", []string{`file "demo/catalog.yaml"`, "blob 9"}},
	} {
		t.Run(name+" is an error that names blob and file", func(t *testing.T) {
			got, err := ReadFS(fstest.MapFS{"demo/catalog.yaml": {Data: []byte(oddCatalog + test.end)}}, nil)
			if err == nil || got != nil {
				t.Fatalf("read %+v", got)
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}

	t.Run("a blob of the wrong shape costs itself only, and is named with its file", func(t *testing.T) {
		got, err := ReadFS(fstest.MapFS{
			"demo/catalog.json":  {Data: []byte(oddCatalog)},
			"demo/more.yml":      {Data: []byte(`{"schema":"olm.bundle","package":"demo","name":"n","properties":7}`)},
			"demo/README.md":     {Data: []byte("no catalog")},
			"demo/.hidden.yaml":  {Data: []byte("no catalog")},
			"other/catalog.YAML": {Data: []byte("schema: olm.package\nname: other\n")},
		}, nil)
		want := oddPackage()
		want.Faults = []string{`file "demo/more.yml": olm.bundle "n" is left out: properties: a list was expected, found "7"`}
		if diff := cmp.Diff([]Package{want, {Name: "other"}}, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func holdsLittleOfALargeFile(t *testing.T) {
	var blobs strings.Builder
	filler := strings.Repeat("every word of it unwanted; ", 4000)
	for _, kind := range []string{"olm.csv.metadata", "example.unknown"} {
		fmt.Fprintf(&blobs, `{"schema":"olm.bundle","package":"demo","name":"big","image":"i","properties":[{"type":%q,"value":{"description":%q}}]}`+"\n", kind, filler)
	}
	fmt.Fprintf(&blobs, `{"schema":%q,"package":"demo","reason":%q}`+"\n", rulesV1, filler)
	in := io.MultiReader(strings.NewReader(oddCatalog), &repeat{unit: blobs.String(), n: 100<<20/blobs.Len() + 1})
	peak := &peakReader{Reader: in}
	got, err := Read(peak, nil)
	if err != nil || len(got) != 1 || len(got[0].Bundles) != 4 || len(got[0].UpgradeRules) != 1 || got[0].UpgradeRules[0].Fault == "" {
		t.Fatalf("read %d packages, %v", len(got), err)
	}
	if peak.read < 100<<20 || peak.heap > 16<<20 {
		t.Errorf("of %d bytes, %d were in the heap at once", peak.read, peak.heap)
	}
}

// peakReader measures the heap at intervals while somebody reads from it.
type peakReader struct {
	io.Reader
	before, read, looked, heap int64
}

func (p *peakReader) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if p.read += int64(n); p.before == 0 || p.read-p.looked > 5<<20 {
		runtime.GC() // count only live objects
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		if p.before == 0 {
			p.before = int64(stats.HeapAlloc)
		}
		p.looked, p.heap = p.read, max(p.heap, int64(stats.HeapAlloc)-p.before)
	}
	return n, err
}
