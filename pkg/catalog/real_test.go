package catalog

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/operator-framework/operator-registry/alpha/declcfg"
)

// realCatalogs is where the public catalogs of OpenShift 4.20 lie, beside the checkout; they are no part of the project.
const realCatalogs = "../../../shared/data/catalogs"

// realYAML returns the content of every file of one real catalog, or skips.
func realYAML(tb testing.TB, catalog string) [][]byte {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(realCatalogs, catalog, "*", "catalog.yaml"))
	if err != nil || len(files) == 0 {
		tb.Skipf("no catalogs in %s: the real data is not beside this checkout", realCatalogs)
	}
	contents := make([][]byte, 0, len(files))
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		contents = append(contents, content)
	}
	return contents
}

// jsonLinesOf converts YAML documents to JSON, one a line, as catalogd does before it serves them.
func jsonLinesOf(tb testing.TB, contents [][]byte) []byte {
	tb.Helper()
	var out bytes.Buffer
	documents := newStream(bytes.NewReader(bytes.Join(contents, []byte("\n---\n"))))
	for {
		document, err := documents.next()
		if err == io.EOF {
			return out.Bytes()
		}
		if err != nil {
			tb.Fatal(err)
		}
		out.Write(document)
		out.WriteByte('\n')
	}
}

func TestReadOfRealCatalogs(t *testing.T) {
	for catalog, want := range map[string]struct{ packages, channels, bundles, limits int }{
		"community-v4.20": {packages: 37, channels: 85, bundles: 803, limits: 0},
		"certified-v4.20": {packages: 59, channels: 180, bundles: 676, limits: 4},
	} {
		t.Run(catalog, func(t *testing.T) {
			lines := jsonLinesOf(t, realYAML(t, catalog))
			packages, err := Read(bytes.NewReader(lines), nil)
			if err != nil {
				t.Fatal(err)
			}
			got := want
			got.packages, got.channels, got.bundles, got.limits = len(packages), 0, 0, 0
			for _, p := range packages {
				got.channels += len(p.Channels)
				got.bundles += len(p.Bundles)
				if p.DefaultChannel == "" || p.Faults != nil {
					t.Errorf("package %q: default channel %q, faults %q", p.Name, p.DefaultChannel, p.Faults)
				}
				for _, b := range p.Bundles {
					got.limits += len(b.MaxOpenShiftVersions)
					if b.Version == "" || b.Image == "" || b.InstallModes == nil {
						t.Errorf("package %q: bundle %+v lacks something", p.Name, b)
					}
				}
			}
			if got != want {
				t.Errorf("got %+v, want %+v", got, want)
			}
			compareWithDeclcfg(t, packages, lines)
		})
	}
}

// compareWithDeclcfg holds what was read against operator-registry's own reading of the same bytes.
func compareWithDeclcfg(t *testing.T, got []Package, lines []byte) {
	t.Helper()
	cfg, err := declcfg.LoadReader(bytes.NewReader(lines))
	if err != nil {
		t.Fatal(err)
	}
	var builder Builder
	for _, p := range cfg.Packages {
		builder.AddPackage(p.Name, p.DefaultChannel)
	}
	for _, c := range cfg.Channels {
		for _, e := range c.Entries {
			builder.AddChannel(c.Package, c.Name, Entry{Name: e.Name, Replaces: e.Replaces, Skips: e.Skips, SkipRange: e.SkipRange})
		}
	}
	for _, b := range cfg.Bundles {
		bundle := Bundle{Name: b.Name, Image: b.Image}
		for _, p := range b.Properties {
			if err := bundle.AddProperty(p.Type, p.Value); err != nil {
				t.Fatal(err)
			}
		}
		builder.AddBundle(b.Package, bundle)
	}
	if diff := cmp.Diff(builder.Build(), got); diff != "" {
		t.Errorf("declcfg reads it differently (-declcfg +ours):\n%s", diff)
	}
}

func BenchmarkReadRealCatalogs(b *testing.B) {
	var catalogs [][]byte
	size := 0
	for _, catalog := range []string{"community-v4.20", "certified-v4.20"} {
		lines := jsonLinesOf(b, realYAML(b, catalog))
		catalogs = append(catalogs, lines)
		size += len(lines)
	}
	measure := func(name string, bundles int, read func(lines []byte) (int, error)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				total := 0
				for _, lines := range catalogs {
					n, err := read(lines)
					if err != nil {
						b.Fatal(err)
					}
					total += n
				}
				if total != bundles {
					b.Fatalf("%d bundles, want %d", total, bundles)
				}
			}
		})
	}
	ours := func(want func(string) bool) func(lines []byte) (int, error) {
		return func(lines []byte) (n int, err error) {
			packages, err := Read(bytes.NewReader(lines), want)
			for _, p := range packages {
				n += len(p.Bundles)
			}
			return n, err
		}
	}
	measure("every package wanted", 1479, ours(nil))
	measure("one package wanted", 152, ours(only("project-quay")))
	measure("declcfg", 1479, func(lines []byte) (int, error) {
		cfg, err := declcfg.LoadReader(bytes.NewReader(lines))
		if err != nil {
			return 0, err
		}
		return len(cfg.Bundles), nil
	})
}
